import { test } from 'bun:test'
import { isDeepStrictEqual } from 'node:util'
import type { Hash } from 'viem'
import type { ErrorWire } from '../../../src/base/errors.ts'
import { TandemError } from '../../../src/base/errors.ts'
import type { PoolCandidate, PoolEffect, PoolPort, SelectOptions } from '../../../src/types/ports/pool.ts'
import { isFinal, type OperationState } from '../../../src/types/status.ts'
import { nonceKey, nonceSequence, type UserOperation } from '../../../src/types/userop.ts'
import { operationGas } from '../../../src/types/userop-cost.ts'
import { address, facts, hash, staked, userOp } from '../../support/builders.ts'
import { createPoolModel, type ModelOperation, type PoolModel } from '../../support/poolModel.ts'
import { random } from '../../support/random.ts'
import { settings as defaults, pool } from './support.ts'

/** Random events of one seed. More seeds: POOL_SEEDS=100 bun test test/unit/pool/model.test.ts */
const eventsOfSeed = 2500
const seeds = Array.from({ length: Number(process.env.POOL_SEEDS ?? 4) }, (_, index) => index + 1)

/** Small, so that every limit is met. */
const settings = {
  ...defaults,
  maxPoolSize: 20,
  maxNonceGap: 6,
  throttlingSlack: 2,
  banSlack: 5,
  minInclusionDenominator: 4,
}
const [senders, stakedSenders, keys] = [9, 3, 2]
/** One unstaked, one staked. */
const paymasters = [address(0x70), address(0x71)] as const
const factories = [address(0x60), address(0x61)] as const
const isStakedHelper = (one: string) => one === paymasters[1] || one === factories[1]

const kinds = {
  add: 45,
  bundle: 12,
  mine: 12,
  release: 4,
  fail: 6,
  drop: 3,
  tick: 4,
  reorg: 3,
  mineForeign: 2,
  fund: 3,
  revalidate: 2,
  repute: 1,
  hour: 0.3,
  clear: 0.1,
} as const
type Kind = keyof typeof kinds

/** What happens next. The numbers decide the rest, whatever is there when it happens, so that any part can be replayed. */
type Event = { kind: Kind; numbers: readonly number[] }

function randomEvents(seed: number, count: number): Event[] {
  const source = random(seed)
  const all = Object.entries(kinds).flatMap(([kind, weight]) =>
    Array.from({ length: weight * 10 }, () => kind as Kind),
  )
  return Array.from({ length: count }, () => ({
    kind: all[source.int(all.length)] ?? 'add',
    numbers: Array.from({ length: 10 }, () => source.int(1 << 16)),
  }))
}

