import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseEther } from 'viem'
import { encodeWindowData, stubSignature } from '../../src/contracts/paymaster/terms.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { sign, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  approve,
  handleOps,
  newKey,
  paidOperation,
  pennilessAccount,
  refusal,
  type TestPaymaster,
  testPaymaster,
  unsignedOperation,
} from '../support/paymasters.ts'

let chain: DevChain
let now: number
beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())

async function timestamp(): Promise<number> {
  const { timestamp } = await rpc<{ timestamp: string }>(chain.url, 'eth_getBlockByNumber', ['latest', false])
  return Number(timestamp)
}

describe.each([...entryPointVersions])('the verifying paymaster of %s', (version) => {
  let paymaster: TestPaymaster
  let account: TestAccount
  const always = () => encodeWindowData({ validUntil: now + 600, validAfter: now - 60 })
  beforeAll(async () => {
    paymaster = await testPaymaster(chain, 'verifying', version)
    account = await pennilessAccount(chain, version)
    now = await timestamp()
  })

  test('pays for an operation that its signer has signed', async () => {
    const before = await paymaster.deposit()
    const op = await paidOperation(chain, account, paymaster, always())
    const { operations } = await handleOps(chain, [op])
    expect(operations[0]?.success).toBe(true)
    expect(before - (await paymaster.deposit())).toBe(operations[0]?.actualGasCost ?? 0n)
    expect(await rpc<string>(chain.url, 'eth_getBalance', [account.address, 'latest'])).toBe('0x0')
  })

  test('pays once: neither the operation nor its signature is good for another', async () => {
    const op = await paidOperation(chain, account, paymaster, always())
    await handleOps(chain, [op])
    expect(await refusal(chain, [op])).toBe('AA25 invalid account nonce')
    const next = await sign(chain, account, { ...op, nonce: op.nonce + 1n })
    expect(await refusal(chain, [next])).toBe('AA34 signature error')
  })

  test('not after validUntil, not before validAfter', async () => {
    const expired = encodeWindowData({ validUntil: now - 1, validAfter: 0 })
    const early = encodeWindowData({ validUntil: now + 900, validAfter: now + 600 })
    for (const data of [expired, early]) {
      const op = await paidOperation(chain, account, paymaster, data)
      expect(await refusal(chain, [op])).toBe('AA32 paymaster expired or not due')
    }
  })

  test('for ever with a validUntil of zero', async () => {
    const data = encodeWindowData({ validUntil: 0, validAfter: 0 })
    expect(await refusal(chain, [await paidOperation(chain, account, paymaster, data)])).toBeUndefined()
  })

  test('not with a signature for another chain', async () => {
    const op = await unsignedOperation(chain, account, paymaster, always())
    const elsewhere = await approve(op, paymaster.signer, chain.chainId + 1)
    expect(await refusal(chain, [await sign(chain, account, elsewhere)])).toBe('AA34 signature error')
  })

  test('not with a signature for another paymaster of the same signer', async () => {
    const other = await testPaymaster(chain, 'verifying', version)
    await other.write('setSigner', [paymaster.signer.address])
    const op = await paidOperation(chain, account, paymaster, always())
    const moved = await sign(chain, account, { ...op, paymaster: other.address })
    expect(await refusal(chain, [moved])).toBe('AA34 signature error')
  })

  test('not with the stub, nor with a signature of anybody else', async () => {
    const op = await unsignedOperation(chain, account, paymaster, always())
    const stub = await sign(chain, account, op)
    expect(stub.paymasterData.endsWith(stubSignature.slice(2))).toBe(true)
    expect(await refusal(chain, [stub])).toBe('AA34 signature error')
    const stranger = await sign(chain, account, await approve(op, newKey(), chain.chainId))
    expect(await refusal(chain, [stranger])).toBe('AA34 signature error')
  })

  test('not with data of another length', async () => {
    const op = await paidOperation(chain, account, paymaster, always())
    const longer = await sign(chain, account, { ...op, paymasterData: `${op.paymasterData}00` })
    expect(await refusal(chain, [longer])).toBe('AA33 reverted: paymasterAndData has a wrong length')
  })

  const tampered: Partial<Record<keyof UserOperation, (op: UserOperation) => Partial<UserOperation>>> = {
    callData: () => ({ callData: '0x00' }),
    callGasLimit: (op) => ({ callGasLimit: op.callGasLimit + 1n }),
    verificationGasLimit: (op) => ({ verificationGasLimit: op.verificationGasLimit + 1n }),
    preVerificationGas: (op) => ({ preVerificationGas: op.preVerificationGas + 1n }),
    maxFeePerGas: (op) => ({ maxFeePerGas: op.maxFeePerGas + 1n }),
    maxPriorityFeePerGas: (op) => ({ maxPriorityFeePerGas: op.maxPriorityFeePerGas + 1n }),
    nonce: (op) => ({ nonce: op.nonce + (1n << 64n) - (op.nonce & 0xffffn) }),
    paymasterData: ({ paymasterData }) => ({
      paymasterData: `0x${'f'.repeat(8).padStart(64, '0')}${paymasterData.slice(66)}`,
    }),
    ...(version === '0.6'
      ? {}
      : {
          paymasterVerificationGasLimit: (op: UserOperation) => ({
            paymasterVerificationGasLimit: op.paymasterVerificationGasLimit + 1n,
          }),
          paymasterPostOpGasLimit: (op: UserOperation) => ({
            paymasterPostOpGasLimit: op.paymasterPostOpGasLimit + 1n,
          }),
        }),
  }
  test.each(Object.entries(tampered))('not when %s is not what was signed', async (_, change) => {
    const op = await paidOperation(chain, account, paymaster, always())
    const changed = await sign(chain, account, { ...op, ...change(op) })
    expect(await refusal(chain, [changed])).toBe('AA34 signature error')
  })

  test('not for another sender', async () => {
    const op = await paidOperation(chain, account, paymaster, always(), { nonce: 7n << 64n })
    const other = await pennilessAccount(chain, version)
    const stolen = await sign(chain, other, { ...op, sender: other.address })
    expect(await refusal(chain, [stolen])).toBe('AA34 signature error')
  })

  test('deploys an account, and only the one that was signed', async () => {
    const [fresh, other] = [await simpleAccount(chain, version), await simpleAccount(chain, version)]
    const deployment = { nonce: 0n, factory: fresh.factory, factoryData: fresh.factoryData }
    const gas = { verificationGasLimit: 500_000n }
    const op = await paidOperation(chain, fresh, paymaster, always(), { ...deployment, ...gas })
    const tampered = await sign(chain, other, {
      ...op,
      sender: other.address,
      factoryData: other.factoryData,
    })
    expect(await refusal(chain, [tampered])).toBe('AA34 signature error')
    expect((await handleOps(chain, [op])).operations[0]?.success).toBe(true)
  })

  test('not beyond its deposit', async () => {
    const poor = await testPaymaster(chain, 'verifying', version, 1n)
    const op = await paidOperation(chain, account, poor, always())
    expect(await refusal(chain, [op])).toBe('AA31 paymaster deposit too low')
  })

  test('not for whom its signer was before', async () => {
    const rotated = await testPaymaster(chain, 'verifying', version)
    const old = await paidOperation(chain, account, rotated, always())
    const successor = newKey()
    await rotated.write('setSigner', [successor.address])
    expect(await rotated.read<string>('signer')).toBe(successor.address)
    expect(await refusal(chain, [old])).toBe('AA34 signature error')
    const renewed = await sign(chain, account, await approve(old, successor, chain.chainId))
    expect(await refusal(chain, [renewed])).toBeUndefined()
  })
})

