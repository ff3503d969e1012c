import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Hash } from 'viem'
import { databaseKinds } from '../support/database.ts'
import { chainId, record } from './builders.ts'
import { database } from './places.ts'

/** Acknowledgements after which the writer is killed; each time at another point of its work. */
const killAfter = [1, 250, 2_000]

const cases = databaseKinds.flatMap((kind) => killAfter.map((count) => [count, kind] as const))

test.each(cases)(
  'what was acknowledged survives a kill -9 after %d acknowledgements, on a %s',
  async (count, kind) => {
    await using place = await database(kind)
    const writer = Bun.spawn([process.execPath, join(import.meta.dir, 'writer.ts'), place.url], {
      stdout: 'pipe',
    })
    const acknowledged = await linesUntilKilled(writer, count)
    expect(acknowledged.length).toBeGreaterThanOrEqual(count)

    const store = await place.open('this thread')
    const kept = new Set((await store.openOperations({ chainId })).map(({ hash }) => hash))
    expect(acknowledged.filter((hash) => !kept.has(hash))).toEqual([])
    await store.addOperation(record())
    expect(await store.operation(record())).toEqual(record())
  },
)

/** Whole lines only: half a line was never an acknowledgement. */
async function linesUntilKilled(
  writer: Bun.Subprocess<'ignore', 'pipe', 'inherit'>,
  count: number,
): Promise<Hash[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of writer.stdout) {
    text += decoder.decode(chunk, { stream: true })
    if (text.split('\n').length > count) writer.kill('SIGKILL')
  }
  await writer.exited
  return text.split('\n').slice(0, -1) as Hash[]
}
