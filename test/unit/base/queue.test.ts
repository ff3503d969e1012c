import { describe, expect, test } from 'bun:test'
import { LimitExceeded } from '../../../src/base/errors.ts'
import { deferred, KeyedMutex, WorkQueue, withDeadline } from '../../../src/base/queue.ts'

/** A task that starts when it is called and ends when told. */
function controlled<T>() {
  const started = deferred<void>()
  const end = deferred<T>()
  const task = () => {
    started.resolve()
    return end.promise
  }
  return { task, started: started.promise, end: end.resolve, fail: end.reject }
}

describe('withDeadline', () => {
  const late = () => new Error('late')

  test('gives what the promise gives', async () => {
    expect(await withDeadline(Promise.resolve(1), 60_000, late)).toBe(1)
    expect(withDeadline(Promise.reject(new Error('own')), 60_000, late)).rejects.toThrow('own')
  })

  test('fails when nothing came in time', () => {
    expect(withDeadline(new Promise(() => {}), 1, late)).rejects.toThrow('late')
  })
})

describe('WorkQueue', () => {
  const options = { concurrency: 2, capacity: 1, retryAfterMs: 7 }

  test('runs as many as it may at once, the next when one ends', async () => {
    const queue = new WorkQueue(options)
    const [first, second, third] = [controlled<string>(), controlled<string>(), controlled<string>()]
    const running = [first, second, third].map(({ task }) => queue.run(task))
    await Promise.all([first.started, second.started])
    expect(queue.depth).toBe(3)
    first.end('first')
    await third.started
    second.end('second')
    third.end('third')
    expect(await Promise.all(running)).toEqual(['first', 'second', 'third'])
    expect(queue.depth).toBe(0)
  })

  test('refuses at once what it cannot hold, and says when to try again', async () => {
    const queue = new WorkQueue(options)
    const tasks = [controlled<void>(), controlled<void>(), controlled<void>()]
    const running = tasks.map(({ task }) => queue.run(task))
    const refused = await queue.run(async () => {}).catch((error) => error)
    expect(refused).toBeInstanceOf(LimitExceeded)
    expect(refused.data).toEqual({ retryAfterMs: 7 })
    for (const { end } of tasks) end()
    await Promise.all(running)
  })

  test('never runs more than it may, whenever a newcomer comes while a turn is handed on', async () => {
    const queue = new WorkQueue({ concurrency: 1, capacity: 100, retryAfterMs: 1 })
    let running = 0
    let most = 0
    const counted = async (end: Promise<void>) => {
      running += 1
      most = Math.max(most, running)
      await end
      running -= 1
    }
    const gate = deferred<void>()
    const newcomer = async (microtasks: number) => {
      await gate.promise
      for (let turn = 0; turn < microtasks; turn += 1) await undefined
      await queue.run(() => counted(Bun.sleep(0)))
    }
    const all = [
      queue.run(() => counted(gate.promise)),
      queue.run(() => counted(Bun.sleep(0))),
      ...Array.from({ length: 20 }, (_, microtasks) => newcomer(microtasks)),
    ]
    gate.resolve()
    await Promise.all(all)
    expect(most).toBe(1)
  })

  test('a failing task frees its place', async () => {
    const queue = new WorkQueue({ concurrency: 1, capacity: 0, retryAfterMs: 1 })
    const failing = async () => {
      throw new Error('broken')
    }
    expect(queue.run(failing)).rejects.toThrow('broken')
    await queue.run(failing).catch(() => {})
    expect(queue.depth).toBe(0)
  })
})

describe('KeyedMutex', () => {
  test('tasks of a key run one after the other, in order', async () => {
    const mutex = new KeyedMutex()
    const events: string[] = []
    const first = controlled<void>()
    const one = mutex.run('a', async () => {
      events.push('first starts')
      await first.task()
      events.push('first ends')
    })
    const two = mutex.run('a', async () => {
      events.push('second')
    })
    await first.started
    first.end()
    await Promise.all([one, two])
    expect(events).toEqual(['first starts', 'first ends', 'second'])
  })

  test('tasks of different keys run side by side', async () => {
    const mutex = new KeyedMutex()
    const [a, b] = [controlled<void>(), controlled<void>()]
    const running = [mutex.run('a', a.task), mutex.run('b', b.task)]
    await Promise.all([a.started, b.started])
    a.end()
    b.end()
    await Promise.all(running)
  })

  test('the next task runs although the one before failed', async () => {
    const mutex = new KeyedMutex()
    const failing = mutex.run('a', async () => {
      throw new Error('broken')
    })
    const next = mutex.run('a', async () => 'next')
    expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('next')
  })
})
