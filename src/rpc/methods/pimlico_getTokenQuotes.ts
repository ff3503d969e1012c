import { Type } from '@sinclair/typebox'
import { getAddress } from 'viem'
import { paymasterGas } from '../../contracts/paymaster/gas.ts'
import { AddressSchema } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { ChecksumAddress, Quantity, quantity } from '../format/wire.ts'
import { EntryPointParam } from '../params.ts'
import { definePaymasterMethod } from '../paymaster/method.ts'
import { ApiKeyParam, ChainIdParam } from '../paymaster/params.ts'

/** Its clients have US dollars with 6 decimals; we have 8. */
const usdUnit = 100n
/** Percent are hundredths here, so that fees with two fraction digits are exact. */
const percentUnit = 100

/** `pm_getERC20TokenQuotes` without an operation, in the shape that Pimlico's clients know. */
export const pimlico_getTokenQuotes = definePaymasterMethod({
  name: 'pimlico_getTokenQuotes',
  price: 200,
  params: {
    tokens: Type.Object(
      { tokens: Type.Array(AddressSchema, { maxItems: 100 }) },
      { expected: '{tokens: addresses}', description: '{tokens: addresses}' },
    ),
    entryPoint: EntryPointParam,
    chainId: ChainIdParam,
    apiKey: ApiKeyParam,
  },
  chainIdFirst: true,
  result: Type.Object({
    quotes: Type.Array(
      Type.Object({
        paymaster: ChecksumAddress,
        token: ChecksumAddress,
        postOpGas: Quantity,
        exchangeRate: Quantity,
        exchangeRateNativeToUsd: Quantity,
      }),
    ),
  }),
  async handler({ tokens: { tokens }, entryPoint }, { paymaster }) {
    const version = servedVersion(entryPoint, paymaster, 'params[1]')
    const addresses = [...new Set(tokens.map((token) => getAddress(token)))]
    const { paymasterAddress, etherUSDExchangeRate, quotes } = await paymaster.rates({
      version,
      tokens: addresses,
    })
    return {
      quotes: quotes.map(({ token, etherTokenExchangeRate, serviceFeePercent }) => ({
        paymaster: getAddress(paymasterAddress),
        token: getAddress(token),
        postOpGas: quantity(paymasterGas.token.postOp),
        exchangeRate: quantity(withFee(etherTokenExchangeRate, serviceFeePercent)),
        exchangeRateNativeToUsd: quantity(etherUSDExchangeRate / usdUnit),
      })),
    }
  },
})

/** Its clients know of no fee beside the rate. Rounded up: they approve what they reckon with it. */
function withFee(rate: bigint, percent: number): bigint {
  const whole = BigInt(100 * percentUnit)
  return (rate * (whole + BigInt(Math.ceil(percent * percentUnit))) + whole - 1n) / whole
}
