import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A `tandem` process: the executable that TANDEM_BINARY names (a path from the root), or the source. */
export type TandemProcess = {
  pid: number
  /** What it printed on standard output so far. */
  output(): string
  /** JSON lines of standard error so far. */
  log(): string
  /** Resolves with the line that contains `text`. @throws when the process ends before */
  line(text: string): Promise<string>
  /** The same of standard error. */
  logLine(text: string): Promise<string>
  exited: Promise<number>
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>
  /** Does nothing until `resume`, as on a machine that sleeps. */
  pause(): void
  resume(): void
}

const root = join(import.meta.dir, '../..')

/** As `run dev` starts it. */
export const source: readonly string[] = [process.execPath, join(root, 'src/main.ts')]

export const command: readonly string[] =
  process.env.TANDEM_BINARY === undefined ? source : [resolve(root, process.env.TANDEM_BINARY)]

/** A directory of its own, empty; remove it with `rmSync`. */
export const scratchDirectory = (): string => mkdtempSync(join(tmpdir(), 'tandem-test-'))

/** Runs `tandem` in `directory` with an empty environment. */
export function startTandem(args: readonly string[], directory: string, program = command): TandemProcess {
  const child = Bun.spawn([...program, ...args], {
    cwd: directory,
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, log] = [collect(child.stdout), collect(child.stderr)]
  const said = async (text: string, stream: typeof output) => {
    const found = await Promise.race([stream.line(text), child.exited.then(() => undefined)])
    if (found !== undefined) return found
    throw new Error(`tandem ended before it said "${text}": ${output.text()}${log.text()}`)
  }
  return {
    pid: child.pid,
    output: output.text,
    log: log.text,
    line: (text) => said(text, output),
    logLine: (text) => said(text, log),
    exited: child.exited,
    async kill(signal) {
      child.kill(signal)
      return child.exited
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  }
}

/** Reads a stream to its end, and lets others wait for a line of it. */
function collect(stream: ReadableStream<Uint8Array>) {
  let text = ''
  const waiting = new Set<() => void>()
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      for (const look of waiting) look()
    }
  })()
  return {
    text: () => text,
    line: (part: string) =>
      new Promise<string>((resolve) => {
        const look = () => {
          const found = text
            .split('\n')
            .slice(0, -1)
            .find((line) => line.includes(part))
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}

export type RunningService = TandemProcess & {
  directory: string
  /** Of the only chain, with its path. */
  url: string
  /** Where the paymaster's paths begin; empty without one. */
  paymasterUrl: string
  /** Of the operator's listener. */
  adminUrl: string
  /** Ends it and removes its directory. */
  stop(): Promise<void>
}

export type ServeOptions = {
  nodeUrl: string
  relayerKeys: readonly string[]
  /** Further flags. */
  flags?: readonly string[]
  /** Of an earlier run, to go on with its database. */
  directory?: string
}

/** `tandem serve` on a free port, when it is ready. */
export async function startService(options: ServeOptions): Promise<RunningService> {
  const directory = options.directory ?? scratchDirectory()
  const args = [
    ...['serve', '--rpc-url', options.nodeUrl, '--relayer-keys', options.relayerKeys.join(',')],
    ...['--port', '0', '--admin-port', '0', ...(options.flags ?? [])],
  ]
  const process = startTandem(args, directory)
  const ready = await process.line('tandem ready: ')
  return {
    ...process,
    directory,
    url: ready.split(' ').find((word) => word.startsWith('http')) ?? '',
    paymasterUrl: / paymaster: (\S+)/.exec(ready)?.[1] ?? '',
    adminUrl: ready.split(' operator: ').at(1) ?? '',
    async stop() {
      await process.kill('SIGTERM')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
