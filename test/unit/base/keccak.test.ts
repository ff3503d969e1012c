import { expect, test } from 'bun:test'
import { keccak256 as theirs } from 'viem'
import { random } from '../../support/random.ts'

test.each(['in the first moment of a thread', 'later'])('what viem hashes, %s', async (when) => {
  const { keccak256 } = await import(`../../../src/base/keccak.ts?${encodeURIComponent(when)}`)
  if (when === 'later') await import('hash-wasm').then(({ createKeccak }) => createKeccak(256))
  const source = random(136)
  // 136 bytes are a block: one less, one more, and several of them.
  for (const size of [0, 1, 31, 32, 64, 135, 136, 137, 271, 272, 288, 5_000]) {
    const bytes = source.bytes(size)
    expect(keccak256(bytes)).toBe(theirs(bytes))
  }
})
