import { describe, expect, test } from 'bun:test'
import { concatHex, hashMessage, recoverAddress, size, zeroAddress } from 'viem'
import {
  encodeTokenData,
  encodeWindowData,
  stubSignature,
  type TokenTerms,
  withSignature,
} from '../../src/contracts/paymaster/terms.ts'
import { address } from '../support/builders.ts'
import { decodeTokenData, decodeWindowData } from '../support/paymasterTerms.ts'
import { random } from '../support/random.ts'

const signature = `0x${'ab'.repeat(65)}` as const
const word = (value: number) => value.toString(16).padStart(64, '0')

const terms: TokenTerms = {
  validUntil: 0x11,
  validAfter: 0x22,
  price: 'signed',
  token: address(0x33),
  exchangeRate: 0x44n,
  priceMarkup: 1_100_000,
}

describe('the data of the sponsor and verifying paymasters', () => {
  test('is abi(validUntil, validAfter) and the signature: 149 bytes with a paymaster of 0.6 before it', () => {
    const data = encodeWindowData({ validUntil: 0x11, validAfter: 0x22 }, signature)
    expect(data).toBe(`0x${word(0x11)}${word(0x22)}${'ab'.repeat(65)}`)
    expect(size(concatHex([address(1), data]))).toBe(149)
    expect(size(data)).toBe(129)
  })

  test('decodes to what was encoded', () => {
    const source = random(1)
    for (let i = 0; i < 200; i++) {
      const window = { validUntil: Number(source.uint(48)), validAfter: Number(source.uint(48)) }
      expect(decodeWindowData(encodeWindowData(window))).toEqual(window)
    }
  })
})

describe('the data of the token paymasters', () => {
  test('is the price source, abi(terms) and the signature: 278 bytes with a paymaster of 0.6 before it', () => {
    const data = encodeTokenData(terms, signature)
    const fields = [word(0x11), word(0x22), word(0x33), word(0), word(0x44), word(1_100_000)]
    expect(data).toBe(`0x00${fields.join('')}${'ab'.repeat(65)}`)
    expect(encodeTokenData({ ...terms, price: 'feed' }, signature)).toBe(`0x01${data.slice(4)}` as never)
    expect(size(concatHex([address(1), data]))).toBe(278)
    expect(size(data)).toBe(258)
  })

  test('decodes to what was encoded', () => {
    const source = random(2)
    for (let i = 0; i < 200; i++) {
      const some: TokenTerms = {
        validUntil: Number(source.uint(48)),
        validAfter: Number(source.uint(48)),
        price: source.chance(0.5) ? 'signed' : 'feed',
        token: source.address(),
        exchangeRate: source.uint(256),
        priceMarkup: Number(source.uint(32)),
      }
      expect(decodeTokenData(encodeTokenData(some))).toEqual(some)
    }
  })
})

test('another signature changes nothing else', () => {
  expect(withSignature(encodeTokenData(terms), signature)).toBe(encodeTokenData(terms, signature))
})

test('the stub signature is one that ecrecover works at, without a zero byte that would be cheaper', async () => {
  const hash = hashMessage({ raw: `0x${'12'.repeat(32)}` })
  expect(await recoverAddress({ hash, signature: stubSignature })).not.toBe(zeroAddress)
  expect(stubSignature).toMatch(/^0x((?!00)[0-9a-f]{2}){65}$/)
})
