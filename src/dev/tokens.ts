import { type Address, concatHex, encodeAbiParameters } from 'viem'
import * as devFeed from '../contracts/dev/artifacts/DevFeed.ts'
import * as devToken from '../contracts/dev/artifacts/DevToken.ts'
import type { PriceSettings } from '../paymaster/prices/open-price.ts'
import type { TokenSettings } from '../paymaster/tokens/token.ts'
import type { Deploy } from './deployer.ts'

/** What operations can be paid in on the development chain; anybody may mint the tokens and set the prices. */
export type DevMoney = { nativePrice: PriceSettings; tokens: [TokenSettings, TokenSettings] }

/** 10⁻⁸ US dollars */
const dollar = 100_000_000n
/** s; nobody renews the prices of a development chain */
const maxAge = 365 * 86_400
/** Of the native coin, in US dollars. */
const coinPrice = 2_500n

export async function deployMoney(deploy: Deploy): Promise<DevMoney> {
  const price = async (usd: bigint): Promise<PriceSettings> => {
    const argument = encodeAbiParameters([{ type: 'int256' }], [usd])
    return { kind: 'chainlink', feed: await deploy(concatHex([devFeed.bytecode, argument])), maxAge }
  }
  const token = async (symbol: string, decimals: number, usd: bigint): Promise<TokenSettings> => ({
    ...{ symbol, decimals, address: await deployToken(symbol, decimals), price: await price(usd) },
    onChainFeed: true,
  })
  const deployToken = (symbol: string, decimals: number): Promise<Address> => {
    const parameters = [{ type: 'string' }, { type: 'uint8' }]
    return deploy(concatHex([devToken.bytecode, encodeAbiParameters(parameters, [symbol, decimals])]))
  }
  return {
    nativePrice: await price(coinPrice * dollar),
    tokens: [await token('USDX', 6, dollar), await token('GLD', 18, 20n * dollar)],
  }
}
