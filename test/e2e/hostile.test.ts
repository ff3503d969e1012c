import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hash, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { simpleAccount, type TestAccount } from '../support/accounts.ts'
import { catchUp } from '../support/catchUp.ts'
import {
  call,
  type RpcError,
  type StateWatch,
  send,
  type WireReceipt,
  watchStates,
} from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { openContracts } from '../support/open.ts'
import { type RunningService, startService } from '../support/service.ts'
import { freshKey, type Trick, type Tricksters, tricksters } from '../support/tricksters.ts'

const accountsOfVersion = 12
/** Bundles by hand that are surely enough. */
const manyBundles = 20
/** gas of each operation, such as a wallet's estimate gives */
const gas = { callGasLimit: 60_000n, verificationGasLimit: 100_000n, preVerificationGas: 70_000n }

let chain: DevChain
let service: RunningService
let accounts: TestAccount[]
let tricky: Tricksters
/** An operation of each version whose account reverts in validation. */
let unwilling: ReadonlyMap<EntryPointVersion, UserOperation>

beforeAll(async () => {
  chain = await startDevChain({ extraArguments: ['--gas-limit', '60000000'] })
  accounts = []
  for (const version of entryPointVersions) accounts.push(...(await fleet(chain, version, accountsOfVersion)))
  tricky = await tricksters(chain)
  const refusing = await (await openContracts(chain)).operation('0.7', gas, { refusal: 'not today' })
  unwilling = new Map(entryPointVersions.map((version) => [version, { ...refusing, version }]))
  service = await startService({
    nodeUrl: chain.url,
    relayerKeys: [anvilKeys[2]],
    // Where the rules of ERC-7562 are checked, these operations get no further than the door.
    flags: [
      '--testing',
      '--log-level',
      'warn',
      '--validation-engine',
      'node',
      '--lowest-validation',
      'basic',
    ],
  })
  await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
}, 60_000)

afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

/** An operation of every valid account, sent. */
function sendValid(nonce: bigint): Promise<Hash[]> {
  return Promise.all(
    accounts.map(async (account) => send(service.url, await operation(chain, account, { ...gas, nonce }))),
  )
}

/** How many bundles it takes until all of these are included; none of them reverts. */
async function bundlesFor(hashes: readonly Hash[]): Promise<number> {
  for (let count = 1; count <= manyBundles; count++) {
    const transaction = await call<Hash>(service.url, 'debug_bundler_sendBundleNow')
    const { status } = await rpc<{ status: Hex }>(chain.url, 'eth_getTransactionReceipt', [transaction])
    expect(status).toBe('0x1')
    if ((await receipts(hashes)).every((receipt) => receipt !== null)) return count
  }
  throw new Error(`${manyBundles} bundles were not enough`)
}

function receipts(hashes: readonly Hash[]): Promise<(WireReceipt | null)[]> {
  return Promise.all(
    hashes.map((hash) => call<WireReceipt | null>(service.url, 'eth_getUserOperationReceipt', hash)),
  )
}

const refusal = (op: UserOperation): Promise<string> =>
  send(service.url, op).then(
    () => 'accepted',
    ({ error }: RpcError) => `${error.code} ${error.message}`,
  )

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('it was not made')
  return value
}

async function waitFor(
  state: string,
  ops: readonly UserOperation[],
  hashes: readonly Hash[],
  event: () => Promise<unknown>,
) {
  const watch: StateWatch = await watchStates(
    service.url,
    ops.map(({ sender }) => sender),
  )
  await event()
  await watch.all(hashes, state)
  watch.close()
}

test('valid operations are included as soon beside hostile ones as without them', async () => {
  const undisturbed = await bundlesFor(await sendValid(0n))
  expect(undisturbed).toBe(entryPointVersions.length)

  const sendAll = (ops: readonly UserOperation[]) => Promise.all(ops.map((op) => send(service.url, op)))
  const tricks = async (trick: Trick, count: number) => {
    const ops: UserOperation[] = []
    for (const version of entryPointVersions) {
      for (let index = 0; index < count; index++)
        ops.push(await tricky.operation(version, await tricky.account(trick), rich))
    }
    return ops
  }
  // Hostile operations that pay more than the valid ones come first.
  const rich = { ...gas, maxFeePerGas: 9_000_000_000n, maxPriorityFeePerGas: 9_000_000_000n }
  const turncoats = await sendAll(await tricks('Turncoat', 1))
  const loners = await sendAll(await tricks('Loner', 3))
  const mayflyOps = await tricks('Mayfly', 1)
  const mayflies = await sendAll(mayflyOps)
  // They are past the moment when they could still be mined in time.
  await rpc(chain.url, 'evm_increaseTime', [5])
  await rpc(chain.url, 'evm_mine')
  await catchUp(service.url, chain)

  const [first, ...others] = accounts
  const outbid = await operation(chain, known(first), { ...gas, nonce: 1n })
  const fees = { maxFeePerGas: 6_000_000_000n, maxPriorityFeePerGas: 1_200_000_000n }
  const replaced = await send(service.url, outbid)
  const replacing = await send(
    service.url,
    await operation(chain, known(first), { ...gas, ...fees, nonce: 1n }),
  )
  const valid = await Promise.all(
    others.map(async (account) => send(service.url, await operation(chain, account, { ...gas, nonce: 1n }))),
  )
  valid.push(replacing)

  expect(await bundlesFor(valid)).toBeLessThanOrEqual(undisturbed + 1)
  for (const receipt of await receipts(valid)) expect(receipt).toMatchObject({ success: true })
  expect(await receipts([...turncoats, ...mayflies, replaced])).toEqual(
    [...turncoats, ...mayflies, replaced].map(() => null),
  )
  // One of each EntryPoint goes with the others, and the rest alone.
  const together = (await receipts(loners)).filter((receipt) => receipt !== null)
  expect(together.length).toBeGreaterThanOrEqual(entryPointVersions.length)

  await waitFor('expired', mayflyOps, mayflies, async () => {
    await rpc(chain.url, 'evm_increaseTime', [60])
    await rpc(chain.url, 'evm_mine')
  })
}, 120_000)

test.each([...entryPointVersions])(
  'what validation can tell is refused at once, EntryPoint %s',
  async (version) => {
    const account = known(accounts.find((each) => each.version === version))
    const nonce = freshKey() << 64n
    const thief = { ...account, owner: privateKeyToAccount(generatePrivateKey()) }
    const forged = await operation(chain, thief, { ...gas, nonce })
    expect(await refusal(forged)).toBe('-32507 AA24 signature error')

    const poor = await simpleAccount(chain, version)
    const { factory, factoryData } = poor
    const penniless = await operation(chain, poor, {
      ...gas,
      verificationGasLimit: 500_000n,
      factory,
      factoryData,
    })
    expect(await refusal(penniless)).toBe("-32500 AA21 didn't pay prefund")

    expect(await refusal(known(unwilling.get(version)))).toBe('-32500 AA23 reverted: not today')
  },
)
