import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Context } from '../../base/context.ts'
import { describe } from '../../base/errors.ts'
import { persist } from '../../base/persist.ts'
import type { Bundler } from '../../bundler/bundler.ts'
import { createCoverage } from '../../bundler/coverage.ts'
import type { EventScan } from '../../chain/scan.ts'
import type { ChainSettings } from '../../config/schema.ts'
import { createPaymaster, type WalletPart } from '../../paymaster/paymaster.ts'
import type { PaymasterSettings } from '../../paymaster/settings.ts'
import { createDebtors, type Debtors } from '../../paymaster/sponsor/debtors.ts'
import type { BlockRef, HeadChange } from '../../types/block.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { HeadSource, NodeClient } from '../../types/ports/chain.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { StorePort } from '../../types/ports/store.ts'
import { isDeployed, nameOf, operatorPaymasters } from './operators.ts'
import { createPayments, indexedPayments, type Payments, piece } from './payments.ts'
import type { Paymasters } from './service.ts'

export type ChainPaymaster = {
  port: PaymasterPort
  /** To be told of every head after the block index has it. */
  onHead(change: HeadChange): Promise<void>
}

type Modules = Context & {
  paymasters: Paymasters
  bundler: Bundler
  transactions: WalletPart
  node: NodeClient
  heads: HeadSource
  store: StorePort & PaymasterStorePort
  scan: EventScan
  isCanonical: (block: BlockRef) => Promise<boolean>
  signal: AbortSignal
  now: () => number
}

/** Blocks below the newest that are searched for senders who left us unpaid: two weeks of Ethereum. */
const lookBack = 100_000

/** The paymaster service of one chain. @param settings.head the newest block now. Waits for its nodes as long as it takes. */
export async function openChainPaymaster(
  settings: ChainSettings & { chainId: number; versions: readonly EntryPointVersion[]; head: BlockRef },
  modules: Modules,
): Promise<ChainPaymaster> {
  const { paymasters, bundler, node, heads, store, signal, log } = modules
  const { chainId, versions, head, reorgDepth, paymasterKey } = settings
  const waiting = { signal, log }
  const own = await persist('look for paymasters', () => ownPaymasters(settings, modules), waiting)
  const debtors = createDebtors({ tokenPaymasters: Object.values(own.tokenPaymasters) }, { node, log })
  const limit = settings.receiptLookupRange
  const served = { chainId, entryPoints: versions.map((version) => entryPoints[version].address) }
  const indexed = indexedPayments(served, { store })
  const isIndexed = createCoverage({ chainId, limit }, { store, heads })
  const payments = createPayments(served, { ...modules, indexed, isIndexed })
  const { books, tenants, ports } = paymasters
  const onHead = await books.follow({
    ...{ chainId, reorgDepth, head, isCanonical: modules.isCanonical },
    async payments(from, to) {
      const events = await payments(from, to)
      await debtors.look(events)
      return events
    },
  })
  const port = createPaymaster(
    { ...paymasterSettings(settings), ...own },
    {
      ...modules,
      ...paymasters,
      debtors,
      simulate: bundler.judge,
      wallet: tenants.wallet,
      // Without a key there is no token paymaster that asks for it.
      tokenSigner: privateKeyToAccount(paymasterKey ?? generatePrivateKey()),
      chainsSupported: () => [...ports.keys()],
    },
  )
  void findDebtors(head.number, { debtors, indexed, signal }).catch((error) => {
    if (!signal.aborted) log.warn('senders who left us unpaid not looked for', { error: describe(error) })
  })
  return { port, onHead }
}

/** What stands on the chain of what the operator has there. @throws Unavailable */
async function ownPaymasters(
  { paymasterKey, versions, tokens }: Parameters<typeof openChainPaymaster>[0],
  { node, log }: Pick<Modules, 'node' | 'log'>,
): Promise<Pick<PaymasterSettings, 'sponsorPaymaster' | 'tokenPaymasters'>> {
  const planned = paymasterKey === undefined ? [] : operatorPaymasters({ paymasterKey, versions, tokens })
  let sponsorPaymaster: Address | undefined
  const tokenPaymasters: Partial<Record<EntryPointVersion, Address>> = {}
  for (const paymaster of planned) {
    const { address } = paymaster.deployment
    if (!(await isDeployed(address, node)))
      log.warn('not deployed: run tandem paymaster deploy', { paymaster: nameOf(paymaster), address })
    else if (paymaster.plan.kind === 'sponsor') sponsorPaymaster = address
    else tokenPaymasters[paymaster.plan.version] = address
  }
  return { sponsorPaymaster, tokenPaymasters }
}

/** 1e6 is all of the cost, a basis point 100 */
const wholeMarkup = 1_000_000

function paymasterSettings(
  settings: Parameters<typeof openChainPaymaster>[0],
): Omit<PaymasterSettings, 'sponsorPaymaster' | 'tokenPaymasters'> {
  const { chainId, versions, sponsorName, sponsorIcon, tokens, tokenMarkup, nativePrice } = settings
  if (nativePrice === undefined) throw new Error(`chain ${chainId}: nativePrice is missing`)
  const sponsor = { name: sponsorName, icon: sponsorIcon }
  return { chainId, versions, sponsor, tokens, priceMarkup: wholeMarkup + 100 * tokenMarkup, nativePrice }
}

/** From what the index still has, a few blocks after the other, so that it is in nobody's way. */
async function findDebtors(
  newest: number,
  { debtors, indexed, signal }: { debtors: Debtors; indexed: Payments; signal: AbortSignal },
): Promise<void> {
  for (let from = Math.max(0, newest - lookBack); from <= newest && !signal.aborted; from += piece)
    await debtors.look(await indexed(from, Math.min(newest, from + piece - 1)))
}
