import type { Address, Hash } from 'viem'
import type { ErrorWire } from '../../src/base/errors.ts'
import type { StakeRequirement } from '../../src/types/entity.ts'
import { isStaked } from '../../src/types/entity.ts'
import type {
  MinedOperation,
  PoolCandidate,
  ReputationStatus,
  SelectOptions,
} from '../../src/types/ports/pool.ts'
import type { OperationState } from '../../src/types/status.ts'
import { nonceKey, nonceSequence, type UserOperation } from '../../src/types/userop.ts'
import { effectivePriorityFee, operationBytes, requiredPrefund } from '../../src/types/userop-cost.ts'
import type { ValidationFacts } from '../../src/types/verdict.ts'

export type ModelSettings = StakeRequirement & {
  minInclusionDenominator: number
  throttlingSlack: number
  banSlack: number
  maxNonceGap: number
  useropsTTL: number
  maxPoolAge: number
  maxPoolSize: number
}

/** An operation as the model has it. `waits`: not bound to a bundle. */
export type ModelOperation = {
  op: UserOperation
  hash: Hash
  facts: ValidationFacts
  receivedAt: number
  bundle: { bundleId: string; transactionHash?: Hash } | undefined
  failures: number
  retryAt: number
  /** Order of arrival. */
  arrival: number
  /** The newest block when it came. */
  block: number
  /** ms; since when it is behind a gap */
  queuedAt: number | undefined
}

/** How an operation left: the kind of its last state, and the code of its reason. */
export type Departure = { kind: 'included' | 'dropped' | 'expired' | 'replaced'; code?: number }

type Counts = { address: Address; opsSeen: number; opsIncluded: number; isPenalty: boolean }
type Entity = { kind: 'account' | 'factory' | 'paymaster'; address: Address }
type Lane = { sender: Address; key: bigint; next: bigint }

/**
 * What a mempool has to do by ERC-4337, ERC-7562 and the papers of this program, said as plainly as possible: lists and
 * filters, everything computed anew, nothing kept that could be found out.
 */
export type PoolModel = ReturnType<typeof createPoolModel>