describe.each([...entryPointVersions])('the owner of the verifying paymaster of %s', (version) => {
  let paymaster: TestPaymaster
  beforeAll(async () => {
    paymaster = await testPaymaster(chain, 'verifying', version, parseEther('2'))
  })
  const stranger = newKey()

  test('alone may change the signer, withdraw and stake', async () => {
    const calls: [string, unknown[]][] = [
      ['setSigner', [stranger.address]],
      ['withdrawTo', [stranger.address, 1n]],
      ['addStake', [86_400]],
      ['unlockStake', []],
      ['withdrawStake', [stranger.address]],
      ['transferOwnership', [stranger.address]],
    ]
    for (const [name, args] of calls) {
      expect(await paymaster.refusal(name, args, stranger.address), name).toBe('OwnableUnauthorizedAccount')
    }
  })

  test('withdraws from the deposit, to wherever', async () => {
    const to = newKey().address
    await paymaster.write('withdrawTo', [to, parseEther('0.5')])
    expect(await paymaster.deposit()).toBe(parseEther('1.5'))
    expect(BigInt(await rpc<string>(chain.url, 'eth_getBalance', [to, 'latest']))).toBe(parseEther('0.5'))
  })

  test('stakes, and gets the stake back after the delay', async () => {
    const to = newKey().address
    await paymaster.write('addStake', [86_400], { value: parseEther('1') })
    await paymaster.write('unlockStake')
    expect(await paymaster.refusal('withdrawStake', [to], paymaster.owner.address)).toBe(
      'Stake withdrawal is not due',
    )
    await rpc(chain.url, 'evm_increaseTime', [86_401])
    await rpc(chain.url, 'evm_mine')
    await paymaster.write('withdrawStake', [to])
    expect(BigInt(await rpc<string>(chain.url, 'eth_getBalance', [to, 'latest']))).toBe(parseEther('1'))
  })

  test('hands over in two steps', async () => {
    const heir = newKey().address
    await rpc(chain.url, 'anvil_setBalance', [heir, '0xde0b6b3a7640000'])
    await paymaster.write('transferOwnership', [heir])
    expect(await paymaster.read<string>('owner')).toBe(paymaster.owner.address)
    await paymaster.write('acceptOwnership', [], { as: heir })
    expect(await paymaster.read<string>('owner')).toBe(heir)
    const before = paymaster.owner.address
    expect(await paymaster.refusal('withdrawTo', [before, 1n], before)).toBe('OwnableUnauthorizedAccount')
    expect(await paymaster.refusal('withdrawTo', [heir, 1n], heir)).toBeUndefined()
  })
})
