import { expect } from 'bun:test'
import type { Hash } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { call, RpcError, send, type WireReceipt, watchStates } from './client.ts'
import { type DevChain, rpc, startDevChain } from './devChain.ts'
import { fleet, operation } from './fleet.ts'
import { type RunningService, startService } from './service.ts'

/** A service under load by a handful of accounts. */
export type LoadedService = RunningService & {
  /** One operation of every account, sent at once; their hashes, when all are accepted. */
  wave(sendOne?: typeof send): Promise<Hash[]>
  /** Resolves when every operation is in a block, successful, and once. */
  included(hashes: readonly Hash[]): Promise<void>
}

/** A chain with accounts whose nonces are used up wave by wave, whatever service they are sent to. */
export type Load = {
  chain: DevChain
  /**
   * @param nodeUrls the preferred one first
   * @param directory of an earlier run, to go on with its database
   */
  serve(nodeUrls: readonly string[], flags?: readonly string[], directory?: string): Promise<LoadedService>
  stop(): Promise<void>
}

export async function startLoad(senders = 6): Promise<Load> {
  const chain = await startDevChain()
  const accounts = await fleet(chain, '0.7', senders)
  let nonce = 0n

  async function wave(url: string, sendOne: typeof send): Promise<Hash[]> {
    const at = nonce++
    const ops = await Promise.all(accounts.map((account) => operation(chain, account, { nonce: at })))
    return Promise.all(ops.map((op) => sendOne(url, op)))
  }

  return {
    chain,
    async serve(nodeUrls, flags = [], directory) {
      const service = await startService({
        nodeUrl: nodeUrls.join(','),
        relayerKeys: [anvilKeys[1], anvilKeys[2]],
        flags: ['--node-timeout', '1000', '--log-level', 'debug', ...flags],
        ...(directory !== undefined && { directory }),
      })
      const addresses = accounts.map((account) => account.address)
      const watch = await watchStates(service.url, addresses)
      return {
        ...service,
        wave: (sendOne = send) => wave(service.url, sendOne),
        async included(hashes) {
          await watch.all(hashes, 'included')
          await expectOnce(service.url, chain, hashes)
        },
        async stop() {
          watch.close()
          await service.stop()
        },
      }
    },
    stop: () => chain.stop(),
  }
}

async function expectOnce(url: string, chain: DevChain, hashes: readonly Hash[]): Promise<void> {
  const receipts = await Promise.all(
    hashes.map((hash) => call<WireReceipt | null>(url, 'eth_getUserOperationReceipt', hash)),
  )
  for (const receipt of receipts) expect(receipt).toMatchObject({ success: true, receipt: { status: '0x1' } })
  const logs = await rpc<{ topics: Hash[] }[]>(chain.url, 'eth_getLogs', [
    { fromBlock: '0x0', topics: [null, hashes] },
  ])
  expect(logs.map((log) => log.topics[1]).sort()).toEqual(hashes.toSorted())
}

/** Sends until somebody can tell: trouble of our own (-32603) is no answer about the operation. */
export const untilTold: typeof send = async (url, op) => {
  for (let attempt = 0; attempt < 1000; attempt++) {
    try {
      return await send(url, op)
    } catch (error) {
      if (!(error instanceof RpcError) || error.error.code !== -32603) throw error
    }
  }
  throw new Error('nobody could tell')
}
