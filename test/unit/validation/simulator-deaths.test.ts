import { describe, expect, test } from 'bun:test'
import { nextTurn } from '../../../src/base/next-turn.ts'
import { deferred } from '../../../src/base/queue.ts'
import type { CheckBundleJob, ValidateJob } from '../../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import type { Verdict } from '../../../src/types/verdict.ts'
import { type SpawnSimulator, ThreadDied } from '../../../src/validation/simulator-thread.ts'
import { startSimulators } from '../../../src/validation/simulators.ts'
import { facts, userOp } from '../../support/builders.ts'
import { silentContext } from '../../support/simulation.ts'

const block = { number: 1, hash: '0x', timestamp: 1 } as const
const killer = userOp({ sender: '0x00000000000000000000000000000000000000dd' })
const innocents = Array.from({ length: 5 }, (_, index) =>
  userOp({ sender: `0x000000000000000000000000000000000000000${index}` }),
)

const jobOf = (op: UserOperation): ValidateJob => ({ chainId: 1, op, block, nonceSequence: undefined })
const bundleOf = (ops: readonly UserOperation[]): CheckBundleJob => ({
  ...{ chainId: 1, version: '0.7', ops, beneficiary: killer.sender, from: killer.sender },
  ...{ gasLimit: 1n, maxFeePerGas: 1n, block: 'latest' },
})

type Fate = 'lives' | 'dies'

/** Threads that answer in the next turn of the event loop, unless one of their jobs kills them before. */
function mortalThreads(fateOf: (op: UserOperation) => Fate) {
  /** Senders of the jobs of each thread. */
  const threads: string[][] = []
  const spawn: SpawnSimulator = (onDeath) => {
    const given: string[] = []
    threads.push(given)
    const death = deferred<never>()
    death.promise.catch(() => {})
    let inFlight = 0

    async function take<Answer>(ops: readonly UserOperation[], answer: Answer): Promise<Answer> {
      inFlight += 1
      given.push(...ops.map(({ sender }) => sender))
      if (ops.some((op) => fateOf(op) === 'dies')) {
        queueMicrotask(() => {
          death.reject(new ThreadDied('simulator died: on purpose'))
          onDeath('on purpose')
        })
      }
      try {
        return await Promise.race([death.promise, nextTurn().then(() => answer)])
      } finally {
        inFlight -= 1
      }
    }

    return {
      remote: {
        validate: ({ op }) =>
          take<Verdict>([op], { kind: 'accepted', facts: facts(op, { prefund: BigInt(op.sender) }) }),
        checkBundle: ({ ops }) => take(ops, { kind: 'passes', authorizations: [] }),
        rehearse: () => Promise.reject(new Error('not asked')),
        estimate: () => Promise.reject(new Error('not asked')),
        explain: () => Promise.reject(new Error('not asked')),
        secondOpinion: () => Promise.reject(new Error('not asked')),
        open: async () => {},
        prepare: async () => {},
        counted: async () => [],
        ping: async () => {},
      },
      get inFlight() {
        return inFlight
      },
      stop: () => {},
    }
  }
  return { spawn, threads }
}

const kindsOf = (verdicts: readonly Verdict[]) => verdicts.map(({ kind }) => kind)

