import {
  backupSettings,
  devSettings,
  explainSettings,
  newKeySettings,
  paymasterSettings,
  serveSettings,
} from '../config/load.ts'
import type { Settings } from '../config/settings.ts'

export type CommandName = 'dev' | 'serve' | 'check' | 'explain' | 'backup' | 'keys' | 'paymaster' | 'help'

/** What a command is for, and the settings that it takes. */
export type Command = { summary: string; settings: Settings }

export const commands: Readonly<Record<CommandName, Command>> = {
  dev: {
    summary: 'development chain + service + three demo UserOperations',
    settings: devSettings,
  },
  serve: {
    summary: 'the service',
    settings: serveSettings,
  },
  check: {
    summary: 'what would be served and what is missing; fails if it could not serve',
    settings: serveSettings,
  },
  explain: {
    summary:
      'explain OPERATION.json: why an operation is accepted or not, its calls, its gas, the rules it breaks',
    settings: explainSettings,
  },
  backup: {
    summary: 'copy of the database file, while the service runs',
    settings: backupSettings,
  },
  keys: {
    summary: 'keys create | list | rotate ID | revoke ID: API keys of the paymaster, while the service runs',
    settings: newKeySettings,
  },
  paymaster: {
    summary: "paymaster deploy | status: the operator's own paymasters, on each chain",
    settings: paymasterSettings,
  },
  help: { summary: 'this text; help <command> lists its flags', settings: new Map() },
}

export const commandNames = Object.keys(commands) as readonly CommandName[]

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}
