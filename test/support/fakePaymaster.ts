import { type Address, getAddress, type Hash, type Hex } from 'viem'
import { openMeter } from '../../src/paymaster/credits/meter.ts'
import { loadPolicies } from '../../src/paymaster/policies/policies.ts'
import { createTenants, type KeyTerms } from '../../src/paymaster/tenants/tenants.ts'
import { createWhitelists } from '../../src/paymaster/whitelists/whitelists.ts'
import type { PaymasterService } from '../../src/rpc/paymaster/service.ts'
import type { Spent } from '../../src/types/paymaster/policy.ts'
import type { PaymasterFields, PaymasterPort } from '../../src/types/ports/paymaster.ts'
import { address, hash } from './builders.ts'
import { type OwnStore, ownStore } from './paymasterStore.ts'
import { silentContext } from './simulation.ts'

export const paymasterAddress = getAddress(address(0xfa))
export const transactionHash: Hash = hash(0xabc)
export const tokenAddress = getAddress(address(0x70))

/** What the fake puts in: no signature that would hold anywhere. */
export const sponsored: PaymasterFields = {
  paymaster: paymasterAddress,
  paymasterData: '0xABCDEF',
  paymasterVerificationGasLimit: 25_000n,
  paymasterPostOpGasLimit: 10_000n,
}
export const gas = { preVerificationGas: 51_000n, verificationGasLimit: 62_000n, callGasLimit: 73_000n }

const unexpected = (what: string) => (): never => {
  throw new Error(`the test did not expect ${what}`)
}

/** A chain's paymaster that says yes to everything; `calls` are those it had. */
export function fakePaymaster(changes: Partial<PaymasterPort> = {}) {
  const calls: { name: string; args: readonly unknown[] }[] = []
  const said =
    <Answer>(name: string, answer: Answer) =>
    async (...args: readonly unknown[]): Promise<Answer> => {
      calls.push({ name, args })
      return answer
    }
  const rates = {
    etherUSDExchangeRate: 2_500_00000000n,
    paymasterAddress,
    quotes: [
      {
        token: tokenAddress,
        symbol: 'TST',
        decimals: 6,
        etherTokenExchangeRate: 2_500_000_000n,
        serviceFeePercent: 10,
      },
    ],
    unsupportedTokens: [],
  }
  const port: PaymasterPort = {
    chainId: 1337,
    versions: ['0.8', '0.7', '0.6'],
    sponsor: { name: 'Acme', icon: undefined },
    async sponsorOperation(request) {
      calls.push({ name: 'sponsorOperation', args: [request] })
      return { ...request.op, ...sponsored, ...gas }
    },
    stub: said('stub', sponsored),
    data: said('data', sponsored),
    quotes: said('quotes', {
      ...rates,
      gasEstimates: gas,
      feeEstimates: { maxFeePerGas: 3n, maxPriorityFeePerGas: 2n },
    }),
    rates: said('rates', rates),
    commonPaymasters: said('commonPaymasters', [
      { paymasterAddress, gasToken: tokenAddress, chainId: 1337, decimals: 6 },
    ]),
    metadata: said('metadata', {
      sponsorAddress: paymasterAddress,
      sponsorWalletBalance: 10n ** 18n,
      chainsSupported: [1337],
      tokenPaymasters: { 1337: { TST: paymasterAddress } },
    }),
    whitelist: said('whitelist', transactionHash),
    removeFromWhitelist: said('removeFromWhitelist', transactionHash),
    isWhitelisted: said('isWhitelisted', true),
    whitelisted: said('whitelisted', [paymasterAddress]),
    deposit: said('deposit', transactionHash),
    withdraw: said('withdraw', transactionHash),
    addStake: said('addStake', transactionHash),
    deploy: said('deploy', { verifyingPaymaster: paymasterAddress, txHash: transactionHash }),
    mined: unexpected('mined'),
    ...changes,
  }
  return { port, calls }
}

const masterKey: Hex = `0x${'11'.repeat(32)}`

/** The paymaster service on a store of its own, over faked chains. */
export type TestService = AsyncDisposable & {
  service: PaymasterService
  own: OwnStore
  /** May be added to. */
  paymasters: Map<number, PaymasterPort>
  /** What policies have spent. */
  spent: Map<number, Spent>
  /** A tenant with its key. */
  tenant(terms?: Partial<KeyTerms>): Promise<{ key: string; wallet: Address; tenantId: string }>
}

export async function paymasterService(...ports: readonly PaymasterPort[]): Promise<TestService> {
  const own = await ownStore()
  const { store } = own
  const now = Date.now
  const tenants = createTenants({ masterKey }, { store, now })
  const policies = await loadPolicies({ store, now })
  const spent = new Map<number, Spent>()
  const paymasters = new Map(ports.map((port) => [port.chainId, port]))
  return {
    own,
    paymasters,
    spent,
    service: {
      tenants,
      policies,
      paymasters,
      meter: await openMeter({ ...silentContext(), store, now }),
      whitelists: createWhitelists({ store, policies, now }),
      spent: (policyId) => spent.get(policyId) ?? { usd: 0n, native: 0n, count: 0 },
    },
    async tenant(terms = {}) {
      const all = { scopes: ['admin'] as const, creditsPerMonth: undefined, creditsPerSecond: undefined }
      const { text, tenant } = await tenants.create('Acme', { ...all, ...terms })
      return { key: text, wallet: tenant.walletAddress, tenantId: tenant.id }
    },
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  }
}
