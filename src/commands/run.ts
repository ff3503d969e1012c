import { version } from '../../package.json'
import { unknown } from '../config/given.ts'
import { commandNames, isCommand } from './commands.ts'

/** Runs a command line without the program's name; gives the exit code. 2 is a wrong command line or configuration. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...args] = argv
  if (name === '--version') {
    process.stdout.write(`tandem ${version}\n`)
    return 0
  }
  if (name === '--help') return (await import('./help.ts')).run(args)
  if (!isCommand(name)) {
    const problem = name.startsWith('-')
      ? 'the command comes before the flags'
      : unknown(name, 'a command', commandNames)
    process.stderr.write(`tandem: ${problem}\nTry: tandem help\n`)
    return 2
  }
  if (args.includes('--help')) return (await import('./help.ts')).run([name])
  switch (name) {
    case 'dev':
      return (await import('./dev.ts')).run(args)
    case 'serve':
      return (await import('./serve.ts')).run(args)
    case 'check':
      return (await import('./check.ts')).run(args)
    case 'explain':
      return (await import('./explain.ts')).run(args)
    case 'backup':
      return (await import('./backup.ts')).run(args)
    case 'keys':
      return (await import('./keys.ts')).run(args)
    case 'paymaster':
      return (await import('./paymaster.ts')).run(args)
    case 'help':
      return (await import('./help.ts')).run(args)
  }
}
