import type { Hash, Hex } from 'viem'
import { keccak256 } from 'viem'
import type { Json } from '../../src/base/errors.ts'
import { deferred } from '../../src/base/queue.ts'
import { rpc } from './devChain.ts'

export type RelayMode =
  /** takes it, and hands it to the block builder */
  | 'includes'
  /** takes it, and it is never heard of again */
  | 'forgets'
  /** reads the request and says nothing */
  | 'silent'
  /** as `includes`, but only once `release()` is called */
  | 'late'
  /** HTTP 200 with something that is not JSON */
  | 'garbage'
  | 'http-500'
  /** a JSON-RPC error */
  | 'refuses'
  /** an error that is a bare text, as Flashbots' older methods answer */
  | 'refuses-in-text'
  /** says no, and includes it all the same */
  | 'lies'
  /** takes it in the name of another transaction */
  | 'wrong-hash'

export type RelayRequest = {
  /** Path and query of the URL. */
  target: string
  headers: Record<string, string>
  /** As it came. */
  text: string
  body: { jsonrpc: string; id: number; method: string; params: Json[] }
}

export type RelayStub = {
  readonly url: string
  mode: RelayMode
  readonly requests: RelayRequest[]
  /** Lets go of what `late` holds; resolves when it is with the builder. */
  release(): Promise<void>
  stop(): Promise<void>
}

/** What a conditional sequencer compares: a storage slot, or the time. */
type Conditions = { knownAccounts: Record<Hex, Record<Hex, Hex>>; timestampMax?: Hex }

/**
 * A relay: `eth_sendBundle` (docs.flashbots.net), `eth_sendRawTransaction` (docs.merkle.io, docs.kolibrio.xyz), and
 * a sequencer's `eth_sendRawTransactionConditional` (ERC-7796). Its block builder is the node behind it, whose next
 * block has what the relay handed over; a bundle for any other block is dropped. Other methods pass through.
 */
export function startRelayStub(nodeUrl: string): RelayStub {
  const requests: RelayRequest[] = []
  let gate = deferred<void>()
  const held: Promise<void>[] = []
  let mode: RelayMode = 'includes'
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: serve })

  async function serve(request: Request): Promise<Response> {
    const text = await request.text()
    const { pathname, search } = new URL(request.url)
    const body = JSON.parse(text) as RelayRequest['body']
    if (!/^eth_send(Bundle|RawTransaction)/.test(body.method)) return passed(text)
    requests.push({ target: pathname + search, headers: Object.fromEntries(request.headers), text, body })
    return answer(body)
  }

  async function passed(text: string): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(nodeUrl, { method: 'POST', headers, body: text })
    return new Response(await response.text(), { headers })
  }

  async function answer({ id, method, params }: RelayRequest['body']): Promise<Response> {
    const result = (value: Json) => Response.json({ jsonrpc: '2.0', id, result: value })
    const error = (value: Json) => Response.json({ jsonrpc: '2.0', id, error: value })
    const refusal = { code: -32000, message: 'this relay does not like it' }
    switch (mode) {
      case 'silent':
        return new Promise(() => {})
      case 'garbage':
        return new Response('<html>welcome</html>')
      case 'http-500':
        return new Response('out of order', { status: 500 })
      case 'refuses':
        return error(refusal)
      case 'refuses-in-text':
        return error('this relay does not like it')
      case 'wrong-hash':
        return result(`0x${'ab'.repeat(32)}`)
      case 'forgets':
        return result(resultOf(method, params))
      case 'lies':
        await build(method, params)
        return error(refusal)
      case 'late': {
        const late = gate.promise.then(() => build(method, params))
        held.push(late)
        await late
        return result(resultOf(method, params))
      }
      case 'includes': {
        const failed = await failedCondition(method, params)
        if (failed !== undefined) return error({ code: -32003, message: `failed state check: ${failed}` })
        await build(method, params)
        return result(resultOf(method, params))
      }
    }
  }

  async function build(method: string, params: readonly Json[]): Promise<void> {
    const [first] = params
    if (method !== 'eth_sendBundle') return submit(first as Hex)
    const bundle = first as { txs: Hex[]; blockNumber: Hex }
    const newest = Number(await rpc<Hex>(nodeUrl, 'eth_blockNumber'))
    if (Number(bundle.blockNumber) !== newest + 1) return
    for (const raw of bundle.txs) await submit(raw)
  }

  /** What the builder refuses ("already known", "nonce too low") is nobody's to hear. */
  async function submit(raw: Hex): Promise<void> {
    await rpc(nodeUrl, 'eth_sendRawTransaction', [raw]).catch(() => {})
  }

  async function failedCondition(method: string, params: readonly Json[]): Promise<string | undefined> {
    if (method !== 'eth_sendRawTransactionConditional') return undefined
    const { knownAccounts } = params[1] as Conditions
    for (const [account, slots] of Object.entries(knownAccounts)) {
      for (const [slot, value] of Object.entries(slots)) {
        const found = await rpc<Hex>(nodeUrl, 'eth_getStorageAt', [account, slot, 'latest'])
        if (BigInt(found) !== BigInt(value)) return `slot ${slot} of ${account}`
      }
    }
    return undefined
  }

  return {
    url: `http://127.0.0.1:${server.port}`,
    get mode() {
      return mode
    },
    set mode(next) {
      mode = next
    },
    requests,
    async release() {
      gate.resolve()
      gate = deferred()
      await Promise.all(held)
    },
    async stop() {
      gate.resolve()
      await server.stop(true)
    },
  }
}

function resultOf(method: string, params: readonly Json[]): Json {
  if (method !== 'eth_sendBundle') return keccak256(params[0] as Hex)
  const { txs } = params[0] as { txs: Hex[] }
  const hashes: Hash[] = txs.map((raw) => keccak256(raw))
  return { bundleHash: keccak256(`0x${hashes.map((hash) => hash.slice(2)).join('')}`) }
}