/** A pool, the model, and the chain that both are told of. */
function world() {
  const own = pool(settings)
  const model = createPoolModel(settings)
  const chain = new Map<string, bigint>()
  const blocks: {
    operation: Pick<ModelOperation, 'op' | 'hash' | 'facts' | 'receivedAt'>
    isOurs: boolean
  }[][] = []
  let [now, serial, block] = [0, 0, 1]
  let told: PoolEffect[] = []

  const laneOf = (op: UserOperation) => `${op.sender}:${nonceKey(op.nonce)}`
  const nextOf = (op: UserOperation) => chain.get(laneOf(op)) ?? 0n
  const timestamp = () => Math.floor(now / 1000)
  const hear = (effects: readonly PoolEffect[]) => told.push(...effects)
  const pick = <Item>(items: readonly Item[], number: number | undefined) =>
    items[(number ?? 0) % items.length]
  const waiting = () => model.operations().filter(({ bundle }) => bundle === undefined)
  const eventOf = ({ op, hash }: Pick<ModelOperation, 'op' | 'hash'>) => ({
    hash,
    sender: op.sender,
    nonce: op.nonce,
  })

  function operationOf([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[]): UserOperation {
    const sender = address(1 + (a % senders))
    const key = BigInt(b % keys) << 64n
    const next = nextOf(userOp({ sender, nonce: key }))
    const sequence = next + BigInt(c % 16 === 0 ? 9 : c % 7 === 0 ? -1 : c % 4)
    const maxFeePerGas = BigInt(1 + (d % 20))
    const first = sequence === 0n && f % 3 === 0
    return userOp({
      sender: f % 97 === 0 ? paymasters[0] : sender,
      nonce: key | (sequence < 0n ? 0n : sequence),
      maxFeePerGas,
      maxPriorityFeePerGas: BigInt(e) % (maxFeePerGas + 1n),
      paymaster: f % 10 < 3 ? pick(paymasters, f) : undefined,
      factory: first ? pick(factories, e) : undefined,
    })
  }

  function factsOf(op: UserOperation, [a = 0, b = 0, c = 0]: readonly number[]) {
    const isRich = Number(op.sender) <= stakedSenders
    const unstaked = facts(op).sender
    const helper = (one: string) => (isStakedHelper(one) ? staked : unstaked)
    return facts(op, {
      block: { number: block - (a % 4 === 0 ? 1 : 0), hash: hash(1) },
      sender: isRich ? staked : unstaked,
      factory: op.factory && helper(op.factory),
      paymaster: op.paymaster && {
        ...helper(op.paymaster),
        address: op.paymaster,
        deposit: BigInt(c % 60) * 10n ** 6n,
      },
      validUntil: b % 5 === 0 ? timestamp() + (b % 600) : undefined,
      validAfter: b % 9 === 0 ? timestamp() + (b % 60) : undefined,
    })
  }

  const selection = ([a = 0, b = 0, c = 0]: readonly number[]): SelectOptions => ({
    timestamp: timestamp(),
    now,
    baseFee: BigInt(a % 12),
    leastPriorityFee: BigInt(b % 3),
    gasOf: (op) => ({ taken: operationGas(op), reserve: op.maxFeePerGas * 1000n }),
    maxGas: BigInt(300_000 + 150_000 * (c % 20)),
    maxBytes: 10_000,
    maxOperations: 1 + (b % 12),
  })

  const reasonOf = (number = 0): ErrorWire => ({
    code: -32500,
    message: 'AA23 reverted',
    ...(number % 4 === 3
      ? {}
      : { data: { entity: pick(['account', 'factory', 'paymaster'], number) ?? 'account' } }),
  })

  const actions: Record<Kind, (numbers: readonly number[]) => void> = {
    add(numbers) {
      serial += 1
      now += 1
      const op = operationOf(numbers)
      const rest = numbers.slice(6)
      const next = nextOf(op)
      const candidate: PoolCandidate = {
        op,
        hash: hash(serial),
        facts: factsOf(op, rest),
        receivedAt: now - ((rest[3] ?? 0) % 3),
        // What was validated on an older block may not know the newest nonce.
        chainSequence: (rest[3] ?? 0) % 11 === 0 && next > 0n ? next - 1n : next,
      }
      const refusal = refusalOf(own, candidate, now, hear)
      const reasons = model.add(candidate, now)
      const isSame = refusal === undefined ? reasons.length === 0 : reasons.includes(refusal)
      if (!isSame) throw new Difference('refusal', refusal, reasons)
    },
    bundle(numbers) {
      serial += 1
      const options = selection(numbers)
      const chosen = own.select(options).map((entry) => entry.hash)
      same('selection', chosen, model.select(options))
      const suspect = own.suspect(options)?.hash
      same('suspect', suspect, model.suspect(options))
      const hashes = (numbers[3] ?? 0) % 4 === 0 && suspect !== undefined ? [suspect] : chosen
      hear(own.bundle(hashes, `bundle ${serial}`))
      model.bind(hashes, `bundle ${serial}`)
      if ((numbers[4] ?? 0) % 4 === 0) return
      hear(own.submitted(hashes, `bundle ${serial}`, hash(serial)))
      model.bind(hashes, `bundle ${serial}`, hash(serial))
    },
    mine([a = 0]) {
      const submitted = model
        .operations()
        .filter(
          ({ bundle, op }) => bundle?.transactionHash !== undefined && nonceSequence(op.nonce) === nextOf(op),
        )
      const mined = submitted.filter((_, index) => ((a >> (index % 16)) & 1) === 0)
      include(mined.map((operation) => ({ operation: { ...operation }, isOurs: true })))
    },
    mineForeign(numbers) {
      serial += 1
      const op = operationOf(numbers)
      const used = { ...op, nonce: (nonceKey(op.nonce) << 64n) | nextOf(op) }
      const operation = { op: used, hash: hash(serial), facts: facts(used), receivedAt: now }
      include([{ operation, isOurs: false }])
    },
    reorg([a = 0]) {
      const undone = Array.from(
        { length: Math.min(blocks.length, 1 + (a % 2)) },
        () => blocks.pop() ?? [],
      ).flat()
      for (const { operation } of undone) {
        const sequence = nonceSequence(operation.op.nonce)
        if (sequence < nextOf(operation.op)) chain.set(laneOf(operation.op), sequence)
      }
      const events = undone.map(({ operation }) => eventOf(operation))
      const back = undone
        .filter(({ isOurs }) => isOurs)
        .map(({ operation: { op, hash, facts, receivedAt } }) => ({
          ...{ op, hash, facts, receivedAt },
          chainSequence: nonceSequence(op.nonce),
        }))
      own.unmined(events)
      for (const candidate of back) hear(own.restore(candidate, now))
      model.unmined(events, back, now)
      step(0)
    },
    release([a]) {
      const flying = pick(
        model.operations().filter(({ bundle }) => bundle !== undefined),
        a,
      )
      if (flying === undefined) return
      hear(own.release([flying.hash]))
      model.release(flying.hash)
    },
    fail([a, b]) {
      const operation = pick(waiting(), a)
      if (operation === undefined) return
      hear(own.failed(operation.hash, reasonOf(b), now))
      model.fail(operation.hash, reasonOf(b), now)
    },
    drop([a, b]) {
      const operation = pick(waiting(), a)
      if (operation === undefined) return
      hear(own.drop(operation.hash, reasonOf(b)))
      model.drop(operation.hash, reasonOf(b))
    },
    tick: ([a = 0]) => step(a % 60_000),
    hour: ([a = 0]) => step(a * 100),
    fund([a, b = 0]) {
      const paymaster = pick(paymasters, a) ?? paymasters[0]
      hear(own.setDeposit(paymaster, BigInt(b % 60) * 10n ** 6n))
      model.setDeposit(paymaster, BigInt(b % 60) * 10n ** 6n)
    },
    revalidate([a, ...rest]) {
      const operation = pick(waiting(), a)
      if (operation === undefined) return
      const newer = factsOf(operation.op, rest)
      own.revalidated(operation.hash, newer)
      model.revalidated(operation.hash, newer)
    },
    repute([a = 0, b = 0, c = 0]) {
      if (a % 3 === 0) {
        own.clearReputation()
        model.clearReputation()
        return
      }
      const entity = pick([...paymasters, ...factories, address(1), address(2)], b) ?? paymasters[0]
      const counts = { opsSeen: c % 60, opsIncluded: a % 10 }
      own.setReputation([{ address: entity, ...counts }])
      model.setReputation(entity, counts.opsSeen, counts.opsIncluded)
    },
    clear() {
      hear(own.clear())
      model.clear()
    },
  }

  function step(ms: number): void {
    now += ms
    hear(own.tick({ now, timestamp: timestamp(), blockNumber: block }))
    model.tick(now, timestamp(), block)
  }

  function include(mined: (typeof blocks)[number]): void {
    block += 1
    for (const { operation } of mined) chain.set(laneOf(operation.op), nonceSequence(operation.op.nonce) + 1n)
    blocks.push(mined)
    if (blocks.length > 4) blocks.shift()
    const events = mined.map(({ operation }) => eventOf(operation))
    hear(own.mined(events, { blockNumber: block }))
    model.mined(events, block)
  }

  return {
    /** @throws Difference when pool and model do not agree afterwards */
    happen({ kind, numbers }: Event) {
      told = []
      const before = new Map(
        model.operations().map((operation) => [operation.hash, model.stateOf(operation)]),
      )
      actions[kind](numbers)
      compare(own, model, before, told)
    },
  }
}

/** Where pool and model part. */
class Difference extends Error {
  constructor(what: string, ofPool: unknown, ofModel: unknown) {
    super(`${what}: the pool says ${shown(ofPool)}, the model ${shown(ofModel)}`)
  }
}

const shown = (value: unknown) =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : (part ?? null))) ?? 'nothing'

