import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Hex, numberToHex } from 'viem'
import { type PaymasterPlan, paymasterDeployment } from '../../src/contracts/paymaster/deployment.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { transact } from '../support/bundles.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { newKey, testPaymaster } from '../support/paymasters.ts'

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())

describe.each(['verifying', 'token'] as const)('a %s paymaster', (kind) => {
  test.each([...entryPointVersions])(
    'of %s stands where it was said to, with its constructor’s values',
    async (version) => {
      const { plan, address, owner, signer, feeReceiver, read } = await testPaymaster(chain, kind, version)
      expect(paymasterDeployment(plan).address).toBe(address)
      expect(await read<string>('entryPoint')).toBe(entryPoints[version].address)
      expect(await read<string>('owner')).toBe(owner.address)
      expect(await read<string>('signer')).toBe(signer.address)
      if (kind === 'token') expect(await read<string>('feeReceiver')).toBe(feeReceiver)
    },
  )
})

test('the shared sponsor paymaster stands where it was said to', async () => {
  const { plan, address, owner, read } = await testPaymaster(chain, 'sponsor', '0.6')
  expect(paymasterDeployment(plan).address).toBe(address)
  expect(await read<string>('entryPoint')).toBe(entryPoints['0.6'].address)
  expect(await read<string>('owner')).toBe(owner.address)
})

test('the same plan cannot be deployed twice; another salt makes another paymaster', async () => {
  const plan: PaymasterPlan = { kind: 'sponsor', version: '0.6', owner: newKey().address }
  const first = paymasterDeployment(plan)
  const second = paymasterDeployment(plan, numberToHex(1, { size: 32 }))
  await transact(chain, first.to, first.data)
  expect(await transact(chain, first.to, first.data).catch((error) => error)).toBeInstanceOf(Error)
  expect(await rpc<Hex>(chain.url, 'eth_getCode', [second.address, 'latest'])).toBe('0x')
  await transact(chain, second.to, second.data)
  expect(await rpc<Hex>(chain.url, 'eth_getCode', [second.address, 'latest'])).not.toBe('0x')
})
