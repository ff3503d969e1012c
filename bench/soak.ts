import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { formatKinds, formatProgress, formatWindows } from './soak/report.ts'
import { soak } from './soak/run.ts'

/**
 * `bun run soak [--minutes 60] [--rate 20] [--hostile 0.2] [--history 48] [--database URL] [--binary PATH]
 * [-- flags of tandem serve]`: a steady load, and whether all that it has to keep was kept. Ends with 1 when a promise
 * is broken.
 */
const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '20' },
    hostile: { type: 'string', default: '0' },
    history: { type: 'string', default: '48' },
    database: { type: 'string' },
    binary: { type: 'string' },
  },
  allowPositionals: true,
})
const { windows, promises, sends, watch, log } = await soak(
  {
    minutes: Number(values.minutes),
    rate: Number(values.rate),
    hostile: Number(values.hostile),
    history: Number(values.history),
    database: values.database,
    binary: values.binary && resolve(values.binary),
    flags: positionals,
  },
  (minute) => process.stdout.write(formatProgress(minute)),
)
process.stdout.write(`\n${formatWindows(windows)}\n`)
if (Number(values.hostile) > 0) process.stdout.write(`${formatKinds(sends, watch)}\n`)
for (const { what, kept, found } of promises)
  process.stdout.write(`${kept ? 'kept  ' : 'BROKEN'}  ${what}: ${found}\n`)
const complaints = log.split('\n').filter(Boolean)
process.stdout.write(`\n${complaints.length} complaints in its log\n${complaints.slice(0, 5).join('\n')}\n`)
process.exit(promises.every(({ kept }) => kept) ? 0 : 1)
