import type { Hex } from 'viem'
import { describe, Unavailable } from '../../../base/errors.ts'
import { persist } from '../../../base/persist.ts'
import { KeyedMutex } from '../../../base/queue.ts'
import type { FeeQuote, Head } from '../../../types/block.ts'
import { newFundingId } from '../../../types/funding.ts'
import type {
  BundleEvent,
  Funding,
  FundingReport,
  FundingView,
  OpenBundle,
  RelayerView,
  Shortage,
  SubmitterChain,
} from '../../../types/ports/submitter.ts'
import { type ChainModules, type ChainSubmitter, openChain } from '../chain-submitter.ts'
import { planTopUps } from './plan.ts'
import { createSpending } from './spending.ts'
import { sumOf, type Transfer, transfersOf } from './transfer.ts'

/** Tops up the relayers of a chain from the funding account. */
export type Funder = Pick<ChainSubmitter, 'onHead' | 'close'> & { report(): FundingReport }

/** gas that stays with the funding account for paying a top-up: more than it needs, also on rollups */
const gasReserve = { once: 100_000n, eachRelayer: 60_000n }
/** An estimate is of this moment; a relayer's first coin costs more than its second. */
const gasMargin = { numerator: 5n, denominator: 4n }
/** times the market's price that a top-up may come to cost before it waits for a better one */
const feeHeadroom = 10n
/** ms until what could not be paid is looked at again: somebody has to help. */
const pauseWhenShort = 10_000
/** ms without a further attempt after one that came to nothing on chain, which cost its gas */
const pauseAfterFailure = 600_000

type Modules = ChainModules & { relayers: () => readonly RelayerView[] }

/**
 * The funding account is a nonce line like a relayer's: journaled before it is sent, sent again as it is after a
 * crash, replaced when it is stuck, followed through reorgs. A top-up is decided only when nothing of the account is
 * under way, by balances of a block that has all of its transactions: so nobody is topped up twice.
 * @throws Unavailable when the node cannot be asked: nothing was changed
 */
