import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Hex, keccak256, recoverMessageAddress, stringToBytes } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { createLog } from '../../../src/base/log.ts'
import { outcomeOf } from '../../../src/bundler/submitter/outcome.ts'
import { openSender } from '../../../src/bundler/submitter/senders/open-sender.ts'
import { NodeError } from '../../../src/chain/node-error.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import type { Relaying, Sending } from '../../../src/types/ports/submitter.ts'
import { type RelayMode, startRelayStub } from '../../support/relayStub.ts'
import { transaction } from './builders.ts'

/** No node stands behind the relay: what it hands over goes nowhere. */
const relay = startRelayStub('http://127.0.0.1:1')
afterAll(() => relay.stop())
beforeEach(() => {
  relay.mode = 'forgets'
  relay.requests.length = 0
})

const raw: Hex = '0x02f8'
const signed = transaction('first', { raw, hash: keccak256(raw) })
const authKey: Hex = `0x${'01'.repeat(32)}`

function sending(changes: Partial<Sending> = {}): Sending {
  return { transaction: signed, conditions: undefined, head: 11_943_900, waited: 0, ...changes }
}

type Answers = { refusal?: NodeError; relayTimeoutMs?: number }

/** What reached the node, and a sender beside it. */
function sendsBy(relaying: Relaying, { refusal, relayTimeoutMs = 10_000 }: Answers = {}) {
  const calls: [string, readonly unknown[]][] = []
  const unexpected = () => Promise.reject(new Error('not asked'))
  const node: NodeClient = {
    chainId: 1,
    request<Result>(method: string, params: readonly unknown[]) {
      calls.push([method, params])
      return refusal === undefined ? Promise.resolve(signed.hash as Result) : Promise.reject(refusal)
    },
    requestAt: unexpected,
    requestOf: unexpected,
    close: async () => {},
  }
  const log = createLog({ level: 'silent' })
  const { sender } = openSender(relaying, { node, connect: () => node, relayTimeoutMs, log })
  return { calls, send: sender.send }
}

const through = { url: relay.url, fallbackBlocks: undefined }
const relays: Record<Exclude<Relaying['mode'], 'classic'>, Relaying> = {
  flashbots: { mode: 'flashbots', ...through, authKey },
  merkle: { mode: 'merkle', ...through },
  kolibri: { mode: 'kolibri', ...through, apiKey: 'YOUR_API_KEY' },
}

describe('on the wire', () => {
  test('flashbots: eth_sendBundle for the next block (docs.flashbots.net, JSON-RPC Endpoints, eth_sendBundle)', async () => {
    await sendsBy(relays.flashbots).send(sending())
    expect(relay.requests.map(({ body }) => body)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_sendBundle',
        params: [{ txs: [raw], blockNumber: '0xb63fdd' }],
      },
    ])
  })

  test('flashbots: the header signs the hash of the body (docs.flashbots.net, JSON-RPC Endpoints, Authentication)', async () => {
    await sendsBy(relays.flashbots).send(sending())
    const [request] = relay.requests
    const [address, signature] = (request?.headers['x-flashbots-signature'] ?? '').split(':')
    const message = keccak256(stringToBytes(request?.text ?? ''))
    expect(address).toBe(privateKeyToAddress(authKey))
    expect(await recoverMessageAddress({ message, signature: signature as Hex })).toBe(
      privateKeyToAddress(authKey),
    )
  })

  test('flashbots: without a key of its own a process makes one up', async () => {
    const { send } = sendsBy({ mode: 'flashbots', ...through, authKey: undefined })
    await send(sending())
    await send(sending())
    const signers = relay.requests.map(({ headers }) => headers['x-flashbots-signature']?.split(':')[0])
    expect(signers[0]).toMatch(/^0x[0-9a-fA-F]{40}$/)
    expect(signers[1]).toBe(signers[0])
  })

  test('merkle: eth_sendRawTransaction (docs.merkle.io, Private pool, Send transactions via RPC)', async () => {
    const url = `${relay.url}/rpc/sk_mbs_key`
    await sendsBy({ mode: 'merkle', url, fallbackBlocks: undefined }).send(sending())
    expect(relay.requests.map(({ target, body }) => ({ target, body }))).toEqual([
      {
        target: '/rpc/sk_mbs_key',
        body: { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] },
      },
    ])
  })

  test('kolibri: eth_sendRawTransaction (docs.kolibrio.xyz, Ethereum, eth_sendRawTransaction)', async () => {
    await sendsBy(relays.kolibri).send(sending())
    const [request] = relay.requests
    expect(request).toMatchObject({
      target: '/?allow_reverts=false',
      headers: { 'x-api-key': 'YOUR_API_KEY' },
      body: { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] },
    })
  })

  test('kolibri: what the URL says of reverts stands', async () => {
    const url = `${relay.url}/?allow_reverts=true`
    await sendsBy({ mode: 'kolibri', url, apiKey: undefined, fallbackBlocks: undefined }).send(sending())
    expect(relay.requests[0]?.target).toBe('/?allow_reverts=true')
    expect(relay.requests[0]?.headers).not.toHaveProperty('x-api-key')
  })

  test('conditional: slots and quantities in hex (ERC-7796; op-geth, core/types/transaction_conditional.go)', async () => {
    const slot: Hex = `0x${'11'.repeat(32)}`
    const knownAccounts = { [signed.relayer]: { [slot]: `0x${'00'.repeat(32)}` as Hex } }
    const { calls, send } = sendsBy({ mode: 'classic', submitUrl: undefined, conditional: true })
    await send(sending({ conditions: { knownAccounts, timestampMax: 1_700_000_000 } }))
    await send(sending({ conditions: { knownAccounts } }))
    expect(calls).toEqual([
      ['eth_sendRawTransactionConditional', [raw, { knownAccounts, timestampMax: '0x6553f100' }]],
      ['eth_sendRawTransactionConditional', [raw, { knownAccounts }]],
    ])
  })

  test('conditional: a cancellation, and what has no conditions, is sent as it is', async () => {
    const { calls, send } = sendsBy({ mode: 'classic', submitUrl: undefined, conditional: true })
    const cancel = transaction('cancel', { kind: 'cancel' })
    await send(sending({ transaction: cancel, conditions: { knownAccounts: {} } }))
    await send(sending())
    expect(calls).toEqual([
      ['eth_sendRawTransaction', [cancel.raw]],
      ['eth_sendRawTransaction', [raw]],
    ])
  })
})

