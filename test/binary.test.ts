import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const binary = join(root, 'dist', 'tandem')

/** What ships is what is tested: the same tests as of the source, in empty directories with an empty environment. */
const suite = ['wallet', 'crash', 'dev'].map((name) => `test/e2e/${name}.test.ts`)

async function run(command: string[], environment: Record<string, string | undefined> = {}) {
  const child = Bun.spawn(command, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, text: output + errors }
}

beforeAll(async () => {
  const { code, text } = await run([process.execPath, 'src/build.ts'])
  expect(code, text).toBe(0)
}, 120_000)

test('the executable serves wallets, survives crashes and shows the demo', async () => {
  const { code, text } = await run([process.execPath, 'test', '--timeout', '60000', ...suite], {
    TANDEM_BINARY: binary,
  })
  expect(code, text).toBe(0)
}, 300_000)
