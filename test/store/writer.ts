import { createMetrics } from '../../src/base/metrics.ts'
import { startStoreThread } from '../../src/store/thread.ts'
import { operation, record } from './builders.ts'
import { storeOptions } from './places.ts'

/** Writes operations without end, a hundred at a time, and prints the hash of each that was acknowledged. */
const store = await startStoreThread(storeOptions(process.argv[2] ?? ''), {
  metrics: createMetrics(),
  onFatal: () => process.exit(1),
  signal: new AbortController().signal,
})

async function writeEndlessly(lane: number): Promise<void> {
  for (let sequence = 0n; ; sequence++) {
    const added = record({ op: operation({ nonce: (BigInt(lane) << 64n) | sequence }) })
    await store.addOperation(added)
    process.stdout.write(`${added.hash}\n`)
  }
}

await Promise.all(Array.from({ length: 100 }, (_, lane) => writeEndlessly(lane)))
