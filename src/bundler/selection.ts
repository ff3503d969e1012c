import { gasCapAt } from '../gas/gas-cap.ts'
import type { FeeQuote, Head } from '../types/block.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { GasInBundle } from '../types/gas.ts'
import type { PoolEntry, PoolPort } from '../types/ports/pool.ts'
import type { UserOperation } from '../types/userop.ts'
import { marketPriorityFee } from './bundle-fees.ts'
import { createTurns } from './turns.ts'

export type SelectionSettings = {
  /** operations */
  bundleSize: number
  /** gas that a bundle transaction may ask for */
  transactionGasCap: bigint
  /** bytes of its calldata */
  transactionBytesCap: number
  /** gas added to a bundle's computed limit */
  bundleGasLimitMarkup: bigint
  /** basis points that fees may be below the recommended ones */
  enforceGasPriceThreshold: number
  /** wei */
  minPriorityFee: bigint
}

/** What waits in line for a relayer: the operations of an EntryPoint, and those that failed a check, one by one. */
type Line = EntryPointVersion | 'suspects'

/** Operations of one EntryPoint that may go together. */
export type Selection = { line: Line; pool: PoolPort; entries: readonly PoolEntry[] }

/**
 * Bytes of a transaction around its operations, at most: 100 of calldata, 150 of its own fields, the rest for
 * authorizations. Nodes measure the whole.
 */
const envelopeBytes = 2048

/** ms between bundles that are open to what pays less than the market, where there is always what pays it. */
const cheapTurn = 60_000
/**
 * Basis points below the market that may join then. Half of the usual tip is mined soon enough; much less might not be
 * at all, and would hold up the relayer, which may be the only one.
 */
const cheapTolerance = 5000

/**
 * Chooses what goes into the next bundle. What pays the market's price does not wait for what pays less, nor pay for
 * it. But where there is always some of it, what pays half may join it every `cheapTurn`, as far as there is room.
 */
export function createSelection(
  settings: SelectionSettings,
  modules: {
    pools: ReadonlyMap<EntryPointVersion, PoolPort>
    /** The most gas that an operation adds to its bundle. */
    gasInBundle: (op: UserOperation) => GasInBundle
    /** gas of a bundle before its first operation */
    emptyBundleGas: bigint
    now: () => number
  },
): (quote: FeeQuote, head: Head) => Selection | undefined {
  const { pools, now } = modules
  const { minPriorityFee } = settings
  /** When a bundle was last open to what pays less than the market. */
  let cheapServedAt = now()
  const takeTurns = createTurns<Line>()

  return (quote, head) => {
    const isCheapTurn = now() - cheapServedAt >= cheapTurn
    const tolerance = isCheapTurn ? cheapTolerance : settings.enforceGasPriceThreshold
    const selected = selectBest(quote, head, atLeast(marketPriorityFee(quote, tolerance)))
    if (selected === undefined || isCheapTurn) cheapServedAt = now()
    return selected ?? selectBest(quote, head, minPriorityFee)
  }

  function atLeast(priorityFee: bigint): bigint {
    return priorityFee > minPriorityFee ? priorityFee : minPriorityFee
  }

  function selectBest(quote: FeeQuote, head: Head, leastPriorityFee: bigint): Selection | undefined {
    const gasCap = gasCapAt(head, settings.transactionGasCap)
    const options = {
      ...{ timestamp: head.timestamp, leastPriorityFee, now: now(), baseFee: quote.baseFee },
      gasOf: modules.gasInBundle,
      maxGas: gasCap - modules.emptyBundleGas - settings.bundleGasLimitMarkup,
      maxBytes: settings.transactionBytesCap - envelopeBytes,
      maxOperations: settings.bundleSize,
    }
    const selections: Selection[] = []
    let oldest: Selection | undefined
    for (const pool of pools.values()) {
      if (pool.size === 0) continue
      const entries = pool.select(options)
      if (entries.length > 0) selections.push({ line: pool.version, pool, entries })
      const suspect = pool.suspect(options)
      if (suspect !== undefined && suspect.receivedAt < (oldest?.entries[0]?.receivedAt ?? Infinity))
        oldest = { line: 'suspects', pool, entries: [suspect] }
    }
    return takeTurns(oldest === undefined ? selections : [...selections, oldest])
  }
}
