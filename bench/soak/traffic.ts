import type { Hash } from 'viem'
import type { DevChain } from '../../test/support/devChain.ts'
import { sendOne } from '../load/load.ts'
import type { ChainWatch } from './chain-watch.ts'
import { nextOperation, type Wallet } from './wallets.ts'

/** One send and its answer; times are ms of `performance.now`. */
export type Send = {
  sentAt: number
  answeredAt: number
  /** The chain's head when it was sent. */
  head: number
  /** `undefined` when it was refused, with the `error`. */
  hash: Hash | undefined
  error: string | undefined
}

/** Sends the next operation of the next wallet every 1/rate s for `seconds`; what was sent is in `sends` at once. */
export async function drive(
  setting: { rate: number; seconds: number; url: string; wallets: readonly Wallet[]; sends: Send[] },
  { chain, watch }: { chain: DevChain; watch: ChainWatch },
): Promise<void> {
  const { rate, seconds, url, wallets, sends } = setting
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  for (let index = 0; index < rate * seconds; index++) {
    await Bun.sleep(Math.max(0, started + (index * 1000) / rate - performance.now()))
    const wallet = wallets[index % wallets.length]
    if (wallet === undefined) throw new Error('no wallets')
    const one = sendNext(wallet).finally(() => underWay.delete(one))
    underWay.add(one)
  }
  await Promise.all(underWay)

  async function sendNext(wallet: Wallet): Promise<void> {
    const op = await nextOperation(chain, wallet)
    const head = watch.head
    const sent = await sendOne(url, op)
    if (sent.hash !== undefined) wallet.nonce += 1n
    sends.push({ ...sent, head })
  }
}
