import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { startAnvil } from '../../src/dev/anvil.ts'
import { scratchDirectory, startTandem } from '../support/service.ts'

/** The anvil of the npm package: the executable has none of its own. */
const anvil = Bun.resolveSync(
  `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/anvil`,
  import.meta.dir,
)

const dev = async (...flags: string[]) => {
  const directory = scratchDirectory()
  const tandem = startTandem(['dev', ...flags], directory)
  const code = await tandem.exited
  rmSync(directory, { recursive: true })
  return { code, output: tandem.output(), log: tandem.log() }
}

test('dev --once shows three included operations and a snippet, and exits 0', async () => {
  const { code, output, log } = await dev(
    '--once',
    '--port',
    '0',
    '--admin-port',
    '0',
    '--chain-port',
    '0',
    '--anvil',
    anvil,
  )
  expect(log).toBe('')
  expect(code).toBe(0)
  for (const kind of ['self-paid', 'sponsored', 'paid in USDX'])
    expect(output).toMatch(
      new RegExp(
        `${kind}: UserOperation 0x[0-9a-f]{64} accepted\n  included in transaction 0x[0-9a-f]{64}, block \\d+`,
      ),
    )
  expect(output).toMatch(/which cost [1-9]\.\d+ USDX/)
  expect(output).toContain('a development master key, made up for this run')
  expect(output).toMatch(/with the API key tandem_[\w-]{43}/)
  expect(output).toContain('createBundlerClient')
})

test('a taken chain port is one clear line', async () => {
  const other = await startAnvil({ port: 0, chainId: 1, blockTime: undefined, path: anvil })
  const { code, log } = await dev(
    '--port',
    '0',
    '--admin-port',
    '0',
    '--chain-port',
    String(other.port),
    '--anvil',
    anvil,
  )
  await other.stop()
  expect(code).toBe(1)
  expect(log).toContain(`tandem: port ${other.port} is in use: choose another\n`)
})

for (const [flag, other] of [
  ['--port', '--admin-port'],
  ['--admin-port', '--port'],
] as const)
  test(`a taken ${flag} is one clear line`, async () => {
    const server = createServer()
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
    })
    const { code, log } = await dev(flag, String(port), other, '0', '--chain-port', '0', '--anvil', anvil)
    server.close()
    expect(code).toBe(1)
    expect(log).toContain(`tandem: ${flag}: port ${port} is in use: choose another\n`)
  })

test('a missing anvil is one clear line', async () => {
  const { code, log } = await dev(
    '--port',
    '0',
    '--admin-port',
    '0',
    '--chain-port',
    '0',
    '--anvil',
    '/nowhere/anvil',
  )
  expect(code).toBe(1)
  expect(log).toMatch(/^tandem: anvil .*$/m)
})
