import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  type Address,
  encodeFunctionData,
  formatLog,
  getAddress,
  type Log,
  parseAbi,
  parseEther,
  parseEventLogs,
  type RpcLog,
  zeroAddress,
} from 'viem'
import { abi } from '../../src/contracts/paymaster/artifacts/SponsorPaymaster06.ts'
import { encodeWindowData, stubSignature, withSignature } from '../../src/contracts/paymaster/terms.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import { pack06 } from '../../src/types/userop-pack.ts'
import { execute, sign, type TestAccount } from '../support/accounts.ts'
import { address } from '../support/builders.ts'
import { compileOnce } from '../support/compileOnce.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  approve,
  handleOps,
  newKey,
  paidOperation,
  paymasterLogs,
  pennilessAccount,
  readContract,
  refusal,
  type TestPaymaster,
  testPaymaster,
  unsignedOperation,
} from '../support/paymasters.ts'

let chain: DevChain
let account: TestAccount
let paymaster: TestPaymaster
let sponsor: Address

beforeAll(async () => {
  chain = await startDevChain()
  account = await pennilessAccount(chain, '0.6')
})
afterAll(() => chain.stop())

/** A new paymaster each time, with one sponsor of 1 coin who has the account on the list. */
beforeEach(async () => {
  paymaster = await testPaymaster(chain, 'sponsor', '0.6')
  sponsor = paymaster.signer.address
  await paymaster.write('addToWhitelist', [account.address], { as: sponsor })
})

const always = encodeWindowData({ validUntil: 0, validAfter: 0 })
const balance = (of: Address = sponsor): Promise<bigint> => paymaster.read('balanceOf', [of])
const coinsOf = async (of: Address) => BigInt(await rpc<string>(chain.url, 'eth_getBalance', [of, 'latest']))
const sponsored = (changes: Partial<UserOperation> = {}) =>
  paidOperation(chain, account, paymaster, always, changes)

/** What sponsors can spend is in the deposit, and known in sum. */
async function solvent(sponsors: readonly Address[]): Promise<void> {
  const balances = await Promise.all(sponsors.map(balance))
  const total = balances.reduce((sum, one) => sum + one, 0n)
  expect(await paymaster.read<bigint>('totalBalance')).toBe(total)
  expect(total).toBeLessThanOrEqual(await paymaster.deposit())
}

