import { runCommandLine } from './commands/run.ts'

/** ms that output has to leave; a connection or timer that is left over must not keep the process for longer. */
const exitGrace = 1_000

const exitCode = await runCommandLine(process.argv.slice(2))
process.exitCode = exitCode
setTimeout(() => process.exit(exitCode), exitGrace).unref()