export function createPoolModel(settings: ModelSettings) {
  let operations: ModelOperation[] = []
  /** What was told of the chain: of lanes with operations, and of what was mined. */
  let lanes: Lane[] = []
  const mined: Lane[] = []
  let records: Counts[] = []
  let deposits: { paymaster: Address; deposit: bigint }[] = []
  let inclusions: { hash: Hash; entities: Entity[] }[] = []
  let gone: { hash: Hash; departure: Departure }[] = []
  let clock = 0
  let baseFee = 0n
  let newestBlock = 0
  let arrivals = 0
  let decayedAt: number | undefined

  const waits = ({ bundle }: ModelOperation) => bundle === undefined
  const inLane = (op: UserOperation) => (lane: { sender: Address; key: bigint }) =>
    lane.sender === op.sender && lane.key === nonceKey(op.nonce)
  const sameLane = (a: UserOperation, b: UserOperation) =>
    a.sender === b.sender && nonceKey(a.nonce) === nonceKey(b.nonce)
  const sequenceOf = ({ op }: ModelOperation) => nonceSequence(op.nonce)
  const rivalOf = (op: UserOperation) =>
    operations.find((other) => other.op.sender === op.sender && other.op.nonce === op.nonce)
  const helpersOf = (op: UserOperation): Entity[] => [
    ...(op.factory === undefined ? [] : [{ kind: 'factory' as const, address: op.factory }]),
    ...(op.paymaster === undefined ? [] : [{ kind: 'paymaster' as const, address: op.paymaster }]),
  ]
  const entitiesOf = (op: UserOperation): Entity[] => [
    { kind: 'account', address: op.sender },
    ...helpersOf(op),
  ]
  const isTrusted = ({ kind }: Entity, facts: ValidationFacts) => {
    const stake = kind === 'account' ? facts.sender : facts[kind]
    return stake !== undefined && isStaked(stake, settings)
  }
  const partsOf = ({ kind, address }: Entity) =>
    operations.filter(({ op }) =>
      kind === 'account' ? op.sender === address : helpersOf(op).some((helper) => helper.address === address),
    )

  function knownNext(op: UserOperation): bigint | undefined {
    return (lanes.find(inLane(op)) ?? mined.find(inLane(op)))?.next
  }
  function frontierFrom(op: UserOperation, next: bigint): bigint {
    const used = operations.filter((other) => sameLane(other.op, op)).map(sequenceOf)
    let frontier = next
    while (used.includes(frontier)) frontier += 1n
    return frontier
  }
  const isBehindGap = (operation: ModelOperation) => {
    const next = knownNext(operation.op) ?? 0n
    return sequenceOf(operation) > frontierFrom(operation.op, next)
  }

  function recordOf(address: Address): Counts {
    return (
      records.find((record) => record.address === address) ?? {
        address,
        opsSeen: 0,
        opsIncluded: 0,
        isPenalty: false,
      }
    )
  }
  function note(record: Counts): void {
    const at = records.findIndex(({ address }) => address === record.address)
    const isNothing = record.opsSeen === 0 && record.opsIncluded === 0
    if (isNothing) records = records.filter(({ address }) => address !== record.address)
    else if (at < 0) records.push(record)
    else records[at] = record
  }
  function count(address: Address, seen: number, included: number): void {
    const record = recordOf(address)
    note({
      ...record,
      opsSeen: Math.max(0, record.opsSeen + seen),
      opsIncluded: Math.max(0, record.opsIncluded + included),
    })
  }
  function statusOf(address: Address): ReputationStatus {
    const { opsSeen, opsIncluded, isPenalty } = recordOf(address)
    const untried = operations.filter(
      ({ op, failures }) => failures === 0 && entitiesOf(op).some((entity) => entity.address === address),
    ).length
    const failed = Math.max(0, opsSeen - (isPenalty ? 0 : untried))
    const expected = Math.floor(failed / settings.minInclusionDenominator)
    if (expected > opsIncluded + settings.banSlack) return 'banned'
    return expected > opsIncluded + settings.throttlingSlack ? 'throttled' : 'ok'
  }
  const countedOf = ({ op, facts }: Pick<ModelOperation, 'op' | 'facts'>) =>
    entitiesOf(op).filter((entity) => entity.kind !== 'account' || isTrusted(entity, facts))

  function leave(operation: ModelOperation, departure: Departure): void {
    operations = operations.filter((other) => other !== operation)
    gone.push({ hash: operation.hash, departure })
    const isLaneEmpty = !operations.some(({ op }) => sameLane(op, operation.op))
    if (isLaneEmpty) lanes = lanes.filter((lane) => !inLane(operation.op)(lane))
    const { paymaster } = operation.op
    if (!operations.some(({ op }) => op.paymaster === paymaster))
      deposits = deposits.filter((known) => known.paymaster !== paymaster)
    noteGaps()
  }
  /** Notes when a gap opened. */
  function noteGaps(): void {
    for (const operation of operations) {
      if (!isBehindGap(operation)) operation.queuedAt = undefined
      else if (waits(operation)) operation.queuedAt ??= clock
    }
  }

  function refusals(candidate: PoolCandidate): string[] {
    const { op, facts } = candidate
    const rival = rivalOf(op)
    const others = (entity: Entity) => partsOf(entity).filter((part) => part !== rival).length
    const reasons: string[] = []
    const refuse = (isRefused: boolean, reason: string) => {
      if (isRefused) reasons.push(reason)
    }
    for (const entity of entitiesOf(op)) {
      const status = statusOf(entity.address)
      refuse(status === 'banned', 'EntityRefused')
      refuse(status === 'throttled' && others(entity) >= 4, 'EntityRefused')
    }
    refuse(partsOf({ kind: 'paymaster', address: op.sender }).length > 0, 'RolesConflict')
    for (const { address } of helpersOf(op))
      refuse(address === op.sender || partsOf({ kind: 'account', address }).length > 0, 'RolesConflict')

    const known = knownNext(op)
    const next = max(known ?? 0n, candidate.chainSequence)
    refuse(nonceSequence(op.nonce) < next, 'NonceUsed')
    if (rival !== undefined) {
      const isYoung = clock - rival.receivedAt <= settings.useropsTTL * 1000
      const outbids =
        10n * op.maxFeePerGas >= 11n * rival.op.maxFeePerGas &&
        10n * op.maxPriorityFeePerGas >= 11n * rival.op.maxPriorityFeePerGas
      refuse(!waits(rival), 'AlreadyInFlight')
      refuse(waits(rival) && isYoung && !outbids, 'ReplacementUnderpriced')
    } else {
      refuse(
        nonceSequence(op.nonce) > frontierFrom(op, next) + BigInt(settings.maxNonceGap),
        'NonceGapTooWide',
      )
    }
    for (const entity of entitiesOf(op).filter((one) => !isTrusted(one, facts))) {
      if (entity.kind === 'account') refuse(others(entity) >= 4, 'TooManyOfSender')
      else {
        const { opsSeen, opsIncluded } = recordOf(entity.address)
        const rate = opsSeen === 0 ? 0 : opsIncluded / opsSeen
        refuse(
          others(entity) >= 10 + Math.floor(rate * 10) + Math.min(opsIncluded, 10_000),
          'TooManyOfEntity',
        )
      }
    }
    if (facts.paymaster !== undefined) {
      const told = deposits.find(({ paymaster }) => paymaster === op.paymaster)?.deposit
      const isOld = facts.block.number < newestBlock
      const deposit = isOld && told !== undefined ? told : facts.paymaster.deposit
      const reserved = operations
        .filter((other) => other !== rival && other.op.paymaster === op.paymaster)
        .reduce((sum, other) => sum + requiredPrefund(other.op), 0n)
      refuse(reserved + requiredPrefund(op) > deposit, 'DepositTooLow')
    }
    const isFull = rival === undefined && operations.length >= settings.maxPoolSize
    refuse(isFull && victimFor(op) === undefined, 'PoolFull')
    return reasons
  }

  /** The last nonce of another lane, waiting, that pays least and less than `op`; of equals the youngest. */
  function victimFor(op: UserOperation): ModelOperation | undefined {
    const fee = (one: UserOperation) => effectivePriorityFee(one, baseFee)
    const [weakest] = operations
      .filter((operation) => waits(operation) && !sameLane(operation.op, op))
      .filter(
        (tail) => !operations.some((other) => sameLane(other.op, tail.op) && other.op.nonce > tail.op.nonce),
      )
      .sort((a, b) => compare(fee(a.op), fee(b.op)) || b.receivedAt - a.receivedAt || b.arrival - a.arrival)
    return weakest !== undefined && fee(op) > fee(weakest.op) ? weakest : undefined
  }

  function enter(candidate: PoolCandidate, next: bigint): void {
    const rival = rivalOf(candidate.op)
    const { op, hash, facts, receivedAt } = candidate
    arrivals += 1
    const block = Math.max(newestBlock, facts.block.number)
    const held: ModelOperation = {
      ...{ op, hash, facts, receivedAt, block, arrival: arrivals },
      ...{ bundle: undefined, failures: 0, retryAt: 0, queuedAt: undefined },
    }
    operations.push(held)
    const lane = lanes.find(inLane(op))
    if (lane === undefined) lanes.push({ sender: op.sender, key: nonceKey(op.nonce), next })
    else lane.next = next
    if (rival !== undefined) leave(rival, { kind: 'replaced' })
    noteGaps()
  }

  /** The chain is past `sequence` of this lane. */
  function advance(op: UserOperation, next: bigint, isMined: boolean): void {
    const lane = lanes.find(inLane(op))
    if (lane === undefined) return
    lane.next = max(lane.next, next)
    const used = operations.filter((other) => sameLane(other.op, op) && sequenceOf(other) < next)
    for (const other of used) if (isMined || waits(other)) leave(other, { kind: 'dropped', code: -32500 })
    noteGaps()
  }

  const feeAt = (options: SelectOptions) => (operation: ModelOperation) =>
    effectivePriorityFee(operation.op, options.baseFee)
  const isRipe = ({ facts, retryAt }: ModelOperation, { timestamp, now }: SelectOptions) =>
    retryAt <= now &&
    (facts.validAfter === undefined || facts.validAfter < timestamp) &&
    (facts.validUntil === undefined || facts.validUntil >= timestamp + 30)
  const isFree = ({ op, facts }: ModelOperation) =>
    isTrusted({ kind: 'account', address: op.sender }, facts) ||
    !operations.some((other) => other.op.sender === op.sender && !waits(other))
  const best = (options: SelectOptions) => (a: ModelOperation, b: ModelOperation) =>
    compare(feeAt(options)(b), feeAt(options)(a)) || a.receivedAt - b.receivedAt || a.arrival - b.arrival
  const pays = (operation: ModelOperation, options: SelectOptions) =>
    feeAt(options)(operation) >= max(0n, options.leastPriorityFee)
  const isNext = (operation: ModelOperation) => sequenceOf(operation) === knownNext(operation.op)
  const fits = (
    chosen: readonly ModelOperation[],
    { gasOf, maxGas, maxBytes, maxOperations }: SelectOptions,
  ) => {
    const gas = chosen.map(({ op }) => gasOf(op))
    const taken = gas.reduce((sum, one) => sum + one.taken, 0n)
    const reserve = gas.reduce((most, one) => max(most, one.reserve), 0n)
    const bytes = chosen.reduce((sum, { op }) => sum + operationBytes(op), 0)
    return chosen.length <= maxOperations && taken + reserve <= maxGas && bytes <= maxBytes
  }
  const isWelcome = (operation: ModelOperation, chosen: readonly ModelOperation[]) => {
    const statuses = entitiesOf(operation.op).map(({ address }) => ({ address, status: statusOf(address) }))
    const mixes = chosen.some(
      ({ op }) =>
        helpersOf(op).some(({ address }) => address === operation.op.sender) ||
        helpersOf(operation.op).some(({ address }) => address === op.sender),
    )
    const crowds = statuses
      .filter(({ status }) => status === 'throttled')
      .some(
        ({ address }) =>
          chosen.filter(({ op }) => entitiesOf(op).some((entity) => entity.address === address)).length >= 4,
      )
    return !mixes && !crowds && statuses.every(({ status }) => status !== 'banned')
  }

  return {
    operations: () => operations,
    /** Those that left since the last call, and how. */
    departures() {
      const departed = gone
      gone = []
      return departed
    },
    stateOf(operation: ModelOperation): OperationState {
      const { bundle } = operation
      if (bundle === undefined) return { kind: isBehindGap(operation) ? 'queued' : 'pending' }
      const { bundleId, transactionHash } = bundle
      return transactionHash === undefined
        ? { kind: 'bundled', bundleId }
        : { kind: 'submitted', bundleId, transactionHash }
    },
    reputation: () =>
      records.map(({ address, opsSeen, opsIncluded }) => ({
        address,
        opsSeen,
        opsIncluded,
        status: statusOf(address),
      })),
    paymasters: () => [...new Set(operations.flatMap(({ op }) => op.paymaster ?? []))],
    turn(op: UserOperation): string {
      const next = knownNext(op)
      if (next === undefined) return 'unknown'
      if (nonceSequence(op.nonce) < next) return 'used'
      return nonceSequence(op.nonce) <= frontierFrom(op, next) ? 'next' : 'ahead'
    },

    /** Names of the rules that it breaks; none when it was taken in. */
    add(candidate: PoolCandidate, now: number): string[] {
      clock = now
      const reasons = refusals(candidate)
      if (reasons.length > 0) return reasons
      const { op } = candidate
      const rival = rivalOf(op)
      const next = max(knownNext(op) ?? 0n, candidate.chainSequence)
      if (rival === undefined && operations.length >= settings.maxPoolSize) {
        const victim = victimFor(op)
        if (victim !== undefined) leave(victim, { kind: 'dropped', code: -32005 })
      }
      advance(op, next, false)
      enter(candidate, next)
      for (const { address } of countedOf(candidate)) count(address, 1, 0)
      const helpers = helpersOf(op).map(({ address }) => address)
      for (const { address } of rival === undefined ? [] : helpersOf(rival.op))
        if (!helpers.includes(address)) count(address, -1, 0)
      return []
    },

    select(options: SelectOptions): Hash[] {
      clock = options.now
      baseFee = options.baseFee
      const chosen: ModelOperation[] = []
      const tried: ModelOperation[] = []
      for (;;) {
        const [candidate] = operations
          .filter((operation) => waits(operation) && operation.failures === 0 && !tried.includes(operation))
          .filter(
            (operation) =>
              isNext(operation) ||
              chosen.some(
                (earlier) =>
                  sameLane(earlier.op, operation.op) &&
                  sequenceOf(earlier) + 1n === sequenceOf(operation) &&
                  isTrusted({ kind: 'account', address: earlier.op.sender }, earlier.facts),
              ),
          )
          .filter((operation) => pays(operation, options))
          .sort(best(options))
        if (candidate === undefined) return chosen.map(({ hash }) => hash)
        tried.push(candidate)
        const isTrustedSender = isTrusted({ kind: 'account', address: candidate.op.sender }, candidate.facts)
        const isSingle = isTrustedSender || !chosen.some(({ op }) => op.sender === candidate.op.sender)
        const isWanted = isRipe(candidate, options) && isFree(candidate) && isSingle
        if (isWanted && isWelcome(candidate, chosen) && fits([...chosen, candidate], options))
          chosen.push(candidate)
      }
    },

    suspect(options: SelectOptions): Hash | undefined {
      return operations
        .filter((operation) => waits(operation) && operation.failures > 0 && isNext(operation))
        .filter((operation) => pays(operation, options) && isRipe(operation, options) && isFree(operation))
        .filter((operation) => isWelcome(operation, []) && fits([operation], options))
        .sort(best(options))[0]?.hash
    },

    bind(hashes: readonly Hash[], bundleId: string, transactionHash?: Hash): void {
      for (const operation of operations.filter(({ hash }) => hashes.includes(hash)))
        operation.bundle = { bundleId, ...(transactionHash === undefined ? {} : { transactionHash }) }
    },

    release(hash: Hash): void {
      for (const operation of operations.filter((one) => one.hash === hash && !waits(one))) {
        operation.bundle = undefined
        operation.queuedAt = undefined
        if (sequenceOf(operation) < (knownNext(operation.op) ?? 0n))
          leave(operation, { kind: 'dropped', code: -32500 })
      }
      noteGaps()
    },

    /** It failed a bundle check, and nobody was blamed. */
    fail(hash: Hash, reason: ErrorWire, now: number): void {
      clock = now
      for (const operation of operations.filter((one) => one.hash === hash)) {
        operation.failures += 1
        operation.retryAt = now + 1000 * 2 ** (operation.failures - 1)
        if (operation.failures < 5) continue
        const { op, facts } = operation
        const trusted = (entity: Entity) => isTrusted(entity, facts)
        const blamed = entitiesOf(op).find(({ kind }) => kind === reason.data?.entity)
        const [account, ...helpers] = entitiesOf(op)
        const staked = {
          account: account !== undefined && trusted(account) ? account : undefined,
          factory: helpers.find((helper) => helper.kind === 'factory' && trusted(helper)),
        }
        const answerable =
          blamed?.kind === 'account'
            ? (staked.factory ?? staked.account)
            : blamed?.kind === 'paymaster'
              ? (staked.account ?? blamed)
              : blamed
        if (answerable !== undefined)
          note({ address: answerable.address, opsSeen: 10_000, opsIncluded: 0, isPenalty: true })
        leave(operation, { kind: 'dropped', code: reason.code })
      }
    },

    drop(hash: Hash, reason: ErrorWire): void {
      for (const operation of operations.filter((one) => one.hash === hash)) {
        const blamed = entitiesOf(operation.op).find(({ kind }) => kind === reason.data?.entity)
        const { paymaster } = operation.op
        if (blamed !== undefined && blamed.kind !== 'paymaster' && paymaster !== undefined)
          count(paymaster, -1, 0)
        leave(operation, { kind: 'dropped', code: reason.code })
      }
    },

    mined(used: readonly MinedOperation[], blockNumber: number): void {
      newestBlock = blockNumber
      for (const { hash, sender, nonce } of used) {
        const own = operations.find((operation) => operation.hash === hash)
        const [key, next] = [nonceKey(nonce), nonceSequence(nonce) + 1n]
        const past = mined.find((lane) => lane.sender === sender && lane.key === key)
        if (past === undefined) mined.push({ sender, key, next })
        else past.next = max(past.next, next)
        if (own !== undefined) {
          const lane = lanes.find(inLane(own.op))
          if (lane !== undefined) lane.next = max(lane.next, next)
          const entities = countedOf(own)
          leave(own, { kind: 'included' })
          for (const { address } of entities) count(address, 0, 1)
          inclusions.push({ hash, entities })
        }
        const [some] = operations.filter(({ op }) => op.sender === sender && nonceKey(op.nonce) === key)
        if (some !== undefined) advance(some.op, next, true)
      }
    },

    /** A reorg takes these out, newest first, and those that were ours come back. */
    unmined(undone: readonly MinedOperation[], back: readonly PoolCandidate[], now: number): void {
      for (const { hash, sender, nonce } of undone) {
        for (const { address } of inclusions
          .filter((one) => one.hash === hash)
          .flatMap((one) => one.entities))
          count(address, 0, -1)
        inclusions = inclusions.filter((one) => one.hash !== hash)
        for (const lane of [...lanes, ...mined])
          if (lane.sender === sender && lane.key === nonceKey(nonce) && lane.next > nonceSequence(nonce))
            lane.next = nonceSequence(nonce)
      }
      clock = now
      for (const candidate of back) {
        const rival = rivalOf(candidate.op)
        if (rival !== undefined && !waits(rival)) {
          gone.push({ hash: candidate.hash, departure: { kind: 'replaced' } })
          continue
        }
        enter(candidate, min(knownNext(candidate.op) ?? candidate.chainSequence, candidate.chainSequence))
      }
      noteGaps()
    },

    revalidated(hash: Hash, facts: ValidationFacts): void {
      for (const operation of operations) if (operation.hash === hash) operation.facts = facts
    },

    setDeposit(paymaster: Address, deposit: bigint): void {
      const own = () => operations.filter(({ op }) => op.paymaster === paymaster)
      if (own().length === 0) return
      deposits = [...deposits.filter((known) => known.paymaster !== paymaster), { paymaster, deposit }]
      for (;;) {
        const reserved = own().reduce((sum, { op }) => sum + requiredPrefund(op), 0n)
        const fee = ({ op }: ModelOperation) => effectivePriorityFee(op, baseFee)
        const [weakest] = own()
          .filter(waits)
          .sort((a, b) => compare(fee(a), fee(b)) || b.receivedAt - a.receivedAt || b.arrival - a.arrival)
        if (reserved <= deposit || weakest === undefined) return
        leave(weakest, { kind: 'dropped', code: -32508 })
      }
    },

    tick(now: number, timestamp: number, blockNumber: number): void {
      clock = now
      newestBlock = blockNumber
      decayedAt ??= now
      for (; now - decayedAt >= 3_600_000; decayedAt += 3_600_000) {
        for (const record of [...records]) {
          const [opsSeen, opsIncluded] = [record.opsSeen, record.opsIncluded].map((n) =>
            Math.floor((n * 23) / 24),
          )
          note({ ...record, opsSeen: opsSeen ?? 0, opsIncluded: opsIncluded ?? 0 })
        }
      }
      const isExpired = ({ facts }: ModelOperation) =>
        facts.validUntil !== undefined && facts.validUntil <= timestamp
      for (const operation of operations.filter((one) => waits(one) && isExpired(one)))
        leave(operation, { kind: 'expired', code: -32503 })
      const isTooOld = ({ receivedAt }: ModelOperation) => now - receivedAt >= settings.maxPoolAge * 1000
      const waitsTooLong = ({ queuedAt }: ModelOperation) =>
        queuedAt !== undefined && now - queuedAt >= settings.useropsTTL * 1000
      const impatient = operations.filter((one) => waits(one) && (isTooOld(one) || waitsTooLong(one)))
      for (const operation of impatient)
        leave(operation, { kind: 'dropped', code: isTooOld(operation) ? -32005 : -32602 })
      for (;;) {
        const unwelcome = operations.find(
          (one) =>
            waits(one) &&
            entitiesOf(one.op).some(({ address }) => {
              const status = statusOf(address)
              return status === 'banned' || (status === 'throttled' && blockNumber > one.block + 10)
            }),
        )
        if (unwelcome === undefined) return
        leave(unwelcome, { kind: 'dropped', code: -32504 })
      }
    },

    setReputation(address: Address, opsSeen: number, opsIncluded: number): void {
      note({ address, opsSeen, opsIncluded, isPenalty: false })
    },
    clearReputation(): void {
      records = []
    },
    clear(): void {
      for (const operation of operations.filter(({ bundle }) => bundle?.transactionHash === undefined))
        leave(operation, { kind: 'dropped', code: -32000 })
    },
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
