import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseHeader, type RpcHeader } from '../../../../src/chain/header.ts'
import { bundleGasLimit } from '../../../../src/gas/bundle-gas.ts'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import { relayer } from '../../../support/bundles.ts'
import { type DevChain, rpc, startDevChain } from '../../../support/devChain.ts'
import { openSimulator } from '../../../support/engines.ts'
import { type FaultyProxy, startFaultyProxy } from '../../../support/faultyProxy.ts'
import { fleet, operation } from '../../../support/fleet.ts'

let chain: DevChain
let proxy: FaultyProxy
beforeAll(async () => {
  chain = await startDevChain()
  proxy = startFaultyProxy(chain.url)
})
afterAll(async () => {
  await proxy.stop()
  await chain.stop()
})

async function mined() {
  await rpc(chain.url, 'anvil_mine', ['0x1'])
  return parseHeader(await rpc<RpcHeader>(chain.url, 'eth_getBlockByNumber', ['latest', false]))
}

describe.each([...entryPointVersions])('operations of EntryPoint %s that wait at a new head', (version) => {
  test('are fetched ahead: their bundle asks a node for its own opinion only', async () => {
    const { chainId } = chain
    const simulator = await openSimulator({ url: proxy.url, chainId })
    const accounts = await fleet(chain, version, 2)
    const ops = await Promise.all(accounts.map((account) => operation(chain, account)))
    const before = await mined()
    for (const op of ops) await simulator.validate({ chainId, op, block: before, nonceSequence: undefined })

    const block = await mined()
    await simulator.prepare({ chainId, block, ops, reorg: false })
    proxy.calls.clear()
    const verdict = await simulator.checkBundle({
      ...{ chainId, version, ops, block, beneficiary: relayer.address, from: relayer.address },
      gasLimit: bundleGasLimit(version, ops, relayer.address, { eip7623: true }),
      maxFeePerGas: 5_000_000_000n,
    })

    expect([verdict.kind, Object.fromEntries(proxy.calls)]).toEqual(['passes', { eth_call: 1 }])
  })
})