describe.each(Object.values(relays))('what $mode says', (relaying) => {
  async function outcomeIn(mode: RelayMode) {
    relay.mode = mode
    const { calls, send } = sendsBy(relaying, mode === 'silent' ? { relayTimeoutMs: 50 } : {})
    const outcome = await send(sending()).then(
      () => ({ kind: 'accepted' }),
      (error) => outcomeOf(error),
    )
    expect(calls).toEqual([])
    return outcome
  }

  test('nothing, garbage or an HTTP error: nobody can tell', async () => {
    for (const mode of ['silent', 'garbage', 'http-500'] as const)
      expect(await outcomeIn(mode)).toMatchObject({ kind: 'unknown' })
  })

  test('no, in whatever form: not final', async () => {
    for (const mode of ['refuses', 'refuses-in-text'] as const) {
      expect(await outcomeIn(mode)).toEqual({
        kind: 'unclear',
        reason: expect.stringMatching(/^relay http:.* said: this relay does not like it$/),
      })
    }
  })

  test('yes', async () => {
    expect(await outcomeIn('forgets')).toEqual({ kind: 'accepted' })
  })
})

test('a relay that did not answer in time is left alone for a while', async () => {
  relay.mode = 'silent'
  const { send } = sendsBy(relays.merkle, { relayTimeoutMs: 50 })
  const reasons = [
    await send(sending()).catch((error) => outcomeOf(error).kind),
    await send(sending()).catch((error) => outcomeOf(error).kind),
  ]
  expect(reasons).toEqual(['unknown', 'unknown'])
  expect(relay.requests).toHaveLength(1)
})

test.each([relays.merkle, relays.kolibri])(
  '$mode: yes to another transaction is no answer',
  async (relaying) => {
    relay.mode = 'wrong-hash'
    const error = await sendsBy(relaying)
      .send(sending())
      .catch((error) => error)
    expect(outcomeOf(error)).toEqual({
      kind: 'unknown',
      reason: 'the relay answered for another transaction',
    })
  },
)

test('a relay’s URL with a key in it is in no reason', async () => {
  relay.mode = 'refuses'
  const url = `${relay.url}/rpc/sk_mbs_5f1c2ab5d3e84a7c9b0e`
  const error = await sendsBy({ mode: 'merkle', url, fallbackBlocks: undefined })
    .send(sending())
    .catch((error) => error)
  expect(JSON.stringify(outcomeOf(error))).not.toContain('5f1c2ab5d3e84a7c9b0e')
})

describe('the way to the nodes', () => {
  const later: Relaying = { ...relays.merkle, mode: 'merkle', url: relay.url, fallbackBlocks: 3 }

  test('is open after the configured blocks, for the same transaction', async () => {
    const { calls, send } = sendsBy(later)
    for (const waited of [0, 2, 3, 4]) await send(sending({ waited }))
    expect(relay.requests).toHaveLength(2)
    expect(calls).toEqual([
      ['eth_sendRawTransaction', [raw]],
      ['eth_sendRawTransaction', [raw]],
    ])
  })

  test('is never open where none is configured', async () => {
    const { calls, send } = sendsBy(relays.merkle)
    await send(sending({ waited: 1_000_000 }))
    expect(calls).toEqual([])
  })

  test('is always open to a cancellation', async () => {
    const { calls, send } = sendsBy(relays.flashbots)
    const cancel = transaction('cancel', { kind: 'cancel' })
    await send(sending({ transaction: cancel }))
    expect(relay.requests).toEqual([])
    expect(calls).toEqual([['eth_sendRawTransaction', [cancel.raw]]])
  })
})

describe('a sequencer that takes conditions', () => {
  const conditions = { knownAccounts: {} }
  const outcomeOfRefusal = async (code: number, message: string) => {
    const refusal = new NodeError(code, message)
    const { send } = sendsBy({ mode: 'classic', submitUrl: undefined, conditional: true }, { refusal })
    return outcomeOf(await send(sending({ conditions })).catch((error) => error))
  }

  // op-geth, internal/sequencerapi/api.go; params/conditional_tx_params.go
  test('says that one does not hold: stale', async () => {
    expect(await outcomeOfRefusal(-32003, 'failed state check: storage slot value mismatch')).toEqual({
      kind: 'stale',
      reason: 'failed state check: storage slot value mismatch',
    })
  })

  test('refuses for another reason: as any node', async () => {
    expect(await outcomeOfRefusal(-32000, 'nonce too low: next nonce 5, tx nonce 4')).toMatchObject({
      kind: 'nonce-used',
    })
  })
})