function same(what: string, ofPool: unknown, ofModel: unknown): void {
  if (!isDeepStrictEqual(ofPool, ofModel)) throw new Difference(what, ofPool, ofModel)
}

/** The name of the rule that refuses a candidate. */
function refusalOf(
  own: PoolPort,
  candidate: PoolCandidate,
  now: number,
  hear: (effects: readonly PoolEffect[]) => void,
): string | undefined {
  try {
    own.precheck(candidate.op, now)
    hear(own.admit(candidate, now))
    return undefined
  } catch (error) {
    if (error instanceof TandemError) return error.constructor.name
    throw error
  }
}

function compare(
  own: PoolPort,
  model: PoolModel,
  before: ReadonlyMap<Hash, OperationState>,
  told: readonly PoolEffect[],
): void {
  const byHash = (a: { hash: Hash }, b: { hash: Hash }) => (a.hash < b.hash ? -1 : 1)
  const operations = model.operations()
  same(
    'contents',
    [...own.entries()]
      .map(({ hash, state, failures, facts }) => ({ hash, state, failures, facts }))
      .sort(byHash),
    operations
      .map((operation) => ({
        hash: operation.hash,
        state: model.stateOf(operation),
        failures: operation.failures,
        facts: operation.facts,
      }))
      .sort(byHash),
  )
  same('size', own.size, operations.length)
  const byAddress = (a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1)
  same('reputation', own.reputation().toSorted(byAddress), model.reputation().sort(byAddress))
  same('paymasters', own.paymasters().toSorted(), model.paymasters().sort())
  for (const { op } of operations) same('turn', own.turn(op.sender, op.nonce).kind, model.turn(op))

  // What was said last of an operation is how it is, and whatever changed was said.
  const last = new Map(told.map(({ hash, state }) => [hash, state]))
  const departures = model.departures()
  for (const operation of operations) {
    const state = model.stateOf(operation)
    const isChanged = !isDeepStrictEqual(before.get(operation.hash), state)
    if (isChanged || last.has(operation.hash)) same('said', last.get(operation.hash), state)
    last.delete(operation.hash)
  }
  for (const { hash, departure } of departures) {
    const state = last.get(hash)
    last.delete(hash)
    // The index tells of inclusions.
    if (departure.kind === 'included') same('said of an included one', state, undefined)
    else same('departure', [state?.kind, codeOf(state)], [departure.kind, departure.code])
  }
  same('said of others', [...last.values()].filter(isFinal), [])
}

