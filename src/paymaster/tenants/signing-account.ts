import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { once } from '../../base/once.ts'
import { loadSignDigest } from '../../evm/crypto/sign.ts'

const signDigest = once(loadSignDigest)

/** viem's account of a key, but that hashes are signed a few times as fast, to the same bytes. */
export function signingAccount(privateKey: Hex): PrivateKeyAccount {
  const key = Uint8Array.fromHex(privateKey.slice(2))
  return {
    ...privateKeyToAccount(privateKey),
    async sign({ hash }) {
      const { r, s, yParity } = signDigest()(Uint8Array.fromHex(hash.slice(2)), key)
      return `0x${r.toHex()}${s.toHex()}${yParity === 0 ? '1b' : '1c'}`
    },
  }
}
