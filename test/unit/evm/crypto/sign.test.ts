import { describe, expect, test } from 'bun:test'
import { numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { bytesOfWord } from '../../../../src/evm/crypto/bytes.ts'
import { loadMcl } from '../../../../src/evm/crypto/mcl.ts'
import { secp256k1Order } from '../../../../src/evm/crypto/secp256k1.ts'
import { loadSignDigest } from '../../../../src/evm/crypto/sign.ts'
import { signingAccount } from '../../../../src/paymaster/tenants/signing-account.ts'
import { random } from '../../../support/random.ts'

const word = (value: bigint) => numberToHex(value, { size: 32 })

describe('a signature', () => {
  const source = random(6979)
  const edges = [1n, 2n, secp256k1Order / 2n, secp256k1Order - 1n]

  test('is, byte for byte, what viem gives', async () => {
    for (let round = 0; round < 300; round++) {
      const key = word((BigInt(source.bytes(32)) % (secp256k1Order - 1n)) + 1n)
      const hash = source.bytes(32)
      expect(await signingAccount(key).sign({ hash })).toBe(await privateKeyToAccount(key).sign({ hash }))
    }
  })

  test('is so at the edges of keys and digests', async () => {
    for (const key of edges)
      for (const digest of [0n, ...edges, secp256k1Order, secp256k1Order + 1n, 2n ** 256n - 1n]) {
        const hash = word(digest)
        const theirs = await privateKeyToAccount(word(key)).sign({ hash })
        expect(await signingAccount(word(key)).sign({ hash }), `${key} ${digest}`).toBe(theirs)
      }
  })

  test('leaves the key nowhere in the memory that it was made in', () => {
    const mcl = loadMcl('secp256k1')
    const sign = loadSignDigest(mcl)
    const key = bytesOfWord(BigInt(source.bytes(31)) + 1n)
    sign(bytesOfWord(7n), key)
    const memory = Buffer.from(mcl.memory)
    expect(memory.includes(key)).toBe(false)
    expect(memory.includes(key.toReversed())).toBe(false)
  })
})
