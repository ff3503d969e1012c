import type { Address, Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { Unavailable } from '../../../base/errors.ts'
import type { OpenBundle, RelayerReport, SubmitterChain } from '../../../types/ports/submitter.ts'
import type { WalletAnswer, WalletOrder } from '../../../types/ports/wallets.ts'
import type { ChainModules, ChainSubmitter } from '../chain-submitter.ts'
import { openWallet, type Wallet } from './wallet.ts'

/** The tenants' wallets on one chain. */
export type Wallets = Pick<ChainSubmitter, 'onHead' | 'close'> & {
  /** Hands over a key. */
  open(key: Hex): Promise<void>
  /** @throws as WalletsPort's `sendFromWallet` */
  send(order: WalletOrder): Promise<WalletAnswer>
  /** Of those that are open. */
  report(): Promise<readonly RelayerReport[]>
}

/** `users`: calls that hold it, so that it is not let go of. */
type Entry = { wallet: Promise<Wallet>; users: number }

/**
 * A wallet is open while anything of it is under way: at the start because the journal says so, later when it sends.
 * @throws Unavailable when the node cannot be asked: nothing was changed
 */
export async function openWallets(
  { chain, journal }: { chain: SubmitterChain; journal: readonly OpenBundle[] },
  modules: ChainModules,
): Promise<Wallets> {
  const keys = new Map<Address, Hex>()
  const entries = new Map<Address, Entry>()
  for (const [address, own] of byWallet(journal)) enter(address, own)
  try {
    await Promise.all([...entries.values()].map(({ wallet }) => wallet))
  } catch (error) {
    close()
    throw error
  }
  return {
    async open(key) {
      const address = privateKeyToAddress(key)
      keys.set(address, key)
      const opened = entries.get(address)
      if (opened !== undefined) (await opened.wallet).adopt(key)
    },
    async send(order) {
      if (!keys.has(order.wallet)) throw new Unavailable(`the wallet ${order.wallet} is not open`)
      const entry = entries.get(order.wallet) ?? enter(order.wallet, [])
      entry.users += 1
      try {
        return await (await entry.wallet).send(order)
      } finally {
        entry.users -= 1
      }
    },
    async onHead(argument) {
      await Promise.all([...entries].map(([address, entry]) => follow(address, entry, argument)))
    },
    async report() {
      const opened = await Promise.allSettled([...entries.values()].map(({ wallet }) => wallet))
      return opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.report() : []))
    },
    close,
  }

  function enter(address: Address, own: readonly OpenBundle[]): Entry {
    const wallet = openWallet({ chain, address, key: keys.get(address), journal: own }, modules)
    const entry = { wallet, users: 0 }
    entries.set(address, entry)
    wallet.catch(() => entries.delete(address))
    return entry
  }

  async function follow(
    address: Address,
    entry: Entry,
    argument: Parameters<Wallets['onHead']>[0],
  ): Promise<void> {
    const wallet = await entry.wallet.catch(() => undefined)
    await wallet?.onHead(argument)
    if (wallet === undefined || entry.users > 0 || !wallet.isSettled()) return
    entries.delete(address)
    wallet.close()
  }

  function close(): void {
    for (const { wallet } of entries.values())
      wallet.then(
        (opened) => opened.close(),
        () => {},
      )
  }
}

function byWallet(journal: readonly OpenBundle[]): ReadonlyMap<Address, OpenBundle[]> {
  const wallets = new Map<Address, OpenBundle[]>()
  for (const bundle of journal) {
    const address = bundle.transactions[0]?.relayer
    if (address !== undefined) wallets.set(address, [...(wallets.get(address) ?? []), bundle])
  }
  return wallets
}
