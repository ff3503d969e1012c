import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defaultArchive } from './archive.ts'

/** Files: some 800 cases, a few seconds. `bun run evm-tests` runs all. */
const sample = 100

test.skipIf(!existsSync(defaultArchive))(
  'a sample of the official state tests passes, where their archive is beside the checkout',
  async () => {
    const main = join(import.meta.dir, 'main.ts')
    const runner = Bun.spawn(['bun', main, '--sample', String(sample)], { stdout: 'pipe', stderr: 'inherit' })
    const output = await new Response(runner.stdout).text()
    expect(output).toMatch(/^passed [1-9]\d{2,}, failed 0, left out \d+$/m)
    expect(await runner.exited).toBe(0)
  },
  120_000,
)
