import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Hash } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { fund, signedOperation, simpleAccount } from '../support/accounts.ts'
import { call, send, watchStates } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { scratchDirectory, startTandem, type TandemProcess } from '../support/service.ts'

const directory = scratchDirectory()
let chains: DevChain[]
let tandem: TandemProcess
let base: string

beforeAll(async () => {
  chains = await Promise.all([31337, 31338].map((chainId) => startDevChain({ chainId, blockTime: 1 })))
  const [first, second] = chains
  const config = {
    port: 0,
    chains: [
      { rpcUrl: [first?.url], relayerKeys: [anvilKeys[1]], hosts: ['one.example'] },
      { rpcUrl: [second?.url], relayerKeys: [anvilKeys[2]], hosts: ['two.example'] },
    ],
  }
  await Bun.write(join(directory, 'tandem.json'), JSON.stringify(config))
  tandem = startTandem(['serve', '--config', 'tandem.json'], directory)
  base = new URL((await tandem.line('tandem ready: ')).split(' ')[2] ?? '').origin
})

afterAll(async () => {
  await tandem?.kill('SIGTERM')
  await Promise.all(chains?.map((chain) => chain.stop()) ?? [])
  rmSync(directory, { recursive: true, force: true })
})

test('two chains in one process have their own relayers, pools and histories', async () => {
  const hashes: Hash[] = []
  for (const [index, chain] of chains.entries()) {
    const url = `${base}/v1/${chain.chainId}/`
    const account = await simpleAccount(chain, '0.7')
    await fund(chain, account.address)
    const watch = await watchStates(url, [account.address])
    const hash = await send(url, await signedOperation(chain, account))
    await watch.all([hash], 'included')
    watch.close()
    hashes.push(hash)
    const receipt = await call<{ receipt: { from: string } }>(url, 'eth_getUserOperationReceipt', hash)
    expect(receipt.receipt.from).toBe(privateKeyToAddress(anvilKeys[index + 1] ?? '0x'))
    expect(await call<{ chainId: number; relayers: string[] }>(url, 'bundler_config')).toMatchObject({
      chainId: chain.chainId,
      relayers: [privateKeyToAddress(anvilKeys[index + 1] ?? '0x')],
    })
  }
  const [ofFirst, ofSecond] = hashes
  expect(await call(`${base}/v1/31338/`, 'eth_getUserOperationByHash', ofFirst)).toBeNull()
  expect(await call(`${base}/v1/31337/`, 'eth_getUserOperationByHash', ofSecond)).toBeNull()
})

test('the Host header reaches the right one (form 2)', async () => {
  const chainIdAt = async (host: string) => {
    const response = await fetch(base, {
      method: 'POST',
      headers: { host, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
    })
    return { status: response.status, body: await response.json() }
  }
  expect(await chainIdAt('one.example')).toMatchObject({ status: 200, body: { result: '0x7a69' } })
  expect(await chainIdAt('two.example')).toMatchObject({ status: 200, body: { result: '0x7a6a' } })
  expect(await chainIdAt('three.example')).toMatchObject({ status: 404, body: { error: { code: -32600 } } })
})
