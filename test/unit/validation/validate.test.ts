import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { validate } from '../../../src/validation/validate.ts'
import {
  authorization,
  delegatedAccount,
  fund,
  signedOperation,
  simpleAccount,
} from '../../support/accounts.ts'
import { type DevChain, startDevChain } from '../../support/devChain.ts'
import { latestBlock, nodeOf } from '../../support/simulation.ts'

let chain: DevChain
let node: NodeClient
beforeAll(async () => {
  chain = await startDevChain()
  node = nodeOf(chain)
})
afterAll(() => chain.stop())

async function judge(op: UserOperation, nonceSequence?: bigint) {
  const block = await latestBlock(chain)
  return validate({ chainId: chain.chainId, op, block, nonceSequence }, { node })
}

async function funded(version: EntryPointVersion) {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return account
}

describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
  test('a good operation is accepted with its facts', async () => {
    const op = await signedOperation(chain, await funded(version))
    const { hash, number } = await latestBlock(chain)
    const verdict = await judge(op)
    if (verdict.kind !== 'accepted') throw new Error(JSON.stringify(verdict))
    const { preOpGas, ...facts } = verdict.facts
    const noStake = { stake: 0n, unstakeDelaySec: 0 }
    expect(facts).toEqual({
      level: 'basic',
      block: { number, hash },
      prefund: (op.callGasLimit + op.verificationGasLimit + op.preVerificationGas) * op.maxFeePerGas,
      validAfter: undefined,
      validUntil: undefined,
      sender: noStake,
      factory: noStake,
      paymaster: undefined,
    })
    expect(preOpGas).toBeGreaterThan(op.preVerificationGas)
    expect(preOpGas).toBeLessThan(op.preVerificationGas + op.verificationGasLimit)
  })

  test('a wrong signature is -32507, AA24', async () => {
    const account = await funded(version)
    const stranger = { ...account, owner: privateKeyToAccount(generatePrivateKey()) }
    const verdict = await judge(await signedOperation(chain, stranger))
    expect(verdict).toMatchObject({
      kind: 'rejected',
      error: {
        code: -32507,
        message: 'AA24 signature error',
        data: { aaCode: 'AA24', entity: 'account', address: account.address },
      },
    })
  })

  test('a sender without funds is -32500, AA21', async () => {
    const verdict = await judge(await signedOperation(chain, await simpleAccount(chain, version)))
    expect(verdict).toMatchObject({
      kind: 'rejected',
      error: {
        code: -32500,
        message: "AA21 didn't pay prefund",
        data: { aaCode: 'AA21', entity: 'account' },
      },
    })
  })

  test('a sender without code and without factory is AA20', async () => {
    const account = await funded(version)
    const verdict = await judge(
      await signedOperation(chain, account, { factory: undefined, factoryData: '0x' }),
    )
    expect(verdict).toMatchObject({
      kind: 'rejected',
      error: { code: -32500, message: 'AA20 account not deployed' },
    })
  })

  test('a nonce ahead of its turn is AA25, and passes with the sequence overridden', async () => {
    const op = await signedOperation(chain, await funded(version), { nonce: (7n << 64n) | 5n })
    expect(await judge(op)).toMatchObject({
      kind: 'rejected',
      error: { code: -32500, message: 'AA25 invalid account nonce', data: { aaCode: 'AA25' } },
    })
    expect(await judge(op, 5n)).toMatchObject({ kind: 'accepted' })
    expect(await judge(op, 4n)).toMatchObject({ kind: 'rejected', error: { data: { aaCode: 'AA25' } } })
  })

  test('a factory that makes another sender is AA14, the factory to blame', async () => {
    const account = await funded(version)
    const other = await funded(version)
    const op = await signedOperation(chain, account, { factoryData: other.factoryData })
    expect(await judge(op)).toMatchObject({
      kind: 'rejected',
      error: {
        code: -32500,
        message: 'AA14 initCode must return sender',
        data: { aaCode: 'AA14', entity: 'factory', address: account.factory },
      },
    })
  })
})

describe('EIP-7702', () => {
  async function delegated() {
    const account = delegatedAccount()
    await fund(chain, account.address)
    return { account, eip7702Auth: await authorization(chain, account.owner) }
  }

  test('an operation with its authorization is accepted', async () => {
    const { account, eip7702Auth } = await delegated()
    expect(await judge(await signedOperation(chain, account, { eip7702Auth }))).toMatchObject({
      kind: 'accepted',
      facts: { factory: undefined },
    })
  })

  test("another's authorization is -32602", async () => {
    const { account } = await delegated()
    const { eip7702Auth } = await delegated()
    expect(await judge(await signedOperation(chain, account, { eip7702Auth }))).toEqual({
      kind: 'rejected',
      error: {
        code: -32602,
        message: `eip7702Auth is not signed by the sender ${account.address}`,
        data: { path: 'params[0].eip7702Auth' },
      },
    })
  })

  test('another chain is -32602', async () => {
    const { account, eip7702Auth } = await delegated()
    const op = await signedOperation(chain, account, { eip7702Auth: { ...eip7702Auth, chainId: 10 } })
    expect(await judge(op)).toMatchObject({
      kind: 'rejected',
      error: {
        code: -32602,
        message: 'eip7702Auth.chainId must be 31337 or 0',
        data: { path: 'params[0].eip7702Auth.chainId' },
      },
    })
  })

  test('a stale nonce is -32500 and says which is right', async () => {
    const { account } = await delegated()
    const eip7702Auth = await account.owner.signAuthorization({
      address: chain.simple7702Account,
      chainId: 0,
      nonce: 3,
    })
    expect(await judge(await signedOperation(chain, account, { eip7702Auth }))).toMatchObject({
      kind: 'rejected',
      error: { code: -32500, message: "eip7702Auth.nonce is 3, the account's nonce is 0" },
    })
  })

  test('the marker factory needs an authorization or a delegated sender', async () => {
    const { account } = await delegated()
    expect(await judge(await signedOperation(chain, account))).toMatchObject({
      kind: 'rejected',
      error: { code: -32500, message: `the sender ${account.address} is not delegated (EIP-7702)` },
    })
  })
})