describe('a sponsor', () => {
  test('pays for an operation that it has signed, of an account that it has listed', async () => {
    const before = await balance()
    const handled = await handleOps(chain, [await sponsored()])
    const [operation] = handled.operations
    const cost = before - (await balance())
    expect(operation?.success).toBe(true)
    expect(paymasterLogs(paymaster, handled)).toEqual([
      { userOpHash: operation?.userOpHash, sponsor, sender: account.address, cost },
    ])
    const { actualGasCost = 0n, actualGasUsed = 1n } = operation ?? {}
    expect(cost).toBeGreaterThanOrEqual(actualGasCost)
    expect(cost - actualGasCost).toBeLessThan((actualGasCost / actualGasUsed) * 5_000n)
    await solvent([sponsor])
  })

  test('pays the real cost of calls that revert', async () => {
    const before = await balance()
    const op = await sponsored({ callData: execute(account.address, parseEther('5')) })
    const { operations } = await handleOps(chain, [op])
    expect(operations[0]?.success).toBe(false)
    expect(before - (await balance())).toBeGreaterThanOrEqual(operations[0]?.actualGasCost ?? 0n)
    await solvent([sponsor])
  })

  test('pays for itself and for no other', async () => {
    const other = newKey()
    await paymaster.write('depositFor', [other.address], { value: parseEther('1') })
    await handleOps(chain, [await sponsored()])
    expect(await balance(other.address)).toBe(parseEther('1'))
    const stolen = await approve(await sponsored(), other, chain.chainId)
    expect(await refusal(chain, [await sign(chain, account, stolen)])).toBe('AA34 signature error')
  })

  test('pays for nobody who is not on its list, or not any more', async () => {
    const stranger = await pennilessAccount(chain, '0.6')
    const op = await paidOperation(chain, stranger, paymaster, always)
    expect(await refusal(chain, [op])).toBe('AA34 signature error')
    const signed = await sponsored()
    await paymaster.write('removeFromWhitelist', [account.address], { as: sponsor })
    expect(await refusal(chain, [signed])).toBe('AA34 signature error')
  })

  test('pays no more than it has, though others have more', async () => {
    await paymaster.write('depositFor', [newKey().address], { value: parseEther('10') })
    const op = await sponsored()
    const short = (await balance()) - requiredPrefund(op) + 1n
    await paymaster.write('withdraw', [sponsor, short], { as: sponsor })
    expect(await refusal(chain, [op])).toBe("AA33 reverted: sponsor's balance below the highest cost")
    await paymaster.write('depositFor', [sponsor], { value: 1n })
    expect(await refusal(chain, [op])).toBeUndefined()
  })

  test('pays for two operations of a bundle only if it can pay for both', async () => {
    const second = await pennilessAccount(chain, '0.6')
    await paymaster.write('addToWhitelist', [second.address], { as: sponsor })
    const ops = [await sponsored(), await paidOperation(chain, second, paymaster, always)]
    const rich = newKey().address
    await paymaster.write('depositFor', [rich], { value: parseEther('10') })
    const both = ops.reduce((sum, op) => sum + requiredPrefund(op), 0n)
    await paymaster.write('withdraw', [sponsor, (await balance()) - both + 1n], { as: sponsor })
    expect(await refusal(chain, ops)).toBe("AA33 reverted: sponsor's balance below the highest cost")
    await paymaster.write('depositFor', [sponsor], { value: 1n })
    const { operations } = await handleOps(chain, ops)
    expect(operations.map(({ success }) => success)).toEqual([true, true])
    await solvent([sponsor, rich])
  })

  test('cannot withdraw, in a call that it pays for, what that call may cost', async () => {
    const { OpenAccount } = await compileOnce(`${import.meta.dir}/../support/contracts/Hostile.sol`)
    await rpc(chain.url, 'anvil_setCode', [sponsor, OpenAccount?.deployedBytecode])
    await paymaster.write('addToWhitelist', [sponsor], { as: sponsor })
    const itself: TestAccount = { ...account, address: sponsor, owner: paymaster.signer }
    const withdrawing = async (left: bigint) => {
      const plain = await paidOperation(chain, itself, paymaster, always)
      const amount = (await balance()) - requiredPrefund(plain) - left
      const withdraw = encodeFunctionData({ abi: withdrawAbi, args: [newKey().address, amount] })
      const callData = execute(paymaster.address, 0n, withdraw)
      const { operations } = await handleOps(chain, [
        await paidOperation(chain, itself, paymaster, always, { callData }),
      ])
      await solvent([sponsor])
      return operations[0]?.success
    }
    expect(await withdrawing(-1n)).toBe(false)
    expect(await withdrawing(0n)).toBe(true)
    expect(await balance()).toBeGreaterThan(0n)
  })

  test('signs for one operation, for one chain and for one time', async () => {
    const op = await sponsored()
    await handleOps(chain, [op])
    expect(await refusal(chain, [op])).toBe('AA25 invalid account nonce')
    const next = await sign(chain, account, { ...op, nonce: op.nonce + 1n })
    expect(await refusal(chain, [next])).toBe('AA34 signature error')
    const unsigned = await unsignedOperation(chain, account, paymaster, always)
    const foreign = await approve(unsigned, paymaster.signer, chain.chainId + 1)
    expect(await refusal(chain, [await sign(chain, account, foreign)])).toBe('AA34 signature error')
    for (const window of [
      { validUntil: 1, validAfter: 0 },
      { validUntil: 0, validAfter: 2 ** 40 },
    ]) {
      const late = await paidOperation(chain, account, paymaster, encodeWindowData(window))
      expect(await refusal(chain, [late])).toBe('AA32 paymaster expired or not due')
    }
  })

  test('signs for gas, fees and calls', async () => {
    const op = await sponsored()
    const changes: Partial<UserOperation>[] = [
      { callData: '0x00' },
      { callGasLimit: op.callGasLimit + 1n },
      { verificationGasLimit: op.verificationGasLimit + 1n },
      { preVerificationGas: op.preVerificationGas + 1n },
      { maxFeePerGas: op.maxFeePerGas + 1n },
      { maxPriorityFeePerGas: op.maxPriorityFeePerGas + 1n },
      { paymasterData: withSignature(op.paymasterData, stubSignature) },
      { paymasterData: withSignature(op.paymasterData, `0x${'00'.repeat(65)}`) },
    ]
    for (const change of changes) {
      const changed = await sign(chain, account, { ...op, ...change })
      expect(await refusal(chain, [changed]), Object.keys(change).join()).toBe('AA34 signature error')
    }
    const longer = await sign(chain, account, { ...op, paymasterData: `${op.paymasterData}00` })
    expect(await refusal(chain, [longer])).toBe('AA33 reverted: paymasterAndData has a wrong length')
  })

  test('pays for no operation that has too little gas for giving the rest back', async () => {
    const op = await sponsored({ verificationGasLimit: 9_999n })
    const validate = encodeFunctionData({
      abi,
      functionName: 'validatePaymasterUserOp',
      args: [pack06(op), `0x${'00'.repeat(32)}`, 1n],
    })
    const entryPoint = entryPoints['0.6'].address
    const call = rpc(chain.url, 'eth_call', [{ from: entryPoint, to: paymaster.address, data: validate }])
    expect(String(await call.catch((error) => error))).toContain("verificationGasLimit below postOp's gas")
  })
})

