import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Address, bytesToHex, type Hex, hexToBytes, isHex, size } from 'viem'

const algorithm = 'aes-256-gcm'
const masterKeyBytes = 32
/** bytes, as NIST SP 800-38D recommends for GCM */
const ivBytes = 12
const tagBytes = 16

/** The master key does not open this wallet: it is another one, or the row was altered. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey'
  constructor(readonly wallet: Address) {
    super(`the master key does not open the wallet ${wallet}`)
  }
}

/** Encrypts wallets' private keys at rest: AES-256-GCM, bound to the wallet's address. */
export type WalletCipher = {
  /** iv ‖ tag ‖ ciphertext */
  encrypt(privateKey: Hex, wallet: Address): Hex
  /** @throws WrongMasterKey */
  decrypt(encrypted: Hex, wallet: Address): Hex
}

/** @param masterKey 32 bytes of hex. @throws Error when it is not */
export function createWalletCipher(masterKey: Hex): WalletCipher {
  if (!isHex(masterKey) || size(masterKey) !== masterKeyBytes)
    throw new Error(`the master key must be ${masterKeyBytes} bytes of hex`)
  const key = hexToBytes(masterKey)
  return {
    encrypt(privateKey, wallet) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, key, iv)
      cipher.setAAD(hexToBytes(wallet))
      const sealed = Buffer.concat([cipher.update(hexToBytes(privateKey)), cipher.final()])
      return bytesToHex(Buffer.concat([iv, cipher.getAuthTag(), sealed]))
    },
    decrypt(encrypted, wallet) {
      const bytes = hexToBytes(encrypted)
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes))
        decipher.setAAD(hexToBytes(wallet))
        decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
        const sealed = bytes.subarray(ivBytes + tagBytes)
        return bytesToHex(Buffer.concat([decipher.update(sealed), decipher.final()]))
      } catch {
        throw new WrongMasterKey(wallet)
      }
    },
  }
}
