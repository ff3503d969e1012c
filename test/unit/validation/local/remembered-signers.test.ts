import { expect, test } from 'bun:test'
import { hexToBytes, sha256, toBytes } from 'viem'
import { sign } from 'viem/accounts'
import { anvilKeys } from '../../../../src/dev/anvil.ts'
import { type Crypto, loadCrypto } from '../../../../src/evm/crypto/crypto.ts'
import { rememberingSigners } from '../../../../src/validation/local/remembered-signers.ts'

const crypto = await loadCrypto()

async function signed(text: string) {
  const hash = sha256(toBytes(text))
  const { r, s, yParity } = await sign({ hash, privateKey: anvilKeys[0] })
  const signature = new Uint8Array([...hexToBytes(r, { size: 32 }), ...hexToBytes(s, { size: 32 })])
  return { digest: hexToBytes(hash), signature, yParity: yParity === 0 ? 0 : 1 } as const
}

function counting(): { counted: Crypto; count: () => number } {
  let calls = 0
  const counted: Crypto = {
    ...crypto,
    recoverAddress(...signature) {
      calls += 1
      return crypto.recoverAddress(...signature)
    },
  }
  return { counted, count: () => calls }
}

test('a signature is looked at once, another one anew', async () => {
  const { counted, count } = counting()
  const { recoverAddress } = rememberingSigners(counted)
  const [one, two] = [await signed('one'), await signed('two')]
  for (const { digest, signature, yParity } of [one, two, one, two, one]) {
    expect(recoverAddress(digest, signature, yParity)).toBe(crypto.recoverAddress(digest, signature, yParity))
  }
  expect(count()).toBe(2)
})

test('the other parity, another digest and another signature are other signers', async () => {
  const { recoverAddress } = rememberingSigners(crypto)
  const [one, two] = [await signed('one'), await signed('two')]
  const flipped = one.yParity === 0 ? 1 : 0
  const signers = [
    recoverAddress(one.digest, one.signature, one.yParity),
    recoverAddress(one.digest, one.signature, flipped),
    recoverAddress(two.digest, one.signature, one.yParity),
    recoverAddress(one.digest, two.signature, two.yParity),
  ]
  expect(new Set(signers).size).toBe(signers.length)
})

test('what nobody signed is nobody’s each time', () => {
  const { recoverAddress } = rememberingSigners(crypto)
  const nothing = new Uint8Array(64)
  expect([0, 1].map(() => recoverAddress(new Uint8Array(32), nothing, 0))).toEqual([undefined, undefined])
})