describe('the money', () => {
  test('of a sponsor is its own: anyone may give, only it may take, and no more than it has', async () => {
    const [giver, to] = [newKey().address, newKey().address]
    await rpc(chain.url, 'anvil_setBalance', [giver, '0xde0b6b3a7640000'])
    await paymaster.write('depositFor', [sponsor], { value: parseEther('0.5'), as: giver })
    expect(await balance()).toBe(parseEther('1.5'))
    expect(await paymaster.refusal('withdraw', [giver, 1n], giver)).toBe('balance too low')
    await paymaster.write('withdraw', [to, parseEther('0.7')], { as: sponsor })
    expect(await balance()).toBe(parseEther('0.8'))
    expect(await paymaster.deposit()).toBe(parseEther('0.8'))
    expect(await coinsOf(to)).toBe(parseEther('0.7'))
    expect(await paymaster.refusal('withdraw', [to, parseEther('0.8') + 1n], sponsor)).toBe('balance too low')
  })

  test('of sponsors is not the owner’s: it withdraws what nobody has', async () => {
    const { owner } = paymaster
    const to = newKey().address
    expect(await paymaster.refusal('withdrawTo', [to, 1n], owner.address)).toBe(
      "sponsors' money is not the owner's",
    )
    expect(await paymaster.refusal('withdrawTo', [to, 2n ** 256n - 1n], owner.address)).toBe('Panic')
    await paymaster.write('deposit', [], { value: 5n, as: sponsor })
    await handleOps(chain, [await sponsored()])
    const spare = (await paymaster.deposit()) - (await balance())
    expect(spare).toBeGreaterThan(5n)
    expect(await paymaster.refusal('withdrawTo', [to, spare + 1n], owner.address)).toBe(
      "sponsors' money is not the owner's",
    )
    await paymaster.write('withdrawTo', [to, spare])
    expect(await coinsOf(to)).toBe(spare)
    expect(await paymaster.deposit()).toBe(await balance())
  })

  test('of the stake is the owner’s', async () => {
    const stranger = newKey().address
    for (const [name, args] of [
      ['withdrawTo', [stranger, 0n]],
      ['addStake', [1]],
      ['unlockStake', []],
      ['withdrawStake', [stranger]],
      ['transferOwnership', [stranger]],
    ] as const)
      expect(await paymaster.refusal(name, args, stranger), name).toBe('OwnableUnauthorizedAccount')
    await paymaster.write('addStake', [86_400], { value: parseEther('1') })
    const entryPoint = entryPoints['0.6']
    const info = await readContract<{ staked: boolean; stake: bigint; unstakeDelaySec: number }>(
      chain,
      entryPoint.address,
      entryPoint.abi,
      'getDepositInfo',
      [paymaster.address],
    )
    expect(info).toMatchObject({ staked: true, stake: parseEther('1'), unstakeDelaySec: 86_400 })
  })
})