const codeOf = (state: OperationState | undefined) =>
  state?.kind === 'dropped' || state?.kind === 'expired' ? state.reason.code : undefined

/** What is wrong after these events, if anything. */
function failureOf(events: readonly Event[]): { message: string; at: number } | undefined {
  const here = world()
  for (const [at, event] of events.entries()) {
    try {
      here.happen(event)
    } catch (error) {
      return { message: (error as Error).message, at }
    }
  }
  return undefined
}

/** The events that are needed for a failure: parts, then single ones, are left out while it still fails. */
function shortest(failing: readonly Event[]): readonly Event[] {
  let events = failing
  for (let part = Math.ceil(events.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let from = 0; from < events.length; ) {
      const fewer = events.toSpliced(from, part)
      const failure = failureOf(fewer)
      if (failure === undefined) from += part
      else events = fewer.slice(0, failure.at + 1)
    }
  }
  return events
}

test.each(seeds)(`${eventsOfSeed} random events leave the pool as the model has it (seed %d)`, (seed) => {
  const events = randomEvents(seed, eventsOfSeed)
  const failure = failureOf(events)
  if (failure === undefined) return
  const few = shortest(events.slice(0, failure.at + 1))
  const list = few.map((event) => JSON.stringify(event)).join(',\n')
  throw new Error(`seed ${seed}: ${failureOf(few)?.message}\nafter\n${list}`)
})
