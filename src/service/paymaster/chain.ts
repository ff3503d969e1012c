import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Context } from '../../base/context.ts'
import { persist } from '../../base/persist.ts'
import type { Bundler } from '../../bundler/bundler.ts'
import { createCoverage } from '../../bundler/coverage.ts'
import type { EventScan } from '../../chain/scan.ts'
import { createPaymaster } from '../../paymaster/paymaster.ts'
import { openDebtors } from '../../paymaster/sponsor/debtors.ts'
import { estimateWithPaymasters } from '../../paymaster/sponsor/estimate.ts'
import { createWalletSending } from '../../paymaster/wallet/sending.ts'
import { createWalletCalls } from '../../paymaster/wallet/wallet-calls.ts'
import type { BlockRef, HeadChange } from '../../types/block.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { BundlerPort } from '../../types/ports/bundler.ts'
import type { FeeOracle, HeadSource, NodeClient } from '../../types/ports/chain.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { StorePort } from '../../types/ports/store.ts'
import type { WalletsPort } from '../../types/ports/wallets.ts'
import { lookInterval, lookOut, present } from './lookout.ts'
import { nameOf } from './operators.ts'
import { createPayments, indexedPayments } from './payments.ts'
import type { Paymasters } from './service.ts'
import {
  type ChainPaymasterSettings,
  type OwnPaymasters,
  ownPaymasters,
  paymasterSettings,
  plannedPaymasters,
  walletSettings,
} from './settings.ts'

export type ChainPaymaster = {
  /** From now on clients may reach it. */
  serve(): void
  /** The bundler's, with the real cost of the operator's paymasters. */
  estimate: BundlerPort['estimate']
  /** To be told of every head after the block index has it. */
  onHead(change: HeadChange): Promise<void>
}

type Modules = Context & {
  paymasters: Paymasters
  bundler: Bundler
  wallets: WalletsPort
  node: NodeClient
  heads: HeadSource
  fees: FeeOracle
  store: StorePort & PaymasterStorePort
  scan: EventScan
  isCanonical: (block: BlockRef) => Promise<boolean>
  signal: AbortSignal
  now: () => number
}

/** The paymaster service of one chain. Waits for its nodes as long as it takes. */
export async function openChainPaymaster(
  settings: ChainPaymasterSettings,
  modules: Modules,
): Promise<ChainPaymaster> {
  const { paymasters, bundler, heads, store, signal, log } = modules
  const { books, tenants, ports, walletEars } = paymasters
  const { chainId, versions, head, reorgDepth, paymasterKey } = settings
  const waiting = { signal, log }
  const planned = plannedPaymasters(settings)
  let there = await persist('look for paymasters', () => present(planned, modules.node), waiting)
  const missing = planned.filter((paymaster) => !there.includes(paymaster))
  for (const paymaster of missing)
    log.warn('not deployed: run tandem paymaster deploy', {
      paymaster: nameOf(paymaster),
      address: paymaster.deployment.address,
    })
  const tokenPaymasters = Object.values(ownPaymasters(planned).tokenPaymasters)
  const debtors = await openDebtors({ chainId, tokenPaymasters }, modules)
  const limit = settings.receiptLookupRange
  const served = { chainId, entryPoints: versions.map((version) => entryPoints[version].address) }
  const indexed = indexedPayments(served, { store })
  const isIndexed = createCoverage({ chainId, limit }, { store, heads })
  const payments = createPayments(served, { ...modules, indexed, isIndexed })
  const onHead = await books.follow({
    ...{ chainId, reorgDepth, head, isCanonical: modules.isCanonical },
    async payments(from, to) {
      const events = await payments(from, to)
      await debtors.look(events)
      return events
    },
  })
  const sending = createWalletSending({ chainId }, { ...modules, walletKey: tenants.walletKey })
  walletEars.set(chainId, sending.onEvent)
  let service = await serviceWith(ownPaymasters(there))

  return {
    serve() {
      ports.set(chainId, service.port)
      lookOut({ missing, interval: lookInterval }, { ...modules, log }, async (found) => {
        there = [...there, ...found]
        service = await serviceWith(ownPaymasters(there))
        ports.set(chainId, service.port)
      })
    },
    estimate: (op, overrides) => service.estimate(op, overrides),
    onHead,
  }

  async function serviceWith(own: OwnPaymasters): Promise<{
    port: PaymasterPort
    estimate: BundlerPort['estimate']
  }> {
    const newest = heads.current?.number ?? head.number
    const { sponsorPaymaster } = own
    const ofWallets = await walletSettings(settings, { sponsorPaymaster, newest }, modules)
    const port = createPaymaster(
      { ...paymasterSettings(settings), ...own },
      {
        ...modules,
        ...paymasters,
        transactions: createWalletCalls(ofWallets, { ...modules, ...paymasters, sending }),
        debtors,
        rehearse: bundler.rehearse,
        wallet: tenants.wallet,
        // Without a key there is no token paymaster that asks for it.
        tokenSigner: privateKeyToAccount(paymasterKey ?? generatePrivateKey()),
        chainsSupported: () => [...ports.keys()],
      },
    )
    return { port, estimate: estimateWithPaymasters(own, bundler) }
  }
}
