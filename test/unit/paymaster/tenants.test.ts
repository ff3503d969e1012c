import { describe, expect, test } from 'bun:test'
import { type Hex, size } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { createApiKey, hashApiKey } from '../../../src/paymaster/tenants/api-key.ts'
import { createWalletCipher, WrongMasterKey } from '../../../src/paymaster/tenants/wallet-cipher.ts'
import { address } from '../../support/builders.ts'

test('an API key is known by its hash, and no two are alike', () => {
  const keys = Array.from({ length: 100 }, createApiKey)
  expect(new Set(keys.map(({ text }) => text)).size).toBe(100)
  for (const { text, hash, hint } of keys) {
    expect(text).toMatch(/^tandem_[\w-]{43}$/)
    expect(hash).toBe(hashApiKey(text))
    expect(text.startsWith(hint)).toBe(true)
    expect(hint).toHaveLength(11)
  }
})

describe('a wallet at rest', () => {
  const masterKey: Hex = `0x${'11'.repeat(32)}`
  const privateKey: Hex = `0x${'ab'.repeat(32)}`
  const wallet = privateKeyToAddress(privateKey)
  const cipher = createWalletCipher(masterKey)

  test('is opened by its master key only', () => {
    const encrypted = cipher.encrypt(privateKey, wallet)
    expect(cipher.decrypt(encrypted, wallet)).toBe(privateKey)
    expect(encrypted).not.toContain('ab'.repeat(8))
    const other = createWalletCipher(`0x${'12'.repeat(32)}`)
    expect(() => other.decrypt(encrypted, wallet)).toThrow(new WrongMasterKey(wallet))
  })
  test('never looks the same twice', () => {
    expect(cipher.encrypt(privateKey, wallet)).not.toBe(cipher.encrypt(privateKey, wallet))
  })
  test("cannot be put in another wallet's place, altered or cut", () => {
    const encrypted = cipher.encrypt(privateKey, wallet)
    const altered = `${encrypted.slice(0, -1)}${encrypted.endsWith('0') ? '1' : '0'}` as Hex
    expect(() => cipher.decrypt(encrypted, address(1))).toThrow(new WrongMasterKey(address(1)))
    expect(() => cipher.decrypt(altered, wallet)).toThrow(new WrongMasterKey(wallet))
    expect(() => cipher.decrypt('0x12', wallet)).toThrow(new WrongMasterKey(wallet))
    expect(size(encrypted)).toBe(12 + 16 + 32)
  })
  test.each(['0x', '0x11', `0x${'11'.repeat(33)}`, 'secret' as Hex, `0x${'zz'.repeat(32)}`] as Hex[])(
    '%s is no master key',
    (wrong) => {
      expect(() => createWalletCipher(wrong)).toThrow('the master key must be 32 bytes of hex')
    },
  )
})
