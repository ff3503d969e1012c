import type { Json } from '../../src/base/errors.ts'
import { deferred } from '../../src/base/queue.ts'

export type ExplorerStub = {
  readonly url: string
  mode:
    | 'right'
    /** holds its answers until `release` */
    | 'late'
    /** HTTP 200 and no JSON */
    | 'garbage'
    /** HTTP 502 */
    | 'unavailable'
    /** HTTP 200, status "0" */
    | 'rate-limited'
    /** names the key in its error, as a careless one might */
    | 'key-refused'
  /** gwei, as text */
  gas: { ProposeGasPrice: string; suggestBaseFee?: string }
  /** What getLogs finds: logs in the form of eth_getLogs. */
  logs: readonly StubLog[]
  /** Queries in their order. */
  readonly queries: Readonly<Record<string, string>>[]
  /** Resolves when the next one has come in. */
  nextQuery(): Promise<void>
  release(): void
  stop(): Promise<void>
}

type StubLog = { address: string; topics: readonly string[]; transactionHash: string; blockNumber: string }

/** Speaks as Etherscan's API v2 does (docs.etherscan.io: gasoracle, getLogs by address and topics, common error messages). */
export function startExplorerStub(): ExplorerStub {
  let gate = deferred<void>()
  let arrival = deferred<void>()
  const queries: Record<string, string>[] = []

  const stub: ExplorerStub = {
    url: '',
    mode: 'right',
    gas: { ProposeGasPrice: '1', suggestBaseFee: '0.5' },
    logs: [],
    queries,
    nextQuery: () => arrival.promise,
    release() {
      gate.resolve()
      gate = deferred()
    },
    async stop() {
      stub.release()
      await server.stop(true)
    },
  }
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: answer })
  return Object.assign(stub, { url: `http://127.0.0.1:${server.port}/v2/api` })

  async function answer(request: Request): Promise<Response> {
    const query = Object.fromEntries(new URL(request.url).searchParams)
    queries.push(query)
    arrival.resolve()
    arrival = deferred()
    switch (stub.mode) {
      case 'garbage':
        return new Response('<html>Just a moment…</html>')
      case 'unavailable':
        return new Response('bad gateway', { status: 502 })
      case 'rate-limited':
        return refuse('Max rate limit reached, please use API Key for higher rate limit')
      case 'key-refused':
        return refuse(`Invalid API Key ${query.apikey}`)
      case 'late':
        await gate.promise
        break
      case 'right':
    }
    if (query.module === 'gastracker') return Response.json({ status: '1', message: 'OK', result: gas() })
    const found = stub.logs.filter((log) => matches(log, query))
    if (found.length === 0) return Response.json({ status: '0', message: 'No records found', result: [] })
    return Response.json({ status: '1', message: 'OK', result: found.map(record) })
  }

  function gas(): Json {
    const rest = { LastBlock: '1', SafeGasPrice: '0.1', FastGasPrice: '99', gasUsedRatio: '0.4' }
    return { ...rest, ...stub.gas }
  }
}

const refuse = (result: string): Response => Response.json({ status: '0', message: 'NOTOK', result })

function matches(log: StubLog, query: Record<string, string>): boolean {
  const block = Number(log.blockNumber)
  return (
    log.address.toLowerCase() === query.address?.toLowerCase() &&
    log.topics[0] === query.topic0 &&
    log.topics[1] === query.topic1 &&
    block >= Number(query.fromBlock) &&
    block <= Number(query.toBlock)
  )
}

/** A zero index is a bare 0x there. */
const record = ({ address, topics, transactionHash, blockNumber }: StubLog): Json => ({
  ...{ address, topics, data: '0x', blockNumber, transactionHash },
  ...{ logIndex: '0x', transactionIndex: '0x', timeStamp: '0x1', gasPrice: '0x1', gasUsed: '0x1' },
})
