import type { Json } from '../base/errors.ts'
import { bytesIn } from './revert-bytes.ts'

/** An error object of JSON-RPC, as nodes send it. */
export type RpcErrorObject = { code: number; message: string; data?: Json | undefined }

export type AnswerMeaning =
  /** What the node says is so: a revert, a refused transaction, a bad request. */
  | 'verdict'
  /** The range of blocks of a log query is too wide for this node, or has too many logs. */
  | 'too-much'
  /** This node lacks the block or its state; another one, or the same one later, may have it. */
  | 'unknown-block'
  /** This one call went wrong inside the node. */
  | 'failed'
  /** The node has no time for anybody at the moment. */
  | 'busy'

/**
 * Nodes share codes and differ in words (peers.md, fault 15). Words are lower case: one of `words` must be contained,
 * or the text must begin and end as `frame` says. The sources are named in the tests.
 */
type Row = {
  codes?: readonly number[]
  words?: readonly string[]
  frame?: readonly [start: string, end: string]
  meaning: AnswerMeaning
}

/** The first row that fits decides; without one the node meant what it said. */
const rows: readonly Row[] = [
  // geth, reth, anvil and erigon; then nethermind and OpenEthereum
  { codes: [3], meaning: 'verdict' },
  { words: ['revert', 'vm execution error'], meaning: 'verdict' },
  // A batch that is too large is no reason to leave the node alone, whatever the code.
  { words: ['batch'], meaning: 'verdict' },
  // These come with codes of a rate limit, of bad parameters and of others.
  {
    words: [
      'query returned more than',
      'block range',
      'blocks range',
      'log response size',
      'max results',
      'too many logs',
      'range limit',
      'eth_getlogs is limited to',
      'exceeds limit of',
      'ranges over',
    ],
    meaning: 'too-much',
  },
  {
    words: [
      'header not found',
      'header for hash not found',
      'header found, but block body is missing',
      'unknown block',
      'block not found',
      'could not be found',
      'could not find block',
      'block is out of range',
      'blockoutofrange',
      'not currently canonical',
      'missing trie node',
      'state not available',
      'state is not available',
      'state unavailable',
      'no state available',
      'historical state',
      'pruned',
    ],
    meaning: 'unknown-block',
  },
  { frame: ['block ', ' not found'], meaning: 'unknown-block' },
  // What to ask for is there, and not to be found yet.
  { words: ['indexing is in progress'], meaning: 'failed' },
  {
    words: [
      'rate limit',
      'rate exceeded',
      'too many requests',
      'request limit',
      'requests per second',
      'credits limited',
      'credit limit',
      'over capacity',
      'capacity exceeded',
      'exceeded its capacity',
      'compute units',
      'request count exceeded',
      'overloaded',
      'syncing',
      'not synced',
      'sync is still in progress',
      'service unavailable',
      'temporarily unavailable',
      'no backend',
      'backend offline',
      'try again',
    ],
    meaning: 'busy',
  },
  // besu gives each of these a code that means something else elsewhere
  {
    words: [
      'nonce',
      'already known',
      'known transaction',
      'already imported',
      'underpriced',
      'insufficient funds',
      'insufficient balance',
      'upfront cost',
      'intrinsic gas',
      'gas limit',
      'gas price',
      'signature',
    ],
    meaning: 'verdict',
  },
  { words: ['timeout', 'timed out', 'deadline exceeded', 'bad gateway', 'upstream'], meaning: 'failed' },
  // EIP-1474 limit exceeded; HTTP's numbers as codes; base and publicnode; ankr; therpc
  { codes: [-32005, 429, 402, -32016, -32090, -32029], meaning: 'busy' },
  // EIP-1474 resource not found: anvil's and reth's word for a block; besu and nethermind; EIP-4444
  { codes: [-32001, -39001, 4444], meaning: 'unknown-block' },
  // EIP-1474 resource unavailable (geth: timed out), internal error
  { codes: [-32002, -32603], meaning: 'failed' },
]

export function meaningOf(error: RpcErrorObject): AnswerMeaning {
  const text = error.message.toLowerCase()
  const row = rows.find(
    ({ codes, words, frame }) =>
      (codes === undefined || codes.includes(error.code)) &&
      (words === undefined || words.some((word) => text.includes(word))) &&
      (frame === undefined || (text.startsWith(frame[0]) && text.endsWith(frame[1]))),
  )
  // Some chains report a revert as an internal error and are known only by the bytes that they attach.
  if (row?.meaning === 'failed' && bytesIn(error.data) !== undefined) return 'verdict'
  return row?.meaning ?? 'verdict'
}
