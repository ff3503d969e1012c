import { expect, test } from 'bun:test'
import { Glob } from 'bun'

/**
 * Faults of other bundlers, numbered as in the paper that lists them. Each has tests here whose names begin with its
 * number and which would fail on the peer's behaviour. Absent are 8 and 17, which come with the EVM, and 20, which
 * comes with the paymaster.
 */
const faults = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21]

test.each(faults)('fault %d of the peers has a test of its own', async (fault) => {
  const sources = await Promise.all(
    [...new Glob('*.test.ts').scanSync(import.meta.dir)].map((file) =>
      Bun.file(`${import.meta.dir}/${file}`).text(),
    ),
  )
  expect(sources.join('\n')).toMatch(new RegExp(`\\btest\\(\\s*(['"\`])fault ${fault}: `))
})
