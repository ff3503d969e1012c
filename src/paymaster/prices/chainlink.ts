import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { NodeClient } from '../../types/ports/chain.ts'
import { type PriceSource, priceDecimals } from './price-source.ts'
import { PriceUnavailable } from './price-unavailable.ts'

const abi = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function decimals() view returns (uint8)',
])

/**
 * A Chainlink feed (AggregatorV3Interface) in US dollars.
 * @param options.maxAge s; feeds name their heartbeat, to which a margin belongs
 */
export function chainlinkPrice(
  { feed, maxAge }: { feed: Address; maxAge: number },
  { node, now }: { node: NodeClient; now: () => number },
): PriceSource {
  let decimals: Promise<number> | undefined

  return async () => {
    try {
      decimals ??= readDecimals().catch((error) => {
        decimals = undefined
        throw error
      })
      const [digits, round] = await Promise.all([decimals, readRound()])
      const [, answer, , updatedAt] = round
      if (answer <= 0n) throw new PriceUnavailable(`price feed ${feed} answers ${answer}`)
      const at = Number(updatedAt)
      if (at + maxAge < now() / 1000) throw new PriceUnavailable(`price feed ${feed} is stale`)
      const usd = scaled(answer, digits)
      if (usd === 0n) throw new PriceUnavailable(`price feed ${feed} answers less than can be told`)
      return { usd, at }
    } catch (error) {
      if (error instanceof PriceUnavailable) throw error
      throw new PriceUnavailable(`price feed ${feed}`, { cause: error })
    }
  }

  async function readRound() {
    const data = await call(encodeFunctionData({ abi, functionName: 'latestRoundData' }))
    return decodeFunctionResult({ abi, functionName: 'latestRoundData', data })
  }

  async function readDecimals(): Promise<number> {
    const data = await call(encodeFunctionData({ abi, functionName: 'decimals' }))
    return decodeFunctionResult({ abi, functionName: 'decimals', data })
  }

  function call(data: Hex): Promise<Hex> {
    return node.requestAt<Hex>('eth_call', [{ to: feed, data }], 'latest')
  }
}

function scaled(answer: bigint, decimals: number): bigint {
  const shift = decimals - priceDecimals
  return shift >= 0 ? answer / 10n ** BigInt(shift) : answer * 10n ** BigInt(-shift)
}
