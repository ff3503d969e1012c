import { parseEther } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { createDeployments } from '../../src/paymaster/deployments.ts'
import { type Books, openBooks } from '../../src/paymaster/ledger/books.ts'
import { createPaymaster, type PaymasterModules, type WalletPart } from '../../src/paymaster/paymaster.ts'
import { loadPolicies, type Policies } from '../../src/paymaster/policies/policies.ts'
import type { PriceSettings } from '../../src/paymaster/prices/open-price.ts'
import type { PaymasterSettings } from '../../src/paymaster/settings.ts'
import { type Debtors, openDebtors } from '../../src/paymaster/sponsor/debtors.ts'
import { estimateWithPaymasters } from '../../src/paymaster/sponsor/estimate.ts'
import type { Store } from '../../src/store/protocol.ts'
import { userOperationHash } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { PaymasterContext } from '../../src/types/paymaster/context.ts'
import type { Caller } from '../../src/types/paymaster/tenant.ts'
import type { BundlerPort } from '../../src/types/ports/bundler.ts'
import type { NodeClient } from '../../src/types/ports/chain.ts'
import type { PaymasterPort, SponsorRequest } from '../../src/types/ports/paymaster.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { createNodeEngine } from '../../src/validation/node-engine.ts'
import { fund, sign, signedOperation, type TestAccount } from './accounts.ts'
import { hash } from './builders.ts'
import { type DevChain, startDevChain } from './devChain.ts'
import { ownStore } from './paymasterStore.ts'
import { newKey, nonceOf, type TestPaymaster, testPaymaster } from './paymasters.ts'
import { latestBlock, nodeOf, silentContext } from './simulation.ts'
import { type TestContract, tokenMaker } from './tokens.ts'

/** 1 coin = 2,000 US dollars; 10⁻⁸ */
export const coinPrice = 200_000_000_000n
/** 1 token = 50 cents, 6 digits: 4,000 tokens for a coin */
export const tokenPrice = 50_000_000n
export const tokenRate = 4_000_000_000n
export const priceMarkup = 1_100_000

/** One chain with the operator's paymasters and a token, and a paymaster service over real contracts and a store. */
export type PaymasterWorld = AsyncDisposable & {
  chain: DevChain
  node: NodeClient
  store: Store
  books: Books
  policies: Policies
  debtors: Debtors
  shared: TestPaymaster
  tokenPaymasters: Record<EntryPointVersion, TestPaymaster>
  token: TestContract
  /** ms since 1970, as the service sees it: the chain's time unless a test sets it. */
  clock: { now: number }
  paymaster: PaymasterPort
  /** As a wallet gets it from the bundler beside the service. */
  estimate: BundlerPort['estimate']
  /** Another service over the same store and chain. */
  variant(settings: Partial<PaymasterSettings>, modules?: Partial<PaymasterModules>): PaymasterPort
  /** A new tenant. Its wallet has coins. */
  tenant(): Promise<TestTenant>
  /** A verifying paymaster of its own, with a deposit. */
  deployFor(tenant: TestTenant, version: EntryPointVersion, deposit?: bigint): Promise<TestPaymaster>
  /** An operation without a paymaster, as a wallet has it before it asks. */
  operation(account: TestAccount, changes?: Partial<UserOperation>): Promise<UserOperation>
  /** With the account's signature. */
  signedBy(account: TestAccount, op: UserOperation): Promise<UserOperation>
}

export type TestTenant = { caller: Caller; wallet: PrivateKeyAccount }

const notServed = async (): Promise<never> => {
  throw new Error('this half is not tested here')
}
const noTransactions: WalletPart = {
  ...{ whitelist: notServed, removeFromWhitelist: notServed, isWhitelisted: notServed },
  ...{ whitelisted: notServed, deposit: notServed, withdraw: notServed, addStake: notServed },
  ...{ deploy: notServed, mined: notServed },
}

