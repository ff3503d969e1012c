import type { Address, Hash, Hex } from 'viem'
import type { Context } from '../../base/context.ts'
import { describe, Unavailable } from '../../base/errors.ts'
import { NodeError, revertData } from '../../chain/node-error.ts'
import type { Caller, Tenant } from '../../types/paymaster/tenant.ts'
import type { FeeOracle, NodeClient } from '../../types/ports/chain.ts'
import type { AuditEntry, PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { BundleEvent } from '../../types/ports/submitter.ts'
import type { WalletAnswer, WalletOrder, WalletsPort } from '../../types/ports/wallets.ts'
import { newWalletId } from '../../types/wallet-id.ts'
import { decodeRevert } from '../../validation/revert.ts'
import { createFates } from './fates.ts'
import { balanceTooLow, notTaken, wouldRevert } from './refusals.ts'

/** An estimate is of this moment; what the call meets may have changed by the time of its block. */
const gasMargin = { numerator: 5n, denominator: 4n }

/** What a tenant's wallet is to do, and how the audit log names it. */
export type WalletCall = Pick<WalletOrder, 'to' | 'data' | 'value' | 'whileOpen'> & {
  /** Such as `wallet.deposit`. */
  action: string
  /** What it is done to. */
  subject: string
}

/** Sends for the tenants' wallets of one chain. */
export type WalletSending = {
  /**
   * Resolves when a node has taken it. @throws PaymasterError for what would revert, or what the wallet cannot pay
   * @throws Unavailable: it may or may not be mined
   */
  send(caller: Caller, call: WalletCall): Promise<Hash>
  /** @throws PaymasterError when it failed; Unavailable when it takes too long */
  mined(transaction: Hash): Promise<void>
  /** What the submitter tells of its orders. */
  onEvent(event: BundleEvent): void
}

type Modules = Pick<Context, 'log'> & {
  wallets: WalletsPort
  /** The chain's, not the callers'. */
  node: NodeClient
  fees: FeeOracle
  /** A wallet's private key: it goes to the submitter and nowhere else. */
  walletKey: (tenant: Tenant) => Hex
  store: Pick<PaymasterStorePort, 'audit'>
  now: () => number
}

export function createWalletSending({ chainId }: { chainId: number }, modules: Modules): WalletSending {
  const { wallets, node, fees, log } = modules
  const fates = createFates(modules)
  /** Wallets whose keys the submitter has. */
  const handedOver = new Map<Address, Promise<void>>()
  return { send, mined: fates.mined, onEvent: fates.onEvent }

  async function send(caller: Caller, call: WalletCall): Promise<Hash> {
    const { tenant } = caller
    const { walletAddress: wallet } = tenant
    const { to, data, value, whileOpen } = call
    const [gasLimit, quote] = await Promise.all([estimate(wallet, call), fees.quote(), handOver(tenant)])
    const id = newWalletId()
    const named = `chain ${chainId}, ${call.subject}, ${id}`
    await modules.store.audit({ entry: entryOf(caller, call.action, named) })
    const answer = await wallets.sendFromWallet({
      ...{ chainId, id, wallet, to, data, value, gasLimit, fees: quote, whileOpen },
    })
    await noteOutcome(caller, call, { named, answer })
    switch (answer.kind) {
      case 'accepted':
        return answer.transactionHash
      case 'short':
        throw balanceTooLow(wallet, value)
      case 'refused':
        throw notTaken()
    }
  }

  /** @throws PaymasterError for a call that would revert or that the wallet cannot pay */
  async function estimate(wallet: Address, { to, data, value }: WalletCall): Promise<bigint> {
    if (value > 0n && (await balanceOf(wallet)) < value) throw balanceTooLow(wallet, value)
    const transaction = { from: wallet, to, data, value: `0x${value.toString(16)}` }
    try {
      const gas = BigInt(await node.request<Hex>('eth_estimateGas', [transaction, 'latest']))
      return (gas * gasMargin.numerator) / gasMargin.denominator
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      const reverted = revertData(error)
      if (reverted !== undefined) throw wouldRevert(decodeRevert(reverted).text)
      // Others took from the wallet meanwhile, or the node wants it to pay for the estimate.
      if ((await balanceOf(wallet)) <= value) throw balanceTooLow(wallet, value)
      throw new Unavailable('the node did not estimate the gas', { cause: error })
    }
  }

  async function balanceOf(wallet: Address): Promise<bigint> {
    return BigInt(await node.request<Hex>('eth_getBalance', [wallet, 'latest']))
  }

  function handOver(tenant: Tenant): Promise<void> {
    const { walletAddress } = tenant
    const known = handedOver.get(walletAddress)
    if (known !== undefined) return known
    const handing = wallets.openWallet({ chainId, key: modules.walletKey(tenant) })
    handedOver.set(walletAddress, handing)
    handing.catch(() => handedOver.delete(walletAddress))
    return handing
  }

  /** Beside the entry that is there already: what is sent stays sent, whatever becomes of this one. */
  async function noteOutcome(
    caller: Caller,
    { action }: WalletCall,
    { named, answer }: { named: string; answer: WalletAnswer },
  ): Promise<void> {
    const entry =
      answer.kind === 'accepted'
        ? entryOf(caller, `${action}.sent`, `${named}, transaction ${answer.transactionHash}`)
        : entryOf(caller, `${action}.refused`, named)
    await modules.store
      .audit({ entry })
      .catch((error) => log.error('outcome not audited', { subject: entry.subject, error: describe(error) }))
  }

  function entryOf({ key, tenant }: Caller, action: string, subject: string): AuditEntry {
    return { at: modules.now(), tenantId: tenant.id, keyId: key.id, action, subject }
  }
}
