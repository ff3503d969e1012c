import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { concatHex, encodeFunctionData, type Hash, type Hex } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { entryPoints, userOperationHash } from '../../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import { eip7702Factory, type UserOperation } from '../../../src/types/userop.ts'
import type { UserOperationStruct06 } from '../../../src/types/userop-pack.ts'
import { type DevChain, startDevChain } from '../../support/devChain.ts'
import { type Random, random, randomOperation } from '../../support/random.ts'

/** Per version; one in five of 0.8 is an EIP-7702 operation. */
const operations = 2000
/** Calls in one HTTP request: large enough to be quick, small enough for the node's body limit. */
const batchSize = 250

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain({ chainId: 0x7fff_fffe })
})
afterAll(() => chain.stop())

/** What the contract itself says, for each operation. */
async function hashesOnChain(ops: readonly UserOperation[]): Promise<Hash[]> {
  const hashes: Hash[] = []
  for (let start = 0; start < ops.length; start += batchSize) {
    const calls = ops.slice(start, start + batchSize).map((op, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_call',
      params: [{ to: entryPoints[op.version].address, data: getUserOpHash(op) }, 'latest', delegation(op)],
    }))
    const response = await fetch(chain.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    })
    const answers = (await response.json()) as { id: number; result: Hash }[]
    hashes.push(...answers.sort((a, b) => a.id - b.id).map((answer) => answer.result))
  }
  return hashes
}

function getUserOpHash(op: UserOperation): Hex {
  const { abi, pack } = entryPoints[op.version]
  return encodeFunctionData({ abi, functionName: 'getUserOpHash', args: [pack(op)] })
}

/** State override: the sender as its EIP-7702 authorization makes it. */
function delegation(op: UserOperation): Record<string, { code: Hex }> {
  if (op.eip7702Auth === undefined) return {}
  return { [op.sender]: { code: concatHex(['0xef0100', op.eip7702Auth.address]) } }
}

function operation(source: Random, version: EntryPointVersion): UserOperation {
  const op = randomOperation(source, version)
  return version === '0.8' && source.chance(0.2) ? delegated(source, op) : op
}

function delegated(source: Random, op: UserOperation): UserOperation {
  const eip7702Auth = {
    address: source.address(),
    chainId: chain.chainId,
    nonce: 0,
    r: source.bytes(32),
    s: source.bytes(32),
    yParity: 0,
  }
  return { ...op, factory: eip7702Factory, factoryData: source.bytes(source.int(3) * 20), eip7702Auth }
}

describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
  test(`agrees on the hashes of ${operations} random operations`, async () => {
    const source = random(Number(version.slice(2)) * 4337)
    const ops = Array.from({ length: operations }, () => operation(source, version))
    const local = ops.map((op) => userOperationHash(op, chain.chainId))
    expect(new Set(local).size).toBe(operations)
    expect(local).toEqual(await hashesOnChain(ops))
  })

  test('viem agrees on a sample', () => {
    const source = random(1)
    for (const op of Array.from({ length: 50 }, () => randomOperation(source, version))) {
      expect(userOperationHash(op, 1)).toBe(hashByViem(op, 1))
    }
  })
})

function hashByViem(op: UserOperation, chainId: number): Hash {
  const { address } = entryPoints[op.version]
  if (op.version !== '0.6')
    return getUserOperationHash({
      chainId,
      entryPointAddress: address,
      entryPointVersion: op.version,
      userOperation: op,
    })
  return getUserOperationHash({
    chainId,
    entryPointAddress: address,
    entryPointVersion: '0.6',
    userOperation: entryPoints['0.6'].pack(op) as UserOperationStruct06,
  })
}