describe('the list', () => {
  const accounts = Array.from({ length: 11 }, (_, n) => getAddress(address(0xa000 + n)))
  const listed = (of: Address, some: readonly Address[]) =>
    paymaster.read<boolean[]>('areWhitelisted', [of, some])

  test('is each sponsor’s own', async () => {
    const [one, other] = [accounts[0] ?? zeroAddress, newKey().address]
    await paymaster.write('addToWhitelist', [one], { as: sponsor })
    expect(await paymaster.read<boolean>('isWhitelisted', [sponsor, one])).toBe(true)
    expect(await paymaster.read<boolean>('isWhitelisted', [other, one])).toBe(false)
    await rpc(chain.url, 'anvil_setBalance', [other, '0xde0b6b3a7640000'])
    await paymaster.write('removeFromWhitelist', [one], { as: other })
    expect(await paymaster.read<boolean>('isWhitelisted', [sponsor, one])).toBe(true)
    await paymaster.write('removeFromWhitelist', [one], { as: sponsor })
    expect(await paymaster.read<boolean>('isWhitelisted', [sponsor, one])).toBe(false)
  })

  test('takes ten at a time, and no more', async () => {
    const ten = accounts.slice(0, 10)
    await paymaster.write('addManyToWhitelist', [ten], { as: sponsor })
    expect(await listed(sponsor, accounts)).toEqual([...ten.map(() => true), false])
    await paymaster.write('removeManyFromWhitelist', [ten.slice(1)], { as: sponsor })
    expect(await listed(sponsor, ten)).toEqual(ten.map((_, n) => n === 0))
    for (const name of ['addManyToWhitelist', 'removeManyFromWhitelist'])
      expect(await paymaster.refusal(name, [accounts], sponsor)).toBe('more than 10 accounts')
  })

  test('tells in events what has changed, and nothing else', async () => {
    const [first, second] = [accounts[0] ?? zeroAddress, accounts[1] ?? zeroAddress]
    await paymaster.write('addToWhitelist', [first], { as: sponsor })
    await paymaster.write('addManyToWhitelist', [[first, second, second]], { as: sponsor })
    await paymaster.write('removeManyFromWhitelist', [[accounts[2], second]], { as: sponsor })
    const logs = await rpc<RpcLog[]>(chain.url, 'eth_getLogs', [
      { address: paymaster.address, fromBlock: '0x0' },
    ])
    const events = parseEventLogs({ abi, logs: logs.map((log) => formatLog(log) as Log) })
    const changes = events.filter(({ eventName }) => eventName.startsWith('Whitelist'))
    expect(changes.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['WhitelistAdded', { sponsor, account: account.address }],
      ['WhitelistAdded', { sponsor, account: first }],
      ['WhitelistAdded', { sponsor, account: second }],
      ['WhitelistRemoved', { sponsor, account: second }],
    ])
  })
})

const withdrawAbi = parseAbi(['function withdraw(address to, uint256 amount)'])