export async function paymasterWorld(): Promise<PaymasterWorld> {
  const chain = await startDevChain()
  const own = await ownStore()
  const { store } = own
  const node = nodeOf(chain)
  const asked = { required: { minStake: 0n, minUnstakeDelay: 0 }, rules: { precompiles: new Map() } }
  const engine = createNodeEngine(asked, { node, tracers: [] })
  const clock = { now: 1000 * (await latestBlock(chain)).timestamp }
  const now = () => clock.now
  const [policies, books] = [
    await loadPolicies({ store, now }),
    await openBooks({ signal: new AbortController().signal }, { ...silentContext(), store }),
  ]
  const shared = await testPaymaster(chain, 'sponsor', '0.6', 0n)
  const tokenPaymasters = {
    '0.6': await testPaymaster(chain, 'token', '0.6'),
    '0.7': await testPaymaster(chain, 'token', '0.7'),
    '0.8': await testPaymaster(chain, 'token', '0.8'),
  }
  const token = await (await tokenMaker(chain))('PlainToken', 6)
  const operator = newKey()
  for (const paymaster of Object.values(tokenPaymasters))
    await paymaster.write('setSigner', [operator.address])
  const addresses = {
    '0.6': tokenPaymasters['0.6'].address,
    '0.7': tokenPaymasters['0.7'].address,
    '0.8': tokenPaymasters['0.8'].address,
  }
  const debtors = await openDebtors(
    { chainId: chain.chainId, tokenPaymasters: Object.values(addresses) },
    { ...silentContext(), node, store },
  )
  const heads = await followed()
  const wallets = new Map<string, PrivateKeyAccount>()
  const deployments = createDeployments({ store })
  const fixed = (usd: bigint): PriceSettings => ({ kind: 'fixed', usd })

  const settings: PaymasterSettings = {
    chainId: chain.chainId,
    versions: entryPointVersions,
    sponsor: { name: 'Tandem', icon: undefined },
    sponsorPaymaster: shared.address,
    tokenPaymasters: addresses,
    tokens: [
      { symbol: 'PLN', address: token.address, decimals: 6, price: fixed(tokenPrice), onChainFeed: false },
    ],
    priceMarkup,
    nativePrice: fixed(coinPrice),
  }
  const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const modules: PaymasterModules = {
    ...silentContext(),
    ...{ node, store, books, policies, deployments, debtors, heads, now },
    bundler: {
      hash: async (op) => userOperationHash(op, chain.chainId),
      gasPrice: async () => ({ baseFee: 1_000_000_000n, legacy: false, ...fees }),
      async estimate(op, stateOverrides) {
        await heads.refresh()
        const { chainId } = chain
        const block = heads.current
        const limits = await engine.estimate({ chainId, op, block, nonceSequence: undefined, stateOverrides })
        return { ...limits, ...fees, preVerificationGas: 100_000n }
      },
    },
    async rehearse(op) {
      await heads.refresh()
      return engine.rehearse({ chainId: chain.chainId, op, block: heads.current, nonceSequence: undefined })
    },
    wallet: ({ id }) => wallets.get(id) ?? newKey(),
    tokenSigner: operator,
    chainsSupported: () => [chain.chainId],
    transactions: noTransactions,
  }

  const world: PaymasterWorld = {
    ...{ chain, node, store, books, policies, debtors, shared, tokenPaymasters, token, clock },
    paymaster: createPaymaster(settings, modules),
    estimate: estimateWithPaymasters(settings, modules.bundler),
    variant: (changed, others = {}) =>
      createPaymaster({ ...settings, ...changed }, { ...modules, ...others }),

    async tenant() {
      const wallet = newKey()
      const id = wallet.address.slice(2, 18).toLowerCase()
      const at = { createdAt: 0 }
      const audit = { at: 0, tenantId: id, keyId: undefined, action: 'tenant.add', subject: id }
      const tenant = { id, name: id, walletAddress: wallet.address, encryptedKey: '0x', ...at } as const
      await store.addTenant({ tenant, audit })
      wallets.set(id, wallet)
      await fund(chain, wallet.address, parseEther('100'))
      const key: Caller['key'] = {
        ...{ id: `key of ${id}`, tenantId: id, hash: hash(1), hint: '', scopes: ['sponsor'], ...at },
        ...{ creditsPerMonth: undefined, creditsPerSecond: undefined, revokedAt: undefined },
      }
      return { wallet, caller: { tenant, key } }
    },

    async deployFor({ caller, wallet }, version, deposit = parseEther('1')) {
      const paymaster = await testPaymaster(chain, 'verifying', version, deposit)
      await paymaster.write('setSigner', [wallet.address])
      const { id: tenantId } = caller.tenant
      const place = { tenantId, chainId: chain.chainId, version, address: paymaster.address }
      const audit = { at: 0, tenantId, keyId: undefined, action: 'deploy', subject: paymaster.address }
      await deployments.add({ ...place, transactionHash: hash(1) }, audit)
      return paymaster
    },

    async operation(account, changes = {}) {
      const nonce = await nonceOf(chain, account)
      const own = { nonce, factory: undefined, factoryData: '0x', callData: '0x' } as const
      return signedOperation(chain, account, { ...own, verificationGasLimit: 200_000n, ...changes })
    },

    signedBy: (account, op) => sign(chain, account, op),

    async [Symbol.asyncDispose]() {
      await node.close()
      await own[Symbol.asyncDispose]()
      await chain.stop()
    },
  }
  return world

  /** The newest block, as of the last look. */
  async function followed() {
    const block = async () => ({
      ...(await latestBlock(chain)),
      ...{ parentHash: hash(0), baseFeePerGas: 1n, gasLimit: 30_000_000n },
    })
    const source = {
      current: await block(),
      async refresh() {
        source.current = await block()
      },
    }
    return source
  }
}

/** The context of a sponsored operation. */
export const sponsorship = (
  changes: { policyId?: number; validAfter?: number; validUntil?: number } = {},
): PaymasterContext => ({
  ...{ mode: 'sponsor', policyId: undefined, validAfter: undefined, validUntil: undefined },
  ...changes,
})

/** Asks the tenant to pay: with its own paymaster, above 0.6 at any rate. */
export const sponsored = (
  { caller }: TestTenant,
  op: UserOperation,
  changes: Partial<SponsorRequest> = {},
): SponsorRequest => ({ caller, op, useVp: op.version !== '0.6', context: sponsorship(), ...changes })
