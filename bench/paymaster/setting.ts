import { numberToHex } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { TestAccount } from '../../test/support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../../test/support/devChain.ts'
import { fleet, operation } from '../../test/support/fleet.ts'
import { ownPaymaster, paymasterHome, rest, type TestKey } from '../../test/support/paymasterService.ts'
import { type RunningService, startService } from '../../test/support/service.ts'
import { startCountingProxy } from '../load/counting-proxy.ts'

/** Who asks for signatures, and for which operation next; none is asked for twice. */
export type Sponsor = { key: TestKey; next(): UserOperation }

/** A chain with a block a second, and the service on it with paymasters of EntryPoint 0.7. */
export type Setting = {
  chain: DevChain
  service: RunningService
  /** Calls to the node so far. */
  nodeCalls(): number
  /** With one policy that has every kind of limit. */
  usual: Sponsor
  /** With ten policies, and ten addresses on the list of the one that decides. */
  small: Sponsor
  /** With a thousand policies, and a hundred thousand addresses. */
  large: Sponsor
  /** Operations of other accounts that pay for themselves, signed. */
  selfPaid: readonly UserOperation[]
  stop(): Promise<void>
}

export const sizes = {
  small: { policies: 10, addresses: 10 },
  large: { policies: 1_000, addresses: 100_000 },
} as const

/** Nobody may have more than ten operations open at a tenant. */
const perSender = 10
/** A tenant signs for a nonce sixteen times at most. */
const perNonce = 16
/** Enough senders for what is asked of the usual sponsor. */
const senders = 400
const selfPaidCount = 150
/** Addresses that one call may list. */
const batch = 1_000
/** coins; what was signed for stays promised through the run */
const deposit = '90'
const gas = { callGasLimit: 60_000n, verificationGasLimit: 100_000n, preVerificationGas: 70_000n }
const limits = {
  ...{ perOpMaximumApplicable: true, perOpMaximumUsd: '1000', perOpMaximumNative: '1' },
  ...{ perUserMaximumApplicable: true, perUserMaximumUsd: '10000', perUserMaximumOpCount: 1_000 },
  ...{ globalMaximumApplicable: true, globalMaximumUsd: '10000000', globalMaximumOpCount: 1_000_000 },
}

export async function paymasterSetting(): Promise<Setting> {
  const chain = await startDevChain({ extraArguments: ['--gas-limit', '60000000'] })
  const accounts = await fleet(chain, '0.7', senders + selfPaidCount)
  const home = await paymasterHome(chain)
  const proxy = startCountingProxy(chain.url)
  const service = await startService({
    ...{ nodeUrl: proxy.url, relayerKeys: [anvilKeys[1], anvilKeys[2]], directory: home.directory },
    flags: ['--config', 'tandem.json', '--master-key', '@master.key', '--log-level', 'warn'],
  })
  const crowd = accounts.slice(0, senders)
  const few = crowd.slice(0, sizes.small.addresses)
  const usual = await sponsor('usual', crowd, 1)
  await add(usual.key, 1, limits)
  const small = await sponsor('small', few, perNonce)
  await grow(small.key, sizes.small)
  const large = await sponsor('large', few, perNonce)
  await grow(large.key, sizes.large)
  const selfPaid = await Promise.all(accounts.slice(senders).map((account) => operation(chain, account, gas)))
  await rpc(chain.url, 'evm_setIntervalMining', [1])

  return {
    ...{ chain, service, usual, small, large, selfPaid, nodeCalls: proxy.calls },
    async stop() {
      await service.kill('SIGKILL')
      proxy.stop()
      home.remove()
      await chain.stop()
    },
  }

  async function sponsor(name: string, of: readonly TestAccount[], variants: number): Promise<Sponsor> {
    const key = await home.createKey(name)
    await ownPaymaster(service, key, '0.7', [chain.factories['0.7']], deposit)
    // What is asked for is not signed yet: each account's first operation has a signature of the right length.
    const first = await Promise.all(of.map((account) => operation(chain, account, gas)))
    const waiting = first
      .flatMap((op) =>
        Array.from({ length: perSender * variants }, (_, index) => ({
          ...op,
          nonce: BigInt(1 + (index % perSender)) << 64n,
          maxPriorityFeePerGas: BigInt(1_000_000_000 + Math.floor(index / perSender)),
        })),
      )
      .values()
    return {
      key,
      next() {
        const { value, done } = waiting.next()
        if (done) throw new Error(`${name} has no operations left`)
        return value
      },
    }
  }

  /** The policy that decides is the oldest: those after it are for another chain. */
  async function grow(key: TestKey, { policies, addresses }: { policies: number; addresses: number }) {
    const [decides] = await add(key, 1, limits)
    await add(key, policies - 1, { ...limits, isApplicableToAllNetworks: false, enabledChains: [1] })
    const others = Array.from({ length: addresses - few.length }, (_, index) =>
      numberToHex(index + 1, { size: 20 }),
    )
    const listed = [...few.map(({ address }) => address), ...others]
    for (let from = 0; from < listed.length; from += batch)
      await done(key, '/whitelist/v2', { params: [listed.slice(from, from + batch), String(decides)] })
  }

  async function add(key: TestKey, count: number, policy: object): Promise<number[]> {
    const ids: number[] = []
    for (let added = 0; added < count; added++)
      ids.push((await done(key, '/addPolicy', { name: `${added}`, ...policy })).id)
    return ids
  }

  async function done(key: TestKey, path: string, input: object): Promise<{ id: number }> {
    const { status, body } = await rest(service, key, 'POST', path, input)
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body
  }
}
