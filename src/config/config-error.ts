/** Everything that is wrong with a configuration, one line each: the place, then what it must be. No values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}
