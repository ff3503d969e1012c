import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { version } from 'solc/package.json'
import { type Compiled, type CompileOptions, compileInput, readInput } from '../../src/contracts/compile.ts'

const directory = join(import.meta.dir, '../../node_modules/.cache/tandem-solc')

/**
 * `compile` for the contracts that tests bring along, whose output is kept by all that it is made of: loading the
 * compiler takes 4 s of a processor, in each of the many files that use them.
 */
export async function compileOnce(path: string, options?: CompileOptions): Promise<Record<string, Compiled>> {
  const input = await readInput(path, options)
  const key = new Bun.CryptoHasher('sha256').update(`${version} ${input.file} ${input.json}`).digest('hex')
  const kept = join(directory, `${key}.json`)
  if (await Bun.file(kept).exists()) return (await Bun.file(kept).json()) as Record<string, Compiled>
  const compiled = await compileInput(input)
  mkdirSync(directory, { recursive: true })
  // Whole or not at all, for files that run beside this one.
  const own = join(directory, `${key}-${process.pid}`)
  await Bun.write(own, JSON.stringify(compiled))
  renameSync(own, kept)
  return compiled
}
