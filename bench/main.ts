import { benchmarkHash } from './hash.ts'
import { formatTable } from './table.ts'

/** `bun run bench`: what is written by hand for speed, beside the library that it replaces. */
process.stdout.write(formatTable(benchmarkHash()))
