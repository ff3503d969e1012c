import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, createPublicClient, http, type PublicClient, parseEther } from 'viem'
import { createBundlerClient, type SmartAccount } from 'viem/account-abstraction'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { developmentChain } from '../../src/dev/demo.ts'
import { fund } from '../support/accounts.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { deployModular, type ModularContracts, toModularAccount } from '../support/modular.ts'
import { deploySafe, type SafeContracts, toSafeAccount } from '../support/safe.ts'
import { type RunningService, startService } from '../support/service.ts'

let chain: DevChain
let service: RunningService
let client: PublicClient
let safe: SafeContracts
let modular: ModularContracts

beforeAll(async () => {
  chain = await startDevChain()
  safe = await deploySafe(chain)
  modular = await deployModular(chain)
  client = createPublicClient({
    chain: developmentChain(chain.chainId, chain.url),
    transport: http(chain.url),
  })
  service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]] })
}, 120_000)

afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const amount = parseEther('0.01')

describe.each([
  {
    name: 'a Safe',
    batch: 1,
    make: (owner: PrivateKeyAccount) => toSafeAccount({ client, contracts: safe, owner }),
  },
  {
    name: "OpenZeppelin's modular account",
    batch: 3,
    make: (owner: PrivateKeyAccount) => toModularAccount({ client, contracts: modular, owner }),
  },
])('$name', ({ make, batch }) => {
  let account: SmartAccount

  beforeAll(async () => {
    account = await make(privateKeyToAccount(generatePrivateKey()))
    await fund(chain, account.address)
  })

  /** Estimates, sends with the estimated limits as they are, waits. */
  async function pay(receivers: readonly Address[]) {
    const bundler = createBundlerClient({
      account,
      client,
      transport: http(service.url),
      pollingInterval: 50,
    })
    const calls = receivers.map((to) => ({ to, value: amount }))
    const { callGasLimit, verificationGasLimit, preVerificationGas } = await bundler.estimateUserOperationGas(
      {
        calls,
      },
    )
    const limits = { callGasLimit, verificationGasLimit, preVerificationGas }
    const hash = await bundler.sendUserOperation({ calls, ...limits })
    const receipt = await bundler.waitForUserOperationReceipt({ hash })
    const { userOperation } = await bundler.getUserOperation({ hash })
    expect(userOperation).toMatchObject(limits)
    expect(receipt).toMatchObject({ success: true, sender: account.address, userOpHash: hash })
    for (const address of receivers) expect(await client.getBalance({ address })).toBe(amount)
    return userOperation
  }

  test('is deployed by its first operation', async () => {
    expect(await client.getCode(account)).toBeUndefined()
    expect(await pay([freshAddress()])).toHaveProperty('factory')
    expect(await client.getCode(account)).toBeDefined()
  })

  test('goes on without its factory', async () => {
    const receivers = Array.from({ length: batch }, freshAddress)
    expect(await pay(receivers)).not.toHaveProperty('factory')
  })
})

const freshAddress = () => privateKeyToAccount(generatePrivateKey()).address
