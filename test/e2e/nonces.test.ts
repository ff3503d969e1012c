import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encodeFunctionData, type Hash, parseAbi, parseEther } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { execute, type TestAccount } from '../support/accounts.ts'
import { call, RpcError, type StateWatch, send, type WireReceipt, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RunningService, startService } from '../support/service.ts'

let chain: DevChain
let service: RunningService
let unstaked: TestAccount
let staked: TestAccount
let watch: StateWatch

beforeAll(async () => {
  chain = await startDevChain()
  const accounts = await fleet(chain, '0.7', 2)
  const [first, second] = accounts
  if (first === undefined || second === undefined) throw new Error('no accounts')
  unstaked = first
  staked = second
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  service = await startService({
    nodeUrl: chain.url,
    relayerKeys: [anvilKeys[1], anvilKeys[2]],
    flags: ['--testing', '--max-nonce-gap', '20'],
  })
  watch = await watchStates(
    service.url,
    accounts.map((account) => account.address),
  )
})

afterAll(async () => {
  watch?.close()
  await service?.stop()
  await chain?.stop()
})

/** [block, index of its transaction, index of its event]: what came first on chain. */
async function place(hash: Hash): Promise<[number, number]> {
  const { receipt, logs } = await call<WireReceipt & { logs: { logIndex: string }[] }>(
    service.url,
    'eth_getUserOperationReceipt',
    hash,
  )
  return [Number(receipt.blockNumber), Number(logs.at(-1)?.logIndex)]
}

async function expectInOrder(hashes: readonly Hash[]): Promise<void> {
  const places = await Promise.all(hashes.map(place))
  expect(places).toEqual(places.toSorted(([a, b], [c, d]) => a - c || b - d))
}

test('four nonces of an unstaked sender, sent in reverse, are included in order; a fifth has no room', async () => {
  const nonces = [3n, 2n, 1n, 0n]
  const hashes: Hash[] = []
  for (const nonce of nonces)
    hashes.push(await send(service.url, await operation(chain, unstaked, { nonce })))
  const fifth = await send(service.url, await operation(chain, unstaked, { nonce: 4n })).catch(
    (error) => error,
  )
  expect(fifth).toBeInstanceOf(RpcError)
  expect((fifth as RpcError).error).toMatchObject({
    code: -32505,
    data: { entity: 'account', address: unstaked.address },
  })
  await watch.all(hashes, 'included')
  await expectInOrder(hashes.toReversed())
})

test('twenty nonces of a staked sender, sent in reverse, are included in order', async () => {
  const addStake = encodeFunctionData({
    abi: parseAbi(['function addStake(uint32 delay) payable']),
    args: [86_400],
  })
  const callData = execute(entryPoints['0.7'].address, parseEther('1'), addStake)
  await rpc(chain.url, 'anvil_setBalance', [staked.address, '0x56bc75e2d63100000'])
  const staking = await send(
    service.url,
    await operation(chain, staked, { callData, callGasLimit: 200_000n }),
  )
  await watch.all([staking], 'included')
  expect(
    await call<{ isStaked: boolean }>(
      service.url,
      'debug_bundler_getStakeStatus',
      staked.address,
      entryPoints['0.7'].address,
    ),
  ).toMatchObject({ isStaked: true })

  const hashes: Hash[] = []
  for (let nonce = 20n; nonce >= 1n; nonce--) {
    hashes.push(await send(service.url, await operation(chain, staked, { nonce })))
  }
  await watch.all(hashes, 'included')
  await expectInOrder(hashes.toReversed())
})
