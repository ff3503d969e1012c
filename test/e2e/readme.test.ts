import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { snippet } from '../../src/dev/snippet.ts'
import { scratchDirectory, startTandem, type TandemProcess } from '../support/service.ts'

const root = join(import.meta.dir, '../..')
const directory = scratchDirectory()
let tandem: TandemProcess

beforeAll(async () => {
  tandem = startTandem(['dev', '--port', '0', '--admin-port', '0', '--chain-port', '0'], directory)
  await tandem.line('tandem ready: ')
})

afterAll(async () => {
  await tandem?.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
})

test("the README's first call is what dev prints, for its default ports", async () => {
  const readme = await Bun.file(join(root, 'README.md')).text()
  const shown = snippet({ nodeUrl: 'http://127.0.0.1:8545', bundlerUrl: 'http://127.0.0.1:4337/v1/31337/' })
  expect(readme).toContain(shown)
})

test('what dev prints runs as it stands', async () => {
  const script = tandem
    .output()
    .slice(tandem.output().indexOf('import '), tandem.output().indexOf('tandem ready'))
  const path = join(root, 'test', 'e2e', `pasted-${process.pid}.ts`)
  await Bun.write(path, script)
  try {
    const child = Bun.spawn([process.execPath, path], { cwd: root, stdout: 'pipe', stderr: 'pipe' })
    const output = await new Response(child.stdout).text()
    expect(await child.exited, await new Response(child.stderr).text()).toBe(0)
    expect(output).toMatch(/^true 0x[0-9a-f]{64}$/m)
  } finally {
    rmSync(path)
  }
})
