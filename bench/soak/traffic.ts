import type { Hash } from 'viem'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { DevChain } from '../../test/support/devChain.ts'
import { sendOne } from '../load/load.ts'
import type { ChainWatch, Inclusion } from './chain-watch.ts'
import { type HostileKind, type Hostiles, hostileKinds } from './hostile.ts'
import { nextOperation, type Wallet } from './wallets.ts'

/** A replaced one is two sends with the same nonce, of which one is to be included. */
export type Kind = 'valid' | 'replaced' | HostileKind

/** What was sent for one nonce, and the answers; times are ms of `performance.now`. */
export type Send = {
  kind: Kind
  sentAt: number
  answeredAt: number
  /** The chain's head when it was sent. */
  head: number
  /** Those that were accepted. */
  hashes: readonly Hash[]
  /** Why the others were refused. */
  errors: readonly string[]
}

export const isAccepted = ({ hashes }: Send): boolean => hashes.length > 0

export function inclusionsOf({ hashes }: Send, included: ReadonlyMap<Hash, Inclusion>): Inclusion[] {
  return hashes.flatMap((hash) => included.get(hash) ?? [])
}

/** Percent that the second of two adds to the fees of the first. */
const bump = 20n

/**
 * An operation every 1/rate s for `seconds`: of the next wallet, or a share `hostile` of what a bundler has to stand.
 * What was sent is in `sends` as soon as it is answered.
 */
export async function drive(
  setting: { rate: number; seconds: number; hostile: number; url: string; sends: Send[] },
  modules: { chain: DevChain; watch: ChainWatch; wallets: readonly Wallet[]; hostiles: Hostiles },
): Promise<void> {
  const { rate, seconds, hostile, url, sends } = setting
  const { chain, watch, wallets, hostiles } = modules
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  let [fair, foul] = [0, 0]
  for (let index = 0; index < rate * seconds; index++) {
    await Bun.sleep(Math.max(0, started + (index * 1000) / rate - performance.now()))
    const isFoul = foul < hostile * (index + 1)
    const send = isFoul ? sendFoul(foul++) : sendFair(fair++)
    const one = send.finally(() => underWay.delete(one))
    underWay.add(one)
  }
  await Promise.all(underWay)

  async function sendFair(turn: number): Promise<void> {
    const wallet = walletAt(turn)
    const op = await nextOperation(chain, wallet)
    await send('valid', [op], wallet)
  }

  /** Every kind of every version by turns. */
  async function sendFoul(turn: number): Promise<void> {
    const kinds = ['replaced', ...hostileKinds] as const
    const kind = kinds[turn % kinds.length] ?? 'replaced'
    if (kind === 'replaced') return sendTwo(walletAt(-1 - turn))
    const version = entryPointVersions[Math.floor(turn / kinds.length) % entryPointVersions.length] ?? '0.7'
    await send(kind, [await hostiles(kind, version)])
  }

  async function sendTwo(wallet: Wallet): Promise<void> {
    const first = await nextOperation(chain, wallet)
    const fees = {
      maxFeePerGas: (first.maxFeePerGas * (100n + bump)) / 100n,
      maxPriorityFeePerGas: (first.maxPriorityFeePerGas * (100n + bump)) / 100n,
    }
    await send('replaced', [first, await nextOperation(chain, wallet, fees)], wallet)
  }

  async function send(kind: Kind, ops: readonly UserOperation[], wallet?: Wallet): Promise<void> {
    const head = watch.head
    const sent = []
    for (const op of ops) sent.push(await sendOne(url, op))
    const [first] = sent
    if (first === undefined) return
    const hashes = sent.flatMap(({ hash }) => hash ?? [])
    if (wallet !== undefined && hashes.length > 0) wallet.nonce += 1n
    const { sentAt, answeredAt } = first
    sends.push({ kind, sentAt, answeredAt, head, hashes, errors: sent.flatMap(({ error }) => error ?? []) })
  }

  function walletAt(turn: number): Wallet {
    const wallet = wallets.at(turn % wallets.length)
    if (wallet === undefined) throw new Error('no wallets')
    return wallet
  }
}
