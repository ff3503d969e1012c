import { expect, test } from 'bun:test'
import { Glob } from 'bun'

/**
 * Faults of other bundlers, numbered as in the paper that lists them. Each has tests whose names begin with its
 * number and which would fail on the peer's behaviour.
 */
const faults = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]

const tests = `${import.meta.dir}/..`

test.each(faults)('fault %d of the peers has a test of its own', async (fault) => {
  const sources = await Promise.all(
    [...new Glob('{faults,e2e}/*.test.ts').scanSync(tests)].map((file) =>
      Bun.file(`${tests}/${file}`).text(),
    ),
  )
  expect(sources.join('\n')).toMatch(new RegExp(`\\btest\\(\\s*(['"\`])fault ${fault}: `))
})
