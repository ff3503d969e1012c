import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPublicClient, createWalletClient, http, parseEther, publicActions } from 'viem'
import { createBundlerClient, toSimple7702SmartAccount } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { developmentChain } from '../../src/dev/demo.ts'
import { toSimpleAccount } from '../../src/dev/simple-account.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { fund } from '../support/accounts.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { type RunningService, startService } from '../support/service.ts'

let chain: DevChain
let service: RunningService

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 1 })
  service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[1], anvilKeys[2]] })
})

afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const receiver = '0x000000000000000000000000000000000000dEaD'
const calls = [{ to: receiver, value: parseEther('0.01') }] as const

describe.each(entryPointVersions)('a SimpleAccount of EntryPoint %s, through viem', (version) => {
  test('estimates, sends, waits, reads the receipt; then again, deployed', async () => {
    const client = createPublicClient({
      chain: developmentChain(chain.chainId, chain.url),
      transport: http(chain.url),
    })
    const owner = privateKeyToAccount(generatePrivateKey())
    const account = await toSimpleAccount({ client, version, owner, factory: chain.factories[version] })
    await fund(chain, account.address)
    const bundler = createBundlerClient({
      account,
      client,
      transport: http(service.url),
      pollingInterval: 50,
    })

    const gas = await bundler.estimateUserOperationGas({ calls })
    expect(gas.callGasLimit).toBeGreaterThan(0n)
    expect(gas.preVerificationGas).toBeGreaterThan(21_000n)

    for (const _round of ['counterfactual', 'deployed']) {
      const hash = await bundler.sendUserOperation({ calls })
      const receipt = await bundler.waitForUserOperationReceipt({ hash })
      expect(receipt.success).toBe(true)
      expect(receipt.userOpHash).toBe(hash)
      expect(receipt.receipt.status).toBe('success')
      const found = await bundler.getUserOperation({ hash })
      expect(found.transactionHash).toBe(receipt.receipt.transactionHash)
      expect(found.userOperation.sender).toBe(account.address)
    }
  })
})

test('an EOA that becomes a smart account by EIP-7702, and sends again as one', async () => {
  const owner = privateKeyToAccount(generatePrivateKey())
  const client = createWalletClient({
    account: owner,
    chain: developmentChain(chain.chainId, chain.url),
    transport: http(chain.url),
  }).extend(publicActions)
  await fund(chain, owner.address)
  const account = await toSimple7702SmartAccount({ client, owner, implementation: chain.simple7702Account })
  const bundler = createBundlerClient({ account, client, transport: http(service.url), pollingInterval: 50 })

  const authorization = await client.signAuthorization(account.authorization)
  const first = await bundler.sendUserOperation({ authorization, calls })
  expect(await bundler.waitForUserOperationReceipt({ hash: first })).toMatchObject({ success: true })
  expect(await client.getCode({ address: owner.address })).toStartWith('0xef0100')

  const second = await bundler.sendUserOperation({ calls })
  expect(await bundler.waitForUserOperationReceipt({ hash: second })).toMatchObject({ success: true })
})
