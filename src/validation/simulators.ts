import type { Context } from '../base/context.ts'
import { addCounted } from '../base/count-relay.ts'
import { describe, LimitExceeded, Unavailable } from '../base/errors.ts'
import { withDeadline } from '../base/queue.ts'
import type { PrepareJob, SimulatorPort } from '../types/ports/simulator.ts'
import type { BundleVerdict } from '../types/verdict.ts'
import { createCrossCheck } from './cross-check.ts'
import { createSecondChances, type Suspicious, suspectsOf } from './second-chance.ts'
import type { SimulatorChain } from './simulator-host.ts'
import {
  type SimulatorThread,
  type SpawnSimulator,
  spawnSimulatorHere,
  spawnSimulatorWorker,
  ThreadDied,
} from './simulator-thread.ts'

/** The simulator threads as one simulator. */
export type Simulators = SimulatorPort & {
  /** Before the first job of a chain: connects every thread to its nodes. */
  open(chain: SimulatorChain): Promise<void>
  /** A new head: fetches ahead what the next jobs on it will need. Waits for nobody and never fails. */
  prepare(job: PrepareJob): void
  stop(): Promise<void>
}

/**
 * Jobs of one lane cannot crowd out those of another: trials change nothing and decide nothing, so that what is being
 * sent and bundled goes first; and whoever sends without end does not keep bundles from being checked.
 */
type Lane = 'bundles' | 'judgements' | 'trials'

type Kind = keyof SimulatorPort | 'secondOpinion'

const laneOf: Readonly<Record<Kind, Lane>> = {
  validate: 'judgements',
  rehearse: 'judgements',
  checkBundle: 'bundles',
  estimate: 'trials',
  explain: 'trials',
  secondOpinion: 'trials',
}

/** jobs of a lane; about a second's work, after which waiting callers are better told at once */
const defaultQueueSize = 1000

/** ms; metrics are not kept waiting by a thread at work */
const countingDeadline = 500

/** ms; what a full queue takes to drain a good part */
const retryAfterMs = 1000

/** Deaths in a row without one answer in between: the thread cannot work here, or somebody is after it. */
const hopeless = 5
/** ms until one that died so often is started again */
const restPause = 10_000

type Slot = { thread: SimulatorThread | undefined; fruitlessDeaths: number }

/**
 * `count` threads, or none: then the work is done in this one. A job goes to the least loaded, a trial never to the
 * home of its chain where there are others; when `queueSize` jobs of a lane are open, its next is refused at once. A
 * thread that dies is replaced, and its jobs are tried once more, each alone. Who kills two is not let near a third.
 */
