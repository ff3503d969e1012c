import { unknown } from '../config/given.ts'
import type { Setting } from '../config/kinds.ts'
import { defaultOf, expectedOf, flagForm, referenceText } from '../config/reference.ts'
import { type CommandName, commandNames, commands, isCommand } from './commands.ts'

/** `help`, `help <command>`, `help --markdown` (the reference of all settings). Gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [topic] = args
  if (topic === undefined) process.stdout.write(overview())
  else if (topic === '--markdown') process.stdout.write(referenceText())
  else if (isCommand(topic)) process.stdout.write(helpOf(topic))
  else {
    process.stderr.write(`tandem: ${unknown(topic, 'a command', commandNames)}\n`)
    return 2
  }
  return 0
}

function overview(): string {
  const lines = commandNames.map((name) => `  tandem ${name.padEnd(9)} ${commands[name].summary}`)
  return `Tandem: an ERC-4337 bundler and paymaster in one process.

${lines.join('\n')}

  tandem serve --rpc-url https://node.example --relayer-keys @keys.txt

Every flag of serve has an environment twin (--rpc-url is TANDEM_RPC_URL) and a key in the file (rpcUrl).
Secrets may be given as @file or env:NAME.
`
}

function helpOf(name: CommandName): string {
  const { summary, settings } = commands[name]
  const lines = [...settings].map(([setting, about]) => flagLines(setting, about))
  return `tandem ${name}: ${summary}\n\n${lines.join('\n')}\n`
}

function flagLines(name: string, setting: Setting): string {
  return `  ${flagForm(name, setting)}\n      ${setting.description} (${expectedOf(setting)}; default: ${defaultOf(setting)})`
}