describe('a job that kills its thread', () => {
  test('takes no other job along, each of which has its own verdict', async () => {
    const { spawn, threads } = mortalThreads((op) => (op === killer ? 'dies' : 'lives'))
    const simulators = await startSimulators({ count: 1 }, { ...silentContext(), spawn })
    const [first, second, ...others] = innocents
    const ops = [first, second, killer, ...others].filter((op) => op !== undefined)
    const verdicts = await Promise.all(ops.map((op) => simulators.validate(jobOf(op))))

    expect(kindsOf(verdicts)).toEqual(ops.map((op) => (op === killer ? 'unknown' : 'accepted')))
    expect(verdicts.map((verdict) => verdict.kind === 'accepted' && verdict.facts.prefund)).toEqual(
      ops.map((op) => op !== killer && BigInt(op.sender)),
    )
    // All in the first; none again in the one that replaces it; then one by one, until the killer ends that one too.
    const senders = ops.map(({ sender }) => sender)
    expect(threads).toEqual([senders, [], senders.slice(0, 3), senders.slice(3)])
  })

  test('of two that kill, each is found', async () => {
    const other = userOp({ sender: '0x00000000000000000000000000000000000000ee' })
    const { spawn } = mortalThreads((op) => (op === killer || op === other ? 'dies' : 'lives'))
    const simulators = await startSimulators({ count: 2 }, { ...silentContext(), spawn })
    const ops = [killer, ...innocents, other]
    const verdicts = await Promise.all(ops.map((op) => simulators.validate(jobOf(op))))
    expect(kindsOf(verdicts)).toEqual(['unknown', ...innocents.map(() => 'accepted' as const), 'unknown'])
  })

  test('kills two threads, and no more', async () => {
    const { spawn, threads } = mortalThreads((op) => (op.sender === killer.sender ? 'dies' : 'lives'))
    const simulators = await startSimulators({ count: 1 }, { ...silentContext(), spawn })
    for (let nonce = 0n; nonce < 20n; nonce += 1n) {
      const verdict = await simulators.validate(jobOf({ ...killer, nonce }))
      expect(verdict.kind).toBe('unknown')
    }
    expect(threads).toEqual([[killer.sender], [], [killer.sender]])
  })

  test('once is tried again, and has its verdict', async () => {
    let lives = 1
    const { spawn } = mortalThreads(() => (lives-- > 0 ? 'dies' : 'lives'))
    const simulators = await startSimulators({ count: 1 }, { ...silentContext(), spawn })
    expect(await simulators.validate(jobOf(killer))).toMatchObject({ kind: 'accepted' })
  })
})

describe('a bundle that kills its thread', () => {
  test('is nobody’s failure by name: its halves are to be checked, until one is alone', async () => {
    const { spawn, threads } = mortalThreads((op) => (op === killer ? 'dies' : 'lives'))
    const simulators = await startSimulators({ count: 1 }, { ...silentContext(), spawn })
    const [one, two, three] = innocents
    const half = (ops: readonly (UserOperation | undefined)[]) =>
      simulators.checkBundle(bundleOf(ops.filter((op) => op !== undefined)))
    expect((await half([one, killer, two, three])).kind).toBe('fails-whole')
    expect((await half([one, killer])).kind).toBe('fails-whole')
    expect((await half([killer])).kind).toBe('unknown')
    expect((await half([two, three])).kind).toBe('passes')
    const before = threads.length
    expect((await half([one, killer, two])).kind).toBe('fails-whole')
    expect((await half([killer])).kind).toBe('unknown')
    expect(threads.length).toBe(before)
  })
})

test('a thread that dies five times without an answer rests before it is started again', async () => {
  const rests: number[] = []
  const rested = deferred<void>()
  const { spawn, threads } = mortalThreads((op) => (op === innocents[0] ? 'lives' : 'dies'))
  const pause = (ms: number) => {
    rests.push(ms)
    return rested.promise
  }
  const simulators = await startSimulators({ count: 1 }, { ...silentContext(), spawn, pause })
  for (let index = 0; index < 5; index += 1) {
    const sender = `0x00000000000000000000000000000000000001${index}0` as const
    await simulators.validate(jobOf(userOp({ sender })))
  }
  const job = jobOf(innocents[0] ?? killer)
  expect(rests).toEqual([10_000])
  expect(await simulators.validate(job)).toEqual({ kind: 'unknown', cause: 'no simulator is running' })

  const before = threads.length
  rested.resolve()
  await nextTurn()
  expect(threads.length).toBe(before + 1)
  expect(await simulators.validate(job)).toMatchObject({ kind: 'accepted' })
})
