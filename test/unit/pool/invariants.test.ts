import { expect, test } from 'bun:test'
import type { Hash } from 'viem'
import { TandemError } from '../../../src/base/errors.ts'
import type { PoolEffect, PoolEntry, SelectOptions } from '../../../src/types/ports/pool.ts'
import { isFinal, type OperationState } from '../../../src/types/status.ts'
import { nonceKey, nonceSequence, type UserOperation } from '../../../src/types/userop.ts'
import { effectivePriorityFee, operationGas, requiredPrefund } from '../../../src/types/userop-cost.ts'
import { address, candidate, facts, hash, staked, userOp } from '../../support/builders.ts'
import { type Random, random } from '../../support/random.ts'
import { pool } from './support.ts'

const [senders, stakedSenders, keys] = [9, 3, 2]
const paymaster = address(77)
const maxPoolSize = 40

const isStaked = (op: UserOperation) => Number(op.sender) <= stakedSenders
const laneOf = (op: UserOperation) => `${op.sender}:${nonceKey(op.nonce)}`
const isWaiting = ({ state }: PoolEntry) => state.kind === 'pending' || state.kind === 'queued'

/** A pool, a chain, and all that the pool said about operations. */
function world(source: Random) {
  const own = pool({ maxPoolSize, maxNonceGap: 6, minInclusionDenominator: 1_000_000 })
  const chain = new Map<string, bigint>()
  const blocks: PoolEntry[][] = []
  const said = new Map<Hash, PoolEffect>()
  let [now, serial, block, deposit] = [0, 0, 1, 10n ** 9n]

  const nextOf = (op: UserOperation) => chain.get(laneOf(op)) ?? 0n
  const hear = (effects: readonly PoolEffect[]) => {
    for (const effect of effects) said.set(effect.hash, effect)
  }
  const entries = () => [...own.entries()]
  const pick = <Item>(items: readonly Item[]) => items[source.int(items.length)]
  const options = (): SelectOptions => ({
    timestamp: Math.floor(now / 1000),
    now,
    baseFee: BigInt(source.int(12)),
    leastPriorityFee: 0n,
    gasOf: (op) => ({ taken: operationGas(op), reserve: 0n }),
    maxGas: 10n ** 9n,
    maxBytes: 10 ** 9,
    maxOperations: 1 + source.int(12),
  })

  function newOperation(): UserOperation {
    const sender = address(1 + source.int(senders))
    const key = BigInt(source.int(keys)) << 64n
    const next = nextOf(userOp({ sender, nonce: key }))
    const maxFeePerGas = BigInt(1 + source.int(20))
    return userOp({
      sender,
      nonce: key | (next + BigInt(source.int(8))),
      maxFeePerGas,
      maxPriorityFeePerGas: BigInt(source.int(Number(maxFeePerGas) + 1)),
      paymaster: source.chance(0.3) ? paymaster : undefined,
    })
  }

  const actions = {
    admit() {
      const op = newOperation()
      const known = facts(op, {
        sender: isStaked(op) ? staked : facts(op).sender,
        validUntil: source.chance(0.2) ? Math.floor(now / 1000) + source.int(600) : undefined,
        validAfter: source.chance(0.1) ? Math.floor(now / 1000) + source.int(60) : undefined,
        paymaster: op.paymaster && { ...staked, address: paymaster, deposit },
      })
      serial += 1
      now += 1
      const fields = { hash: hash(serial), facts: known, receivedAt: now, chainSequence: nextOf(op) }
      const before = entries()
      try {
        own.precheck(op, now)
        hear(own.admit(candidate(op, fields), now))
      } catch (error) {
        // Every refusal is one of the table, and changes nothing.
        expect(error).toBeInstanceOf(TandemError)
        expect(entries()).toEqual(before)
        return
      }
      if (op.paymaster !== undefined) expect(reserved()).toBeLessThanOrEqual(deposit)
      // Restored operations may have filled the pool beyond its size.
      expect(own.size).toBeLessThanOrEqual(Math.max(maxPoolSize, before.length))
    },
    bundle() {
      const chosen = own.select(options())
      hear(own.bundle(hashesOf(chosen), `bundle ${serial}`))
      if (source.chance(0.7)) hear(own.submitted(hashesOf(chosen), `bundle ${serial}`, hash(serial)))
    },
    release() {
      const flying = pick(entries().filter((entry) => !isWaiting(entry)))
      if (flying !== undefined) hear(own.release([flying.hash]))
    },
    mine() {
      const minable = entries().filter((entry) => entry.state.kind === 'submitted' && isNext(entry))
      const mined = minable.filter(() => source.chance(0.5))
      include(mined)
    },
    mineForeign() {
      serial += 1
      const op = newOperation()
      const used = { ...op, nonce: (nonceKey(op.nonce) << 64n) | nextOf(op) }
      chain.set(laneOf(used), nextOf(used) + 1n)
      block += 1
      blocks.length = 0
      hear(
        own.mined([{ hash: hash(serial), sender: used.sender, nonce: used.nonce }], { blockNumber: block }),
      )
    },
    reorg() {
      const undone = blocks.pop() ?? []
      own.unmined(undone.map(({ op, hash }) => ({ hash, sender: op.sender, nonce: op.nonce })))
      for (const { op } of undone) chain.set(laneOf(op), nonceSequence(op.nonce))
      for (const { op, hash, facts, receivedAt } of undone) {
        hear(own.restore({ op, hash, facts, receivedAt, chainSequence: nonceSequence(op.nonce) }, now))
      }
      actions.tick()
    },
    drop() {
      const entry = pick(entries().filter(isWaiting))
      if (entry !== undefined) hear(own.drop(entry.hash, { code: -32500, message: 'AA23 reverted' }))
    },
    fail() {
      const entry = pick(entries().filter(isWaiting))
      if (entry !== undefined) hear(own.failed(entry.hash, { code: -32500, message: 'AA23 reverted' }, now))
    },
    fund() {
      deposit = BigInt(source.int(30)) * 10n ** 6n
      hear(own.setDeposit(paymaster, deposit))
      const waiting = entries().some((entry) => isWaiting(entry) && entry.op.paymaster !== undefined)
      if (waiting) expect(reserved()).toBeLessThanOrEqual(deposit)
    },
    tick() {
      const flying = entries().filter((entry) => !isWaiting(entry))
      now += source.int(60_000)
      hear(own.tick({ now, timestamp: Math.floor(now / 1000), blockNumber: block }))
      for (const { hash, state } of flying) expect(own.get(hash)?.state).toEqual(state)
    },
  }

  const reserved = () =>
    entries().reduce((sum, { op }) => sum + (op.paymaster === undefined ? 0n : requiredPrefund(op)), 0n)
  const isNext = ({ op }: PoolEntry) => nonceSequence(op.nonce) === nextOf(op)

  function include(mined: readonly PoolEntry[]): void {
    for (const { op, hash } of mined) {
      chain.set(laneOf(op), nonceSequence(op.nonce) + 1n)
      said.delete(hash)
    }
    blocks.push([...mined])
    block += 1
    const events = mined.map(({ op, hash }) => ({ hash, sender: op.sender, nonce: op.nonce }))
    hear(own.mined(events, { blockNumber: block }))
  }

  return { own, actions, said, entries, nextOf, options }
}

