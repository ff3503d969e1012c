import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, encodeFunctionData, numberToHex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { recoverAuthorizationAddress } from 'viem/utils'
import { secp256k1Order } from '../../src/evm/crypto/secp256k1.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { ValidationLevel } from '../../src/types/verdict.ts'
import type { SimulatorHandlers } from '../../src/validation/simulator-host.ts'
import { authorization, delegatedAccount, fund, signedOperation, simpleAccount } from './accounts.ts'
import { transact } from './bundles.ts'
import { type DevChain, startDevChain } from './devChain.ts'
import { openSimulator } from './engines.ts'
import { type OpenContracts, openContracts } from './open.ts'
import { latestBlock } from './simulation.ts'

/** What every engine says to operations whose EntryPoint or entities say yes or no. */
export function validationCases(validationEngine: 'local' | 'node', level: ValidationLevel): void {
  let chain: DevChain
  let simulator: SimulatorHandlers
  let open: OpenContracts
  beforeAll(async () => {
    chain = await startDevChain()
    simulator = await openSimulator(chain, { validationEngine, lowestValidation: level })
    open = await openContracts(chain)
  })
  afterAll(() => chain.stop())

  async function judge(op: UserOperation, nonceSequence?: bigint) {
    const block = await latestBlock(chain)
    return simulator.validate({ chainId: chain.chainId, op, block, nonceSequence })
  }

  async function rehearse(op: UserOperation) {
    const block = await latestBlock(chain)
    return simulator.rehearse({ chainId: chain.chainId, op, block, nonceSequence: undefined })
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
      const { preOpGas, scope: _scope, ...facts } = verdict.facts
      const noStake = { stake: 0n, unstakeDelaySec: 0 }
      expect(facts).toEqual({
        level,
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

  describe.each([...entryPointVersions])('EntryPoint %s, entities that do as they are told', (version) => {
    const paid = (paymaster: Address) => ({
      paymaster,
      paymasterVerificationGasLimit: version === '0.6' ? 0n : 100_000n,
    })
    /** s since 1970 → validation data that is valid in between */
    const between = (after: number, until: number) => (BigInt(until) << 160n) | (BigInt(after) << 208n)

    test("a paymaster's deposit and stake are among the facts", async () => {
      const paymaster = await open.paymaster(version, parseEther('2'))
      expect(await judge(await open.operation(version, paid(paymaster)))).toMatchObject({
        kind: 'accepted',
        facts: {
          paymaster: { address: paymaster, deposit: parseEther('2'), stake: 0n, unstakeDelaySec: 0 },
        },
      })
    })

    test("a paymaster's signature failure is its own, -32507, AA34", async () => {
      const paymaster = await open.paymaster(version, parseEther('1'), { answer: 1n })
      expect(await judge(await open.operation(version, paid(paymaster)))).toMatchObject({
        kind: 'rejected',
        error: {
          code: -32507,
          message: 'AA34 signature error',
          data: { aaCode: 'AA34', entity: 'paymaster', paymaster },
        },
      })
    })

    test("an account's signature failure is not its paymaster's", async () => {
      const paymaster = await open.paymaster(version, parseEther('1'))
      expect(await judge(await open.operation(version, paid(paymaster), { answer: 1n }))).toMatchObject({
        kind: 'rejected',
        error: { code: -32507, message: 'AA24 signature error', data: { entity: 'account' } },
      })
    })

    test('an account that signs later may fail in its signature, and in nothing else', async () => {
      const paymaster = await open.paymaster(version, parseEther('1'))
      const unsigned = await open.operation(version, paid(paymaster), { answer: 1n })
      expect(await rehearse(unsigned)).toMatchObject({ kind: 'accepted', facts: { level } })
      expect(await rehearse({ ...unsigned, nonce: 7n })).toMatchObject({
        error: { message: 'AA25 invalid account nonce' },
      })
    })

    // 0.6 merges what both answer, and the account's failure with it.
    const isTold = version !== '0.6'
    test(`behind an account that signs later the paymaster is ${isTold ? 'heard' : 'not heard'}`, async () => {
      const now = (await latestBlock(chain)).timestamp
      const messages: string[] = []
      for (const answer of [1n, between(0, now - 1000)]) {
        const paymaster = await open.paymaster(version, parseEther('1'), { answer })
        const verdict = await rehearse(await open.operation(version, paid(paymaster), { answer: 1n }))
        messages.push(verdict.kind === 'rejected' ? verdict.error.message : verdict.kind)
      }
      expect(messages).toEqual(
        isTold ? ['AA34 signature error', 'AA32 paymaster expired or not due'] : ['accepted', 'accepted'],
      )
    })

    test('the time ranges of account and paymaster are intersected', async () => {
      const now = (await latestBlock(chain)).timestamp
      const paymaster = await open.paymaster(version, parseEther('1'), {
        answer: between(now - 50, now + 500),
      })
      const op = await open.operation(version, paid(paymaster), { answer: between(now - 100, now + 100) })
      expect(await judge(op)).toMatchObject({
        kind: 'accepted',
        facts: { validAfter: now - 50, validUntil: now + 100 },
      })
    })

    test('an expired paymaster is -32503, AA32', async () => {
      const now = (await latestBlock(chain)).timestamp
      const paymaster = await open.paymaster(version, parseEther('1'), { answer: between(0, now - 1000) })
      expect(await judge(await open.operation(version, paid(paymaster)))).toMatchObject({
        kind: 'rejected',
        error: {
          code: -32503,
          message: 'AA32 paymaster expired or not due',
          data: { entity: 'paymaster', paymaster, validUntil: now - 1000 },
        },
      })
    })

    test('an account that is not due yet is -32503, AA22', async () => {
      const due = (await latestBlock(chain)).timestamp + 1000
      const op = await open.operation(version, {}, { answer: between(due, due + 1000) })
      expect(await judge(op)).toMatchObject({
        kind: 'rejected',
        error: {
          code: -32503,
          message: 'AA22 expired or not due',
          data: { aaCode: 'AA22', entity: 'account', validAfter: due, validUntil: due + 1000 },
        },
      })
    })

    test('an aggregator is -32506', async () => {
      const aggregator = '0x00000000000000000000000000000000DeaDBeef'
      const op = await open.operation(version, {}, { answer: BigInt(aggregator) })
      expect(await judge(op)).toEqual({
        kind: 'rejected',
        error: {
          code: -32506,
          message: `signature aggregator ${aggregator} is not supported`,
          data: { entity: 'aggregator', address: aggregator, aggregator },
        },
      })
    })

    test('a stake is told', async () => {
      const op = await open.operation(version)
      const { address, abi } = entryPoints[version]
      const data = encodeFunctionData({ abi, functionName: 'addStake', args: [86_400] })
      await transact(chain, address, data, { value: parseEther('0.5'), as: op.sender })
      expect(await judge(op)).toMatchObject({
        kind: 'accepted',
        facts: { sender: { stake: parseEther('0.5'), unstakeDelaySec: 86_400 } },
      })
    })

    test('a stake that is unlocked counts for nothing, long before it is withdrawn', async () => {
      const op = await open.operation(version)
      const { address, abi } = entryPoints[version]
      const stake = encodeFunctionData({ abi, functionName: 'addStake', args: [86_400] })
      await transact(chain, address, stake, { value: parseEther('0.5'), as: op.sender })
      const unlock = encodeFunctionData({ abi, functionName: 'unlockStake' })
      await transact(chain, address, unlock, { as: op.sender })
      expect(await judge(op)).toMatchObject({ kind: 'accepted', facts: { sender: { stake: 0n } } })
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

    test('a signature with a high s, which the chain leaves aside, is -32602', async () => {
      const { account, eip7702Auth } = await delegated()
      const s = numberToHex(secp256k1Order - BigInt(eip7702Auth.s), { size: 32 })
      const turned = { ...eip7702Auth, s, yParity: 1 - (eip7702Auth.yParity ?? 0) }
      expect(await recoverAuthorizationAddress({ authorization: turned })).toBe(account.address)
      const op = await signedOperation(chain, account, { eip7702Auth: turned })
      expect(await judge(op)).toMatchObject({
        kind: 'rejected',
        error: { code: -32602, data: { path: 'params[0].eip7702Auth.s' } },
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
}
