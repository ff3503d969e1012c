import { type Address, type Hex, parseEther } from 'viem'
import { createDeployments } from '../../src/paymaster/deployments.ts'
import type { WalletPart } from '../../src/paymaster/paymaster.ts'
import { createTenants } from '../../src/paymaster/tenants/tenants.ts'
import { createWalletSending } from '../../src/paymaster/wallet/sending.ts'
import type { WalletSettings } from '../../src/paymaster/wallet/settings.ts'
import { createWalletCalls } from '../../src/paymaster/wallet/wallet-calls.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { Caller } from '../../src/types/paymaster/tenant.ts'
import type { AuditEntry, Deployment } from '../../src/types/ports/paymaster-store.ts'
import type { OpenBundle } from '../../src/types/ports/submitter.ts'
import { fund } from './accounts.ts'
import { type DevChain, rpc } from './devChain.ts'
import { type OwnStore, ownStore } from './paymasterStore.ts'
import { type TestPaymaster, testPaymaster } from './paymasters.ts'
import { nodeOf, silentContext } from './simulation.ts'
import { type Bench, fees, startBench } from './submitter.ts'

/** The wallets' half of the paymaster service, over a submitter in this thread and a store on a file. */
export type WalletWorld = AsyncDisposable & {
  chain: DevChain
  shared: TestPaymaster
  service: WalletService
  /** As a kill -9 leaves it, and started again: the journal, the store and the chain stay. */
  restart(): Promise<WalletService>
  /** The same wallets with other settings. */
  variant(settings: Partial<WalletSettings>): WalletPart
  /** The same wallets, as if this were all that is stored of deployments. */
  knowing(deployment: Deployment | undefined): WalletPart
  tenant(balance?: bigint): Promise<Caller>
  audit(caller: Caller): Promise<readonly AuditEntry[]>
}

export type WalletService = { bench: Bench; calls: WalletPart }

const masterKey: Hex = `0x${'4d'.repeat(32)}`

export async function walletWorld(chain: DevChain): Promise<WalletWorld> {
  const own: OwnStore = await ownStore()
  const { store } = own
  const node = nodeOf(chain)
  const tenants = createTenants({ masterKey }, { store, now: Date.now })
  const shared = await testPaymaster(chain, 'sponsor', '0.6', 0n)
  const settings: WalletSettings = {
    ...{ chainId: chain.chainId, versions: entryPointVersions, sponsorPaymaster: shared.address },
    ...{ sponsorPaymasterSince: 0, unstakeDelay: 86_400, reorgDepth: 4 },
  }

  async function start(
    journal: readonly OpenBundle[],
  ): Promise<Pick<WalletWorld, 'service' | 'variant' | 'knowing'>> {
    const bench = await startBench(chain, [], { journal })
    const sending = createWalletSending(settings, {
      ...{ log: silentContext().log, wallets: bench.submitter, node, store, now: Date.now },
      fees: { quote: async () => fees },
      walletKey: tenants.walletKey,
    })
    const record = bench.host.bundleEvent
    bench.host.bundleEvent = async (event) => {
      sending.onEvent(event)
      await record(event)
    }
    const modules = { node, sending, deployments: createDeployments({ store }), now: Date.now }
    const variant = (changes: Partial<WalletSettings>) =>
      createWalletCalls({ ...settings, ...changes }, modules)
    const knowing: WalletWorld['knowing'] = (deployment) => {
      const deployments = { find: async () => deployment, add: async () => {} }
      return createWalletCalls(settings, { ...modules, deployments })
    }
    return { service: { bench, calls: variant({}) }, variant, knowing }
  }

  let running = await start([])
  const world: WalletWorld = {
    ...{ chain, shared },
    service: running.service,
    variant: (changes) => running.variant(changes),
    knowing: (deployment) => running.knowing(deployment),
    async restart() {
      const { submitter, host } = running.service.bench
      await submitter.stop()
      running = await start([...host.open.values()])
      world.service = running.service
      return running.service
    },
    async tenant(balance = parseEther('10')) {
      const terms = { scopes: ['admin'] as const, creditsPerMonth: undefined, creditsPerSecond: undefined }
      const { key, tenant } = await tenants.create('tenant', terms)
      await fund(chain, tenant.walletAddress, balance)
      return { key, tenant }
    },
    audit: ({ tenant }) => store.auditLog({ tenantId: tenant.id, limit: 100 }),
    async [Symbol.asyncDispose]() {
      await running.service.bench.submitter.stop()
      await node.close()
      await own[Symbol.asyncDispose]()
    },
  }
  return world
}

/** wei */
export async function balanceOf(chain: DevChain, address: Address): Promise<bigint> {
  return BigInt(await rpc<Hex>(chain.url, 'eth_getBalance', [address, 'latest']))
}
