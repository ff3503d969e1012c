import { type Address, type Hash, type Hex, maxUint256, size } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Caller } from '../../types/paymaster/tenant.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { Purse } from '../../types/ports/paymaster.ts'
import type { Deployments } from '../deployments.ts'
import { invalidData } from '../invalid-data.ts'
import type { WalletPart } from '../paymaster.ts'
import { noSharedPaymaster, notDeployed } from '../sponsor/payer.ts'
import { alreadyAdded, notWhitelisted } from '../whitelists/whitelists.ts'
import {
  type Call,
  changeList,
  depositOwn,
  depositShared,
  type OwnPaymaster,
  stakeOwn,
  withdrawOwn,
  withdrawShared,
} from './calls.ts'
import { createDeploy } from './deploy.ts'
import { notMinedYet, unsupportedVersion } from './refusals.ts'
import type { WalletSending } from './sending.ts'
import type { WalletSettings } from './settings.ts'
import { createSharedList, type SharedList } from './shared-list.ts'

/** Accounts in one call, at most (MAX_BATCH of the shared paymaster). */
const longestBatch = 10

type Modules = {
  /** The chain's, not the callers'. */
  node: NodeClient
  sending: WalletSending
  deployments: Deployments
  now: () => number
}

/** What the tenants' wallets do on one chain, each for its own tenant. */
export function createWalletCalls(settings: WalletSettings, modules: Modules): WalletPart {
  const { chainId, sponsorPaymaster, unstakeDelay } = settings
  const { node, sending, deployments } = modules
  const sharedList =
    sponsorPaymaster === undefined ? undefined : createSharedList(sponsorPaymaster, settings, modules)
  const deploy = createDeploy(settings, modules)

  return {
    whitelist: (caller, addresses) => change(caller, addresses, 'add'),
    removeFromWhitelist: (caller, addresses) => change(caller, addresses, 'remove'),

    async isWhitelisted({ tenant }, address) {
      const listed = await shared().list.which(tenant.walletAddress, [address], true)
      return listed.length > 0
    },

    whitelisted: async ({ tenant }) => shared().list.all(tenant.walletAddress),

    async deposit(caller, purse, amount) {
      checkAmount(amount)
      const { walletAddress } = caller.tenant
      const call =
        purse.kind === 'shared'
          ? depositShared(shared().paymaster, walletAddress, amount)
          : depositOwn(await ownPaymaster(caller, purse.version), amount)
      return send(caller, call, 'wallet.deposit', `${amount} wei to ${nameOf(purse)}`)
    },

    async withdraw(caller, purse, amount) {
      checkAmount(amount)
      const { walletAddress } = caller.tenant
      const call =
        purse.kind === 'shared'
          ? withdrawShared(shared().paymaster, walletAddress, amount)
          : withdrawOwn(await minedPaymaster(caller, purse.version), walletAddress, amount)
      return send(caller, call, 'wallet.withdraw', `${amount} wei from ${nameOf(purse)}`)
    },

    async addStake(caller, version, amount) {
      checkAmount(amount)
      const call = stakeOwn(await minedPaymaster(caller, version), amount, unstakeDelay)
      return send(caller, call, 'wallet.stake', `${amount} wei in ${nameOf({ kind: 'own', version })}`)
    },

    async deploy(caller, version) {
      checkVersion(version)
      return deploy(caller, version)
    },

    mined: sending.mined,
  }

  async function change(caller: Caller, addresses: readonly Address[], to: 'add' | 'remove'): Promise<Hash> {
    const { paymaster, list } = shared()
    const unique = [...new Set(addresses)]
    if (unique.length === 0 || unique.length > longestBatch)
      throw invalidData(`1 to ${longestBatch} addresses are taken`)
    const accounts = await list.which(caller.tenant.walletAddress, unique, to === 'remove')
    if (accounts.length === 0) throw to === 'add' ? alreadyAdded() : notWhitelisted()
    const action = to === 'add' ? 'wallet.whitelist' : 'wallet.unwhitelist'
    return send(caller, changeList(paymaster, accounts, to), action, accounts.join(' '))
  }

  function send(caller: Caller, call: Call, action: string, subject: string): Promise<Hash> {
    return sending.send(caller, { ...call, action, subject, whileOpen: 'add' })
  }

  /** @throws PaymasterError where the operator has none */
  function shared(): { paymaster: Address; list: SharedList } {
    if (sponsorPaymaster === undefined || sharedList === undefined) throw noSharedPaymaster()
    return { paymaster: sponsorPaymaster, list: sharedList }
  }

  async function ownPaymaster({ tenant }: Caller, version: EntryPointVersion): Promise<OwnPaymaster> {
    checkVersion(version)
    const deployment = await deployments.find(tenant.id, chainId, version)
    if (deployment === undefined) throw notDeployed()
    return deployment
  }

  /** A call to an address without code would reach nobody, and its value be lost. */
  async function minedPaymaster(caller: Caller, version: EntryPointVersion): Promise<OwnPaymaster> {
    const own = await ownPaymaster(caller, version)
    if (size(await node.request<Hex>('eth_getCode', [own.address, 'latest'])) === 0)
      throw notMinedYet(own.address)
    return own
  }

  function checkVersion(version: EntryPointVersion): void {
    if (!settings.versions.includes(version)) throw unsupportedVersion()
  }
}

function checkAmount(amount: bigint): void {
  if (amount <= 0n || amount > maxUint256) throw invalidData('the amount is out of range')
}

const nameOf = (purse: Purse): string =>
  purse.kind === 'shared' ? 'the shared paymaster' : `the own paymaster of ${purse.version}`
