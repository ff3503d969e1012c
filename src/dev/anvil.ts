import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe } from '../base/errors.ts'
import { withDeadline } from '../base/queue.ts'

/** A running anvil: a development chain (Foundry). */
export type Anvil = {
  url: string
  port: number
  chainId: number
  process: Bun.Subprocess
  stop(): Promise<void>
}

export type AnvilOptions = {
  /** 0 picks a free port. */
  port: number
  chainId: number
  /** s between blocks; `undefined` mines at once */
  blockTime: number | undefined
  /** Executable; `undefined` is the npm package's. */
  path: string | undefined
  hardfork?: string
  extraArguments?: readonly string[]
}

/** What one command can do about it, in one line. */
export class AnvilError extends Error {
  override readonly name = 'AnvilError'
}

/** ms; a busy machine takes seconds, a quiet one 0.2 s */
const startDeadline = 30_000

/** The keys of anvil's first accounts: public, on every development chain. */
export const anvilKeys = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
] as const

/** @throws AnvilError when the port is taken, anvil is missing, or it ends before it listens */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const port = options.port === 0 ? await freePort() : options.port
  if (options.port !== 0 && !(await isFree(port)))
    throw new AnvilError(`port ${port} is in use: choose another`)
  const command = [
    ...anvilCommand(options.path),
    ...[
      '--port',
      String(port),
      '--chain-id',
      String(options.chainId),
      '--hardfork',
      options.hardfork ?? 'prague',
    ],
    ...(options.blockTime === undefined ? [] : ['--block-time', String(options.blockTime)]),
    ...(options.extraArguments ?? []),
  ]
  const child = spawnAnvil(command)
  const late = () => new AnvilError(`anvil did not listen within ${startDeadline / 1000} s`)
  await withDeadline(listening(child), startDeadline, late).catch((error) => {
    child.kill('SIGKILL')
    throw error
  })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    chainId: options.chainId,
    process: child,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** The npm package's own binary of this platform, without the wrapper script that needs Node. */
function anvilCommand(path: string | undefined): string[] {
  if (path !== undefined) return [path]
  const architecture = process.arch === 'x64' ? 'amd64' : 'arm64'
  try {
    const binary = import.meta.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`)
    return [fileURLToPath(binary)]
  } catch {
    throw new AnvilError('anvil was not found: install it with npm (@foundry-rs/anvil) and pass --anvil PATH')
  }
}

function spawnAnvil(command: string[]): Bun.Subprocess<'ignore', 'pipe', 'pipe'> {
  try {
    return Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  } catch (error) {
    throw new AnvilError(`anvil could not be started: ${describe(error)}`)
  }
}

/** Reads the output until anvil says that it listens, and on, so that its pipe never fills. */
async function listening(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<void> {
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let seen = ''
  while (!seen.includes('Listening on')) {
    const { value, done } = await reader.read()
    if (done) {
      const reason = (await new Response(child.stderr).text()).trim().split('\n')[0] ?? ''
      throw new AnvilError(`anvil ended before it listened: ${reason}`)
    }
    seen += decoder.decode(value)
  }
  void (async () => {
    while (!(await reader.read()).done);
  })().catch(() => {})
  void child.stderr.pipeTo(new WritableStream()).catch(() => {})
}

/** A port that nothing listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