export async function startSimulators(
  { count, queueSize = defaultQueueSize }: { count: number; queueSize?: number },
  context: Context & { spawn?: SpawnSimulator; pause?: (ms: number) => Promise<unknown> },
): Promise<Simulators> {
  const { log, metrics, pause = rest } = context
  const spawn = context.spawn ?? (count === 0 ? spawnSimulatorHere(context) : spawnSimulatorWorker())
  const chains = new Map<number, SimulatorChain>()
  const slots: Slot[] = Array.from({ length: Math.max(1, count) }, () => ({
    thread: undefined,
    fruitlessDeaths: 0,
  }))
  const open: Record<Lane, number> = { bundles: 0, judgements: 0, trials: 0 }
  let stopped = false

  const jobs = metrics.counter('simulator_jobs_total', 'Jobs by kind and outcome.', ['kind', 'outcome'])
  const seconds = metrics.histogram('simulator_job_seconds', 'Time from a job to its answer.', ['kind'])
  const waiting = metrics.gauge('simulator_jobs_open', 'Jobs without an answer yet.', ['lane'])
  const deaths = metrics.counter('simulator_deaths_total', 'Simulator threads that died and were replaced.')

  const levels = metrics.counter(
    'validations_total',
    'Accepted operations by the level of their validation.',
    ['chain', 'level'],
  )
  const crossCheck = createCrossCheck({
    log,
    metrics,
    secondOpinion: (job) => run('secondOpinion', job, (thread) => thread.remote.secondOpinion(job)),
  })

  const secondChances = createSecondChances({
    log,
    async start(onDeath) {
      const thread = spawn((reason) => {
        onDeath()
        noteDeath(reason)
      })
      await openAll(thread)
      return thread
    },
  })

  for (const slot of slots) await start(slot)
  // In this thread everything is counted where it is shown.
  if (count > 0) metrics.beforeText(collect)

  return {
    async validate(job) {
      const judged = run('validate', job, (thread) => thread.remote.validate(job))
      const verdict = await judged.catch(unknownIfUnavailable)
      if (verdict.kind === 'accepted') levels.inc({ chain: job.chainId, level: verdict.facts.level })
      crossCheck.sample(job, verdict, chains.get(job.chainId)?.validationCrossCheck ?? 0)
      return verdict
    },
    rehearse: (job) =>
      run('rehearse', job, (thread) => thread.remote.rehearse(job)).catch(unknownIfUnavailable),
    estimate: (job) => run('estimate', job, (thread) => thread.remote.estimate(job)),
    explain: (job) => run('explain', job, (thread) => thread.remote.explain(job)),
    checkBundle(job) {
      const isAlone = job.ops.length === 1
      // Halves tell who it is, and keep it from the others.
      if (!isAlone && secondChances.areBanned(suspectsOf(job))) return Promise.resolve(inHalves)
      return run('checkBundle', job, (thread) => thread.remote.checkBundle(job)).catch((error) =>
        error instanceof ThreadDied && !isAlone ? inHalves : unknownIfUnavailable(error),
      )
    },
    async open(chain) {
      chains.set(chain.chainId, chain)
      await Promise.all(slots.map((slot) => slot.thread?.remote.open(chain)))
    },
    prepare(job) {
      for (const slot of slots) {
        const ops = slot === homeOf(job.chainId) ? job.ops : []
        // It tells by itself what went wrong, and a thread that dies is replaced.
        void slot.thread?.remote.prepare({ ...job, ops }).catch(() => {})
      }
    },
    async stop() {
      stopped = true
      secondChances.stop()
      for (const slot of slots) slot.thread?.stop()
    },
  }

  /** What a thread tells too late is in the next text. */
  async function collect(): Promise<void> {
    await Promise.all(
      slots.map(async ({ thread }) => {
        if (thread === undefined) return
        const told = thread.remote.counted(undefined).then((counted) => addCounted(metrics, counted))
        const late = () => new Unavailable('a simulator is busy')
        await withDeadline(told, countingDeadline, late).catch(() => {})
      }),
    )
  }

  /** The thread that has the state of what waits to be bundled: it checks the bundles of the chain. */
  function homeOf(chainId: number): Slot | undefined {
    return slots[chainId % slots.length]
  }

  /** Messages keep their order: the chains are open in the thread before any job that comes after. */
  async function start(slot: Slot): Promise<void> {
    slot.thread = spawn((reason) => {
      slot.thread = undefined
      slot.fruitlessDeaths += 1
      noteDeath(reason)
      if (!stopped) void replace(slot).catch(() => {})
    })
    await openAll(slot.thread)
  }

  async function replace(slot: Slot): Promise<void> {
    if (slot.fruitlessDeaths >= hopeless) await pause(restPause)
    if (!stopped) await start(slot)
  }

  function noteDeath(reason: string): void {
    if (stopped) return
    deaths.inc()
    log.error('simulator died', { reason })
  }

  async function openAll({ remote }: SimulatorThread): Promise<void> {
    await Promise.all([...chains.values()].map((chain) => remote.open(chain)))
  }

  async function run<Result>(
    kind: Kind,
    job: Suspicious,
    call: (thread: SimulatorThread) => Promise<Result>,
  ): Promise<Result> {
    const lane = laneOf[kind]
    const suspects = suspectsOf(job)
    if (secondChances.areBanned(suspects)) {
      jobs.inc({ kind, outcome: 'banned' })
      throw new Unavailable('the operation killed two simulators not long ago')
    }
    if (open[lane] >= queueSize) {
      jobs.inc({ kind, outcome: 'refused' })
      throw new LimitExceeded('limit exceeded', { retryAfterMs })
    }
    open[lane] += 1
    waiting.set({ lane }, open[lane])
    const finished = seconds.startTimer({ kind })
    try {
      const result = await onThread(kind, job, call).catch((error) => {
        if (error instanceof ThreadDied) return secondChances.retry(suspects, call)
        throw error
      })
      jobs.inc({ kind, outcome: 'answered' })
      return result
    } catch (error) {
      jobs.inc({ kind, outcome: error instanceof Unavailable ? 'unavailable' : 'error' })
      throw error
    } finally {
      open[lane] -= 1
      waiting.set({ lane }, open[lane])
      finished()
    }
  }

  async function onThread<Result>(
    kind: Kind,
    { chainId }: { chainId: number },
    call: (thread: SimulatorThread) => Promise<Result>,
  ): Promise<Result> {
    const slot = slotFor(kind, homeOf(chainId))
    if (slot?.thread === undefined) throw new Unavailable('no simulator is running')
    const result = await call(slot.thread)
    slot.fruitlessDeaths = 0
    return result
  }

  function slotFor(kind: Kind, home: Slot | undefined): Slot | undefined {
    const alive = slots.filter((slot) => slot.thread !== undefined)
    if (kind === 'checkBundle' && home?.thread !== undefined) return home
    const others = laneOf[kind] === 'trials' ? alive.filter((slot) => slot !== home) : alive
    return leastLoaded(others.length > 0 ? others : alive)
  }
}

/** A bundle that cannot be checked as a whole for one of its operations. */
const inHalves: BundleVerdict = {
  kind: 'fails-whole',
  error: { code: -32603, message: 'Internal error', data: { what: 'checking the bundle ends its thread' } },
}

function unknownIfUnavailable(error: Error): { kind: 'unknown'; cause: string } {
  if (error instanceof Unavailable) return { kind: 'unknown', cause: describe(error) }
  throw error
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

function leastLoaded(alive: readonly Slot[]): Slot | undefined {
  const load = (slot: Slot): number => slot.thread?.inFlight ?? 0
  return alive.reduce<Slot | undefined>(
    (best, slot) => (best === undefined || load(slot) < load(best) ? slot : best),
    undefined,
  )
}
