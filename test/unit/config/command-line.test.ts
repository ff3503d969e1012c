import { expect, test } from 'bun:test'
import { version } from '../../../package.json'

const main = new URL('../../../src/main.ts', import.meta.url).pathname

async function tandem(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([process.execPath, main, ...args], { env: {}, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

test('--version', async () => {
  expect(await tandem('--version')).toEqual({ code: 0, out: `tandem ${version}\n`, err: '' })
})

test.each([[['help']], [['--help']], [[]]])('%j lists the commands', async (args) => {
  const { code, out, err } = await tandem(...args)
  expect([code, err]).toEqual([0, ''])
  for (const command of ['dev', 'serve', 'check', 'backup', 'keys', 'paymaster', 'help'])
    expect(out).toContain(`\n  tandem ${command} `)
})

test.each([[['help', 'serve']], [['serve', '--help']]])('%j lists the flags of serve', async (args) => {
  const { code, out } = await tandem(...args)
  expect(code).toBe(0)
  expect(out).toContain('  --port …\n      port of the public listener')
  expect(out).toContain('  --no-redirect-rpc\n')
  expect(out).not.toContain('--chain-port')
})

test.each([
  [['sevre'], 'tandem: sevre is not a command: did you mean serve?\nTry: tandem help\n'],
  [['--port', '1'], 'tandem: the command comes before the flags\nTry: tandem help\n'],
  [['help', 'sevre'], 'tandem: sevre is not a command: did you mean serve?\n'],
  [
    ['serve', '--prot=1', '--rpc-url=http://x', '--relayer-keys=1'],
    'tandem: --prot is not a flag of this command: did you mean --port?\ntandem: --relayer-keys (entry 1): must be a list of private keys (32 bytes of hex each)\n',
  ],
])('%j is refused with exit code 2', async (args, err) => {
  expect(await tandem(...args)).toEqual({ code: 2, out: '', err })
})
