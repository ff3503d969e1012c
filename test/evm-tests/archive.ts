import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $, Glob } from 'bun'

/** The official state tests, unpacked: paths of their JSON files. */
export type Archive = { readonly files: readonly string[]; remove(): Promise<void> }

/** Beside the checkout. */
export const defaultArchive = join(import.meta.dir, '../../../shared/data/evm-state-tests-cancun.tar.xz')

/** Loops for a minute: so it goes first, beside which the others run. */
const slowest = 'loopMul.json'

/** @param archive a .tar.xz file, unpacked with `tar` into a directory that `remove` removes */
export async function unpack(archive: string): Promise<Archive> {
  if (!existsSync(archive)) throw new Error(`no archive at ${archive}; name one with --archive`)
  const directory = await mkdtemp(join(tmpdir(), 'tandem-evm-tests-'))
  await $`tar -xJf ${archive} -C ${directory}`
  const files = [...new Glob('**/*.json').scanSync(directory)].sort(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  )
  return {
    files: files.map((file) => join(directory, file)),
    remove: () => rm(directory, { recursive: true }),
  }
}

const rank = (file: string): number => (file.endsWith(slowest) ? 0 : 1)