export async function openFunder(
  { chain, funding, journal }: { chain: SubmitterChain; funding: Funding; journal: readonly OpenBundle[] },
  modules: Modules,
): Promise<Funder> {
  const { node, balances, host, relayers, signal, now } = modules
  const { chainId, multicall } = chain
  const log = modules.log.with({ chain: chainId })
  const spending = createSpending(funding.journaled)
  const exclusive = new KeyedMutex()
  let shortage: Shortage = 'none'
  let isOpen = false
  let minedAt = 0
  let pausedUntil = 0
  let published: FundingView | undefined

  const line = await openChain(
    {
      chain: {
        ...chain,
        relayerKeys: [funding.key],
        minSignerBalance: 0n,
        funding: undefined,
        accessList: false,
      },
      journal,
    },
    {
      ...modules,
      host: {
        // One by one: the other thread's host has no fields to spread.
        journal: (argument) => host.journal(argument),
        settle: (argument) => host.settle(argument),
        fundingChanged: (argument) => host.fundingChanged(argument),
        bundleEvent,
        async relayersChanged() {
          if (isOpen) await publish()
        },
      },
    },
  )
  isOpen = true
  await publish()
  return {
    onHead: (argument) => exclusive.run('head', () => onHead(argument)),
    report: () => ({ ...viewOf(), open: line.report()[0]?.open ?? [] }),
    close: line.close,
  }

  async function onHead(argument: Parameters<Funder['onHead']>[0]): Promise<void> {
    await line.onHead(argument)
    try {
      await topUp(argument.head, argument.fees)
    } catch (error) {
      log.warn('relayers not topped up', { block: argument.head.number, error: describe(error) })
    }
    await publish()
  }

  async function topUp(head: Head, fees: FeeQuote): Promise<void> {
    const own = accountOf()
    const needy = relayers().filter(({ balance }) => balance < funding.below)
    if (needy.length === 0) shortage = 'none'
    if (needy.length === 0 || own.state !== 'idle') return
    if (head.number < minedAt || now() < pausedUntil) return
    const accounts = [own.address, ...needy.map(({ address }) => address)]
    const [ownBalance, ...found] = await balances.read(
      accounts.map((account) => ({ account })),
      head,
    )
    const known = needy.flatMap(({ address }, index) => {
      const balance = found[index]
      return balance === undefined ? [] : [{ address, balance }]
    })
    const reserve = (gasReserve.once + gasReserve.eachRelayer * BigInt(known.length)) * fees.maxFeePerGas
    const plan = planTopUps(known, {
      ...funding,
      allowed: positive(funding.dailyLimit - spending.total(now())),
      available: positive((ownBalance ?? 0n) - reserve),
    })
    if (plan.shortage !== shortage && plan.shortage !== 'none')
      log.warn('top-ups are short', { reason: plan.shortage, relayers: known.length })
    shortage = plan.shortage
    if (plan.grants.length === 0) {
      pausedUntil = now() + pauseWhenShort
      return
    }
    const transfers = transfersOf(plan.grants, (await balances.hasMulticall()) ? multicall : undefined)
    for (const transfer of transfers) {
      const gas = await estimate(transfer)
      if (gas !== undefined) return pay(transfer, gas, fees)
    }
    pausedUntil = now() + pauseWhenShort
  }

  /** `undefined` for what would revert. @throws Unavailable */
  async function estimate({ to, data, value }: Transfer): Promise<bigint | undefined> {
    const transaction = { from: accountOf().address, to, data, value: `0x${value.toString(16)}` }
    try {
      const gas = BigInt(await node.request<Hex>('eth_estimateGas', [transaction]))
      return (gas * gasMargin.numerator) / gasMargin.denominator
    } catch (error) {
      if (error instanceof Unavailable) throw error
      log.warn('top-up not possible', { to, error: describe(error) })
      return undefined
    }
  }

  async function pay({ to, data, value, grants }: Transfer, gasLimit: bigint, fees: FeeQuote): Promise<void> {
    const bundleId = newFundingId()
    spending.add(bundleId, value, now())
    const ceiling = {
      maxFeePerGas: fees.maxFeePerGas * feeHeadroom,
      maxPriorityFeePerGas: fees.maxFeePerGas * feeHeadroom,
    }
    const { transactionHash } = await line.submit({
      ...{ chainId, bundleId, relayer: accountOf().address, to, data, value, gasLimit, fees, ceiling },
      ...{ operations: [], authorizations: [] },
    })
    log.info('relayers are being topped up', {
      ...{
        transaction: transactionHash,
        amount: sumOf(grants),
        relayers: grants.map(({ address }) => address),
      },
    })
  }

  /** Nobody else is told: it is no bundle. */
  async function bundleEvent(event: BundleEvent): Promise<void> {
    switch (event.kind) {
      case 'mined': {
        const { transactionHash, block, cost, reverted } = event
        minedAt = block.number
        if (reverted) pausedUntil = now() + pauseAfterFailure
        log.info('top-up mined', { transaction: transactionHash, block: block.number, cost, reverted })
        return
      }
      case 'abandoned':
        log.warn('top-up abandoned', { reason: event.reason })
        pausedUntil = now() + pauseAfterFailure
        // After a reorg what was cancelled may still be mined: it goes on counting.
        if (event.cost === undefined) spending.remove(event.bundleId)
        return
      default:
        return
    }
  }

  function accountOf(): RelayerView {
    const [own] = line.views()
    if (own === undefined) throw new Unavailable('the funding account is not open')
    return own
  }

  function viewOf(): FundingView {
    return { ...accountOf(), spent: spending.total(now()), dailyLimit: funding.dailyLimit, shortage }
  }

  async function publish(): Promise<void> {
    const view = viewOf()
    if (Bun.deepEquals(view, published)) return
    published = view
    await persist('tell the funding account', () => host.fundingChanged({ chainId, funding: view }), {
      ...{ signal, log },
    })
  }
}

const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n)
