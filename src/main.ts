import { runCommandLine } from './commands/run.ts'

process.exitCode = await runCommandLine(process.argv.slice(2))
