import { parseArgs } from 'node:util'
import { defaultArchive, unpack } from './archive.ts'
import { excluded } from './excluded.ts'
import { runFiles } from './run-files.ts'

const usage = `bun run evm-tests [--archive PATH] [--filter TEXT] [--sample N]
  Runs the Cancun cases of the official state tests.
  --archive  the .tar.xz file; by default ../shared/data/evm-state-tests-cancun.tar.xz
  --filter   only files whose path contains TEXT
  --sample   only N files, evenly spread over all`

/** So many of them, from the middle of each of as many equal parts. */
function spread(files: readonly string[], count: number): readonly string[] {
  if (count >= files.length) return files
  const part = files.length / count
  return Array.from({ length: count }, (_, index) => files[Math.floor((index + 0.5) * part)] ?? '')
}

/** @returns the exit code */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      archive: { type: 'string', default: defaultArchive },
      filter: { type: 'string', default: '' },
      sample: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const archive = await unpack(values.archive)
  let passed = 0
  let failed = 0
  try {
    const chosen = archive.files.filter((file) => file.includes(values.filter))
    const sample = values.sample === undefined ? chosen : spread(chosen, Number(values.sample))
    await runFiles(sample, (reports) => {
      for (const { name, failure } of reports) {
        if (failure === undefined) passed += 1
        else failed += 1
        if (failure !== undefined) console.log(`failed: ${name}: ${failure}`)
      }
    })
  } finally {
    await archive.remove()
  }
  for (const [name, reason] of excluded) console.log(`left out: ${name}: ${reason}`)
  console.log(`passed ${passed}, failed ${failed}, left out ${excluded.size}`)
  return failed === 0 ? 0 : 1
}

process.exit(await main())
