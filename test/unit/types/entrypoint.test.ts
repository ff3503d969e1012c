import { describe, expect, test } from 'bun:test'
import type { Address } from 'viem'
import {
  decodeHandleOps,
  encodeHandleOps,
  entryPoints,
  userOperationHash,
  versionAt,
} from '../../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import { random, randomOperation } from '../../support/random.ts'

const beneficiary: Address = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789'

describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
  const source = random(11)
  const ops = Array.from({ length: 300 }, () => randomOperation(source, version))

  test('what is packed is unpacked to the same again', () => {
    const { pack, unpack } = entryPoints[version]
    expect(ops.map((op) => unpack(pack(op) as never))).toEqual(ops)
  })

  test('what handleOps carries is decoded to the same again', () => {
    expect(decodeHandleOps(version, encodeHandleOps(version, ops, beneficiary))).toEqual(ops)
  })

  test('stands at its address, in any case', () => {
    const { address } = entryPoints[version]
    expect(versionAt(address)).toBe(version)
    expect(versionAt(address.toLowerCase() as Address)).toBe(version)
  })

  test('the hash depends on the chain, and not on the signature', () => {
    const op = randomOperation(random(12), version)
    const hash = userOperationHash(op, 1)
    expect(userOperationHash({ ...op, signature: '0x1234' }, 1)).toBe(hash)
    expect(userOperationHash(op, 2)).not.toBe(hash)
  })
})

test.each(['0x', '0x12345678', `0x1fad948c${'00'.repeat(31)}`] as const)('%s is no handleOps', (data) => {
  for (const version of entryPointVersions) expect(decodeHandleOps(version, data)).toEqual([])
})

test('no version stands elsewhere', () => {
  expect(versionAt(beneficiary.replace('5', '6') as Address)).toBeUndefined()
})
