import { Type } from '@sinclair/typebox'
import { type Address, getAddress, isAddress } from 'viem'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { feeFields, formatFees, formatGas, gasFields } from '../format/paymaster.ts'
import { ChecksumAddress, Quantity, quantity } from '../format/wire.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'
import { definePaymasterMethod } from '../paymaster/method.ts'
import { ApiKeyParam, ChainIdParam } from '../paymaster/params.ts'

/** More tokens than any wallet shows. */
const mostTokens = 100

const TokensParam = Type.Array(Type.Object({ token: Type.String({ maxLength: 100 }) }), {
  maxItems: mostTokens,
  expected: `at most ${mostTokens} of {token: address}`,
  description: 'tokens: {token: address}',
})

/** What tokens are worth and what the operation needs; a token that is not taken does not fail the others. */
export const pm_getERC20TokenQuotes = definePaymasterMethod({
  name: 'pm_getERC20TokenQuotes',
  price: 200,
  params: {
    userOperation: UserOperationParam,
    entryPoint: EntryPointParam,
    tokens: TokensParam,
    chainId: ChainIdParam,
    apiKey: ApiKeyParam,
  },
  result: Type.Object({
    etherUSDExchangeRate: Quantity,
    paymasterAddress: ChecksumAddress,
    gasEstimates: Type.Object(gasFields),
    feeEstimates: Type.Object(feeFields),
    quotes: Type.Array(
      Type.Object({
        token: ChecksumAddress,
        symbol: Type.String(),
        decimals: Type.Integer(),
        etherTokenExchangeRate: Quantity,
        serviceFeePercent: Type.Number(),
      }),
    ),
    unsupportedTokens: Type.Array(Type.Object({ token: Type.String() })),
  }),
  async handler({ userOperation, entryPoint, tokens }, { caller, paymaster }) {
    const op = parseUserOperation(userOperation, servedVersion(entryPoint, paymaster, 'params[1]'), 'partial')
    const given = [...new Set(tokens.map(({ token }) => token))]
    const addresses = [...new Set(given.filter(isAnyAddress).map((token) => getAddress(token)))]
    const found = await paymaster.quotes({ caller, op, tokens: addresses })
    const malformed = given.filter((token) => !isAnyAddress(token))
    return {
      etherUSDExchangeRate: quantity(found.etherUSDExchangeRate),
      paymasterAddress: getAddress(found.paymasterAddress),
      gasEstimates: formatGas(found.gasEstimates),
      feeEstimates: formatFees(found.feeEstimates),
      quotes: found.quotes.map((quote) => ({
        token: getAddress(quote.token),
        symbol: quote.symbol,
        decimals: quote.decimals,
        etherTokenExchangeRate: quantity(quote.etherTokenExchangeRate),
        serviceFeePercent: quote.serviceFeePercent,
      })),
      unsupportedTokens: [...found.unsupportedTokens, ...malformed].map((token) => ({ token })),
    }
  },
})

/** In whatever case. */
const isAnyAddress = (token: string): token is Address => isAddress(token, { strict: false })