const hashesOf = (entries: readonly PoolEntry[]) => entries.map((entry) => entry.hash)

type World = ReturnType<typeof world>

/** What was said about operations is how they are. */
function expectTruth({ said, entries }: World): void {
  const told = [...said.values()].filter(({ state }) => !isFinal(state))
  const statesOf = (list: readonly { hash: Hash; state: OperationState }[]) =>
    Object.fromEntries(list.map(({ hash, state }) => [hash, state]))
  expect(statesOf(entries())).toEqual(statesOf(told))
}

/** One operation a nonce; pending means that all from the chain's next sequence on are here. */
function expectQueues({ own, entries, nextOf }: World): void {
  const nonces = new Set(entries().map(({ op }) => `${op.sender}:${op.nonce}`))
  expect(nonces.size).toBe(own.size)
  for (const entry of entries().filter(isWaiting)) {
    const { op, state } = entry
    let missing = false
    for (let sequence = nextOf(op); sequence < nonceSequence(op.nonce); sequence++) {
      missing ||= !nonces.has(`${op.sender}:${(nonceKey(op.nonce) << 64n) | sequence}`)
    }
    expect([op.nonce, state.kind]).toEqual([op.nonce, missing ? 'queued' : 'pending'])
  }
}

/** The bundle that a plain greedy search over all operations makes. */
function plainSelection({ entries, nextOf }: World, options: SelectOptions): PoolEntry[] {
  const chosen: PoolEntry[] = []
  const flying = new Set(entries().flatMap((entry) => (isWaiting(entry) ? [] : [entry.op.sender])))
  const feeOf = ({ op }: PoolEntry) => Number(effectivePriorityFee(op, options.baseFee))
  const isTurn = ({ op }: PoolEntry) =>
    nonceSequence(op.nonce) === nextOf(op) ||
    (isStaked(op) &&
      chosen.some((other) => laneOf(other.op) === laneOf(op) && other.op.nonce === op.nonce - 1n))
  const isFree = ({ op }: PoolEntry) =>
    isStaked(op) || (!flying.has(op.sender) && !chosen.some((other) => other.op.sender === op.sender))
  const isRipe = ({ facts }: PoolEntry) =>
    (facts.validAfter ?? -1) < options.timestamp && (facts.validUntil ?? Infinity) >= options.timestamp + 30
  while (chosen.length < options.maxOperations) {
    const [best] = entries()
      .filter((entry) => entry.state.kind === 'pending' && entry.failures === 0 && !chosen.includes(entry))
      .filter((entry) => isTurn(entry) && isFree(entry) && isRipe(entry) && feeOf(entry) >= 0)
      .sort((a, b) => feeOf(b) - feeOf(a) || a.receivedAt - b.receivedAt)
    if (best === undefined) break
    chosen.push(best)
  }
  expect(chosen.reduce((sum, { op }) => sum + operationGas(op), 0n)).toBeLessThanOrEqual(options.maxGas)
  return chosen
}

test.each([1, 2, 3, 4])('thousands of random events leave the pool true to itself (seed %d)', (seed) => {
  const source = random(seed)
  const here = world(source)
  const { actions } = here
  const often = [actions.admit, actions.admit, actions.admit, actions.admit, actions.admit, actions.bundle]
  const seldom = [actions.mine, actions.mine, actions.tick, actions.release, actions.drop, actions.fail]
  const rare = [actions.reorg, actions.mineForeign, actions.fund]
  for (let step = 0; step < 1500; step++) {
    const kind = source.int(10)
    const choices = kind < 7 ? often : kind < 9 ? seldom : rare
    choices[source.int(choices.length)]?.()
    expectTruth(here)
    expectQueues(here)
    const options = here.options()
    const chosen = here.own.select(options)
    if (chosen.every((entry) => entry.failures === 0)) {
      const plain = plainSelection(here, options)
      if (chosen.length > 0 || plain.length > 0) expect(hashesOf(chosen)).toEqual(hashesOf(plain))
    }
  }
})
