import { ConfigError } from '../config/config-error.ts'

/**
 * The configuration that `load` gives, after its warnings went to standard error; or `undefined` after the problems
 * went there, one line each.
 */
export function configured<T extends { warnings: readonly string[] }>(load: () => T): T | undefined {
  try {
    const configuration = load()
    for (const warning of configuration.warnings) process.stderr.write(`tandem: warning: ${warning}\n`)
    return configuration
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) process.stderr.write(`tandem: ${problem}\n`)
    return undefined
  }
}
