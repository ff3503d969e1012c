import { type Client, createClient, LibsqlError } from '@libsql/client'

/** A client of a database in memory whose commits can be counted and made to fail. */
export function brittleClient() {
  const real = createClient({ url: ':memory:' })
  type Commit = Parameters<Client['batch']>
  const state = {
    commits: 0,
    trouble: undefined as Error | undefined,
    holding: undefined as Error | undefined,
    held: undefined as Commit | undefined,
  }
  const client: Client = new Proxy(real, {
    get(target, name: keyof Client) {
      if (name === 'batch') return batch
      const member = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

  async function batch(...commit: Commit) {
    if (state.trouble !== undefined) throw state.trouble
    if (state.holding !== undefined) {
      const error = state.holding
      state.holding = undefined
      state.held = commit
      throw error
    }
    const results = await real.batch(...commit)
    state.commits += 1
    return results
  }

  return {
    client,
    get commits() {
      return state.commits
    },
    /** From now on commits fail, as those of a disk that went read-only. */
    breakDown(trouble: Error = new LibsqlError('attempt to write a readonly database', 'SQLITE_READONLY')) {
      state.trouble = trouble
    },
    mend() {
      state.trouble = undefined
    },
    /** The next commit gets no answer but `error`; `carryOut` is when the server gets to it. */
    hold(error: Error) {
      state.holding = error
    },
    async carryOut() {
      if (state.held === undefined) throw new Error('no commit is held')
      await real.batch(...state.held)
    },
  }
}
