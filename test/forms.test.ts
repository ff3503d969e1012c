import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const executable = join('dist', 'tandem')

/**
 * What ships is what is tested, and what `run dev` starts: all tests that start `tandem` take the executable that
 * TANDEM_BINARY names, as `bun run test` does, or else the source. These are run in the other form too.
 */
const smoke = ['wallet', 'crash', 'dev'].map((name) => `test/e2e/${name}.test.ts`)
const other = process.env.TANDEM_BINARY === undefined ? 'executable' : 'source'

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
  if (other === 'source') return
  const { code, text } = await run([process.execPath, 'src/build.ts'])
  expect(code, text).toBe(0)
}, 120_000)

test(`the ${other} serves wallets, survives crashes and shows the demo`, async () => {
  const { code, text } = await run([process.execPath, 'test', '--timeout', '60000', ...smoke], {
    TANDEM_BINARY: other === 'source' ? undefined : executable,
  })
  expect(code, text).toBe(0)
}, 300_000)
