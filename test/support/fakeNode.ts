import { type Address, type Hash, type Hex, keccak256, numberToHex, padHex } from 'viem'
import { Unavailable } from '../../src/base/errors.ts'
import { NodeError } from '../../src/chain/node-error.ts'
import type { BlockRef } from '../../src/types/block.ts'
import type { NodeClient, ReadAt } from '../../src/types/ports/chain.ts'

export type FakeAccount = { balance?: bigint; nonce?: number; code?: Hex; storage?: Record<Hex, Hex> }
export type FakeState = Record<Address, FakeAccount>

/** A node that knows the state of some blocks and tells what it was asked. */
export type FakeNode = NodeClient & {
  /** `method` and what it was about, of every call, in order; one list for each tick. */
  readonly asked: string[][]
  /** Answers of a method instead of its own; `undefined` takes it back. */
  answer(method: string, answer: ((params: readonly unknown[]) => unknown) | undefined): void
  /** Holds all answers until the function that it gives is called. */
  hold(): () => void
}

export const blockAt = (number: number): BlockRef => ({ number, hash: keccak256(numberToHex(number)) })

export const methodMissing = (): never => {
  throw new NodeError(-32601, 'the method does not exist')
}

/** @param blocks state by block hash; what is not named does not exist */
export function fakeNode(blocks: Record<Hash, FakeState>): FakeNode {
  const asked: string[][] = []
  const answers = new Map<string, (params: readonly unknown[]) => unknown>([
    ['debug_traceCall', methodMissing],
    ['eth_createAccessList', methodMissing],
  ])
  let tick: string[] | undefined
  let gate: Promise<void> | undefined

  async function ask(method: string, params: readonly unknown[], at: ReadAt | undefined): Promise<unknown> {
    const [subject, slot] = params
    if (tick === undefined) {
      tick = []
      asked.push(tick)
      queueMicrotask(() => {
        tick = undefined
      })
    }
    const place = method === 'eth_getStorageAt' ? ` ${BigInt(slot as Hex)}` : ''
    tick.push(typeof subject === 'string' ? `${method} ${BigInt(subject)}${place}` : method)
    await gate
    const answer = answers.get(method)
    if (answer !== undefined) return answer(params)
    const state = at === undefined || at === 'latest' ? undefined : blocks[at.hash]
    if (state === undefined) throw new Unavailable('no node knows the block')
    const account = state[String(subject).toLowerCase() as Address]
    switch (method) {
      case 'eth_getBalance':
        return numberToHex(account?.balance ?? 0n)
      case 'eth_getTransactionCount':
        return numberToHex(account?.nonce ?? 0)
      case 'eth_getCode':
        return account?.code ?? '0x'
      case 'eth_getStorageAt':
        return padHex(account?.storage?.[numberToHex(BigInt(slot as Hex))] ?? '0x0', { size: 32 })
      default:
        return methodMissing()
    }
  }

  return {
    chainId: 1,
    asked,
    answer(method, answer) {
      if (answer === undefined) answers.delete(method)
      else answers.set(method, answer)
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return () => {
        gate = undefined
        resolve()
      }
    },
    request: (method, params) => ask(method, params, undefined) as Promise<never>,
    requestAt: (method, params, at, extra = []) => ask(method, [...params, ...extra], at) as Promise<never>,
    requestOf: async (_node, method, params) => ({
      node: 0,
      result: (await ask(method, params, undefined)) as never,
    }),
    close: async () => {},
  }
}
