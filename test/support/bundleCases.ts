import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, parseEther } from 'viem'
import { bundleGasLimit } from '../../src/gas/bundle-gas.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { CheckBundleJob } from '../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { SimulatorHandlers } from '../../src/validation/simulator-host.ts'
import { authorization, delegatedAccount, fund, signedOperation } from './accounts.ts'
import { relayer, sendBundle } from './bundles.ts'
import { type DevChain, startDevChain } from './devChain.ts'
import { openSimulator } from './engines.ts'
import { type OpenContracts, openContracts } from './open.ts'

/** What every engine says to bundles. */
export function bundleCases(validationEngine: 'local' | 'node'): void {
  let chain: DevChain
  let simulator: SimulatorHandlers
  let open: OpenContracts
  beforeAll(async () => {
    chain = await startDevChain()
    simulator = await openSimulator(chain, { validationEngine })
    open = await openContracts(chain)
  })
  afterAll(() => chain.stop())

  function check(ops: readonly UserOperation[], changes: Partial<CheckBundleJob> = {}) {
    const version = ops[0]?.version ?? '0.8'
    return simulator.checkBundle({
      chainId: chain.chainId,
      version,
      ops,
      beneficiary: relayer.address,
      from: relayer.address,
      gasLimit: bundleGasLimit(version, ops, relayer.address, { eip7623: true }),
      maxFeePerGas: 3_000_000_000n,
      block: 'latest',
      ...changes,
    })
  }

  describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
    test('a good bundle passes with the gas it will be sent with', async () => {
      const ops = [await open.operation(version), await open.operation(version)]
      expect(await check(ops)).toMatchObject({ kind: 'passes', authorizations: [] })
    })

    test('the operation that fails is named, with its own error', async () => {
      const good = await open.operation(version)
      const bad = await open.operation(version, {}, { refusal: 'closed' })
      expect(await check([good, bad, good])).toMatchObject({
        kind: 'fails',
        index: 1,
        error: {
          code: -32500,
          message: 'AA23 reverted: closed',
          data: { aaCode: 'AA23', entity: 'account', address: bad.sender },
        },
      })
    })

    test('two operations of one nonce: the second fails', async () => {
      const op = await open.operation(version)
      expect(await check([op, op])).toMatchObject({
        kind: 'fails',
        index: 1,
        error: { message: 'AA25 invalid account nonce' },
      })
    })

    test('a paymaster that can pay for one only', async () => {
      const paymaster = await open.paymaster(version, parseEther(version === '0.6' ? '0.012' : '0.006'))
      const limits = version === '0.6' ? {} : { paymasterVerificationGasLimit: 100_000n }
      const one = await open.operation(version, { paymaster, ...limits })
      const two = await open.operation(version, { paymaster, ...limits })
      expect(await check([one])).toMatchObject({ kind: 'passes', authorizations: [] })
      expect(await check([one, two])).toMatchObject({
        kind: 'fails',
        index: 1,
        error: { code: -32508, message: 'AA31 paymaster deposit too low', data: { paymaster } },
      })
    })

    test('less gas than the operations ask for is AA95', async () => {
      const op = await open.operation(version, { callGasLimit: 2_000_000n })
      expect(await check([op], { gasLimit: 1_500_000n })).toMatchObject({
        kind: 'fails',
        index: 0,
        error: { code: -32500, message: 'AA95 out of gas' },
      })
    })

    test('a beneficiary that takes nothing fails the whole', async () => {
      const beneficiary = await open.deploy('Reverter')
      expect(await check([await open.operation(version)], { beneficiary })).toMatchObject({
        kind: 'fails-whole',
        error: { code: -32500, message: 'AA91 failed send to beneficiary', data: { aaCode: 'AA91' } },
      })
    })

    test("the relayer's balance is not the question", async () => {
      const from = '0x000000000000000000000000000000000000bEEF'
      expect(await check([await open.operation(version)], { from })).toMatchObject({
        kind: 'passes',
        authorizations: [],
      })
    })
  })

  test('EIP-7702 senders have the code of their authorizations', async () => {
    const account = delegatedAccount()
    await fund(chain, account.address)
    const eip7702Auth = await authorization(chain, account.owner)
    const op = await signedOperation(chain, account, { eip7702Auth })
    expect(await check([op])).toMatchObject({ kind: 'passes', authorizations: [eip7702Auth] })
    expect((await sendBundle(chain, [op])).succeeded).toBe(true)
  })

  describe('EIP-7702 senders with two operations', () => {
    /** Two operations of one sender, the second with an authorization for `delegate`. */
    async function two(delegate: Address) {
      const account = delegatedAccount()
      await fund(chain, account.address)
      const eip7702Auth = await authorization(chain, account.owner)
      const other = await account.owner.signAuthorization({ ...eip7702Auth, address: delegate })
      const nonce = 1n << 64n
      return {
        eip7702Auth,
        ops: [
          await signedOperation(chain, account, { eip7702Auth }),
          await signedOperation(chain, account, { eip7702Auth: other, nonce }),
        ],
      }
    }

    test('need the authorization once', async () => {
      const { ops, eip7702Auth } = await two(chain.simple7702Account)
      expect(await check(ops)).toMatchObject({ kind: 'passes', authorizations: [eip7702Auth] })
    })

    test('have the code of the first one’s, as on chain', async () => {
      const { ops } = await two(chain.factories['0.8'])
      expect(await check(ops)).toMatchObject({ kind: 'fails', index: 1 })
      expect((await sendBundle(chain, ops)).succeeded).toBe(false)
    })
  })
}
