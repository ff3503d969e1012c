import { addressMask, byteLength, bytesOf, type Word } from './word.ts'

type Keccak = (bytes: Uint8Array) => Word

/** Where CREATE puts a contract: the hash of the RLP list of its creator and the creator's nonce before. */
export function createAddress(keccak: Keccak, creator: Word, nonce: bigint): Word {
  const length = byteLength(nonce)
  const encodedNonce =
    nonce !== 0n && nonce < 0x80n
      ? bytesOf(nonce, 1)
      : Uint8Array.of(0x80 + length, ...bytesOf(nonce, length))
  const list = Uint8Array.of(0x80 + 20, ...bytesOf(creator, 20), ...encodedNonce)
  return keccak(Uint8Array.of(0xc0 + list.length, ...list)) & addressMask
}

/** Where CREATE2 puts it (EIP-1014). */
export function create2Address(keccak: Keccak, creator: Word, salt: Word, initCode: Uint8Array): Word {
  const preimage = new Uint8Array(85)
  preimage[0] = 0xff
  preimage.set(bytesOf(creator, 20), 1)
  preimage.set(bytesOf(salt, 32), 21)
  preimage.set(bytesOf(keccak(initCode), 32), 53)
  return keccak(preimage) & addressMask
}
