import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A bundler process under load, whoever wrote it. */
export type RunningBundler = {
  name: string
  url: string
  pid: number
  /** s from its start until it answered */
  startSeconds: number
  /** Asks it to stop, and waits. @returns its exit code */
  end(): Promise<number>
  stop(): Promise<void>
}

export type BundlerOptions = {
  nodeUrl: string
  chainId: number
  port: number
  entryPoints: readonly string[]
  keys: readonly string[]
}

/** How one bundler is started. `prepare` installs what it needs, once. */
export type BundlerKind = {
  name: string
  prepare(): Promise<void>
  start(options: BundlerOptions): Promise<RunningBundler>
}

/** ms between looks whether a bundler answers yet; its start is measured to this */
const lookInterval = 20

/** Spawns `command` and waits until it answers eth_supportedEntryPoints. */
export async function startBundler(options: {
  name: string
  command: readonly string[]
  url: string
  directory: string
  /** File for its standard error. */
  log?: string
  onStop?: () => void
}): Promise<RunningBundler> {
  const started = performance.now()
  const child = Bun.spawn([...options.command], {
    cwd: options.directory,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: options.log === undefined ? 'ignore' : Bun.file(options.log),
  })
  while (!(await answers(options.url))) {
    if (child.exitCode !== null)
      throw new Error(`${options.name} ended with ${child.exitCode} before it answered`)
    await Bun.sleep(lookInterval)
  }
  return {
    name: options.name,
    url: options.url,
    pid: child.pid,
    startSeconds: (performance.now() - started) / 1000,
    end() {
      child.kill('SIGTERM')
      return child.exited
    },
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      options.onStop?.()
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_supportedEntryPoints', params: [] })
    const headers = { 'content-type': 'application/json' }
    const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
      result?: unknown
    }
    return Array.isArray(answer.result)
  } catch {
    return false
  }
}

/** A directory that the bundler may fill, and a function that removes it. */
export function scratch(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'tandem-bench-'))
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
