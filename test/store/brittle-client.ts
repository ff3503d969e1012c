import { type Client, createClient, LibsqlError } from '@libsql/client'

/** A client of a database in memory whose commits can be counted and made to fail. */
export function brittleClient() {
  const real = createClient({ url: ':memory:' })
  const state = { commits: 0, trouble: undefined as Error | undefined }
  const client: Client = new Proxy(real, {
    get(target, name: keyof Client) {
      if (name === 'batch') return batch
      const member = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

  async function batch(...[statements, mode]: Parameters<Client['batch']>) {
    if (state.trouble !== undefined) throw state.trouble
    const results = await real.batch(statements, mode)
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
  }
}
