import { Type } from '@sinclair/typebox'
import { count, privateKey, text, url } from '../kinds.ts'
import { price, tokens } from '../prices.ts'

const strict = { additionalProperties: false }

/** Settings of a chain's paymaster service. At the top level they are the defaults of all chains. */
export const paymasterSchema = Type.Object(
  {
    sponsorName: text({
      expected: 'a text',
      default: 'Tandem',
      description: 'who sponsors, as wallets show it (ERC-7677)',
    }),
    sponsorIcon: Type.Optional(
      url(['http', 'https'], { defaultText: 'none', description: 'picture that wallets show beside it' }),
    ),
    paymasterKey: Type.Optional(
      privateKey({
        secret: 'always',
        defaultText: 'tenants use their own paymasters only',
        description:
          "private key of the owner of the shared paymaster and of the token paymasters, and these ones' signer",
      }),
    ),
    sponsorPaymasterSince: Type.Optional(
      count({
        defaultText: 'looked for on the chain, by nodes with history',
        description: 'block before which the shared paymaster was not there: its whitelists are read from it',
      }),
    ),
    nativePrice: Type.Optional(
      price({
        defaultText: 'required with masterKey',
        description: "price of the chain's native coin, for limits in US dollars and for tokens",
      }),
    ),
    tokens: tokens({ default: [], description: 'tokens that operations can be paid in' }),
    tokenMarkup: count({
      maximum: 100_000,
      default: 500,
      unit: 'bp',
      description: 'added to what an operation costs when it is paid in a token',
    }),
    paymasterUnstakeDelay: count({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      default: 86_400,
      unit: 's',
      description: 'unstake delay of the stakes of paymasters (ERC-7562: one day)',
    }),
  },
  strict,
)
