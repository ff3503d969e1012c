import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../src/base/errors.ts'
import { NodeError } from '../../../src/chain/node-error.ts'
import type { EntryPointVersion } from '../../../src/types/entrypoint-version.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import { validate } from '../../../src/validation/validate.ts'
import { fund, signedOperation, simpleAccount } from '../../support/accounts.ts'
import { type DevChain, startDevChain } from '../../support/devChain.ts'
import { latestBlock } from '../../support/simulation.ts'
import { validationCases } from '../../support/validationCases.ts'

validationCases('node', 'basic')

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())

async function funded(version: EntryPointVersion) {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return account
}

describe('a node that cannot tell makes no verdict', () => {
  /** Answers every call with this error. */
  const failing = (error: Error): NodeClient => ({
    chainId: chain.chainId,
    request: () => Promise.reject(error),
    requestAt: () => Promise.reject(error),
    requestOf: () => Promise.reject(error),
    close: async () => {},
  })
  const judgeWith = async (error: Error) => {
    const op = await signedOperation(chain, await funded('0.7'))
    const block = await latestBlock(chain)
    const job = { chainId: chain.chainId, op, block, nonceSequence: undefined }
    return validate(job, { node: failing(error) })
  }

  test('no answer', async () => {
    expect(await judgeWith(new Unavailable('no node could answer'))).toEqual({
      kind: 'unknown',
      cause: 'no node could answer',
    })
  })

  test("out of the node's own gas cap", async () => {
    expect(await judgeWith(new NodeError(-32000, 'out of gas'))).toEqual({
      kind: 'unknown',
      cause: 'eth_call: out of gas: out of gas',
    })
  })

  test('a revert that nobody can read is a verdict', async () => {
    expect(await judgeWith(new NodeError(3, 'execution reverted', '0xdeadbeef01'))).toMatchObject({
      kind: 'rejected',
      error: { code: -32500, data: { revertData: '0xdeadbeef01' } },
    })
  })

  test('an EntryPoint that answers nothing', async () => {
    const node: NodeClient = {
      ...failing(new Error()),
      requestAt: <Result>() => Promise.resolve('0x' as Result),
    }
    const op = await signedOperation(chain, await funded('0.7'))
    const block = await latestBlock(chain)
    const job = { chainId: chain.chainId, op, block, nonceSequence: undefined }
    expect(await validate(job, { node })).toEqual({
      kind: 'unknown',
      cause: 'the EntryPoint 0.7 of this chain answered no simulation',
    })
  })
})
