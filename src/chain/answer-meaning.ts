import type { Json } from '../base/errors.ts'
import { bytesIn } from './revert-bytes.ts'

/** An error object of JSON-RPC, as nodes send it. */
export type RpcErrorObject = { code: number; message: string; data?: Json | undefined }

export type AnswerMeaning =
  /** What the node says is so: a revert, a refused transaction, a bad request. */
  | 'verdict'
  /** This node lacks the block or its state; another one, or the same one later, may have it. */
  | 'unknown-block'
  /** This one call went wrong inside the node. */
  | 'failed'
  /** The node has no time for anybody at the moment. */
  | 'busy'

/** Nodes share codes and differ in words (peers.md, fault 15). `words` are lower case; one of them must be contained. */
type Row = { codes?: readonly number[]; words?: readonly string[]; meaning: AnswerMeaning }

/** The first row that fits decides; without one the node meant what it said. */
const rows: readonly Row[] = [
  // geth, reth, anvil and erigon; then nethermind and OpenEthereum
  { codes: [3], meaning: 'verdict' },
  { words: ['revert', 'vm execution error'], meaning: 'verdict' },
  // a log query that asks for too much has the code of a rate limit at some providers
  { words: ['query returned more than', 'block range'], meaning: 'verdict' },
  {
    words: [
      'header not found',
      'header for hash not found',
      'unknown block',
      'block not found',
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
  {
    words: [
      'rate limit',
      'too many requests',
      'capacity exceeded',
      'compute units',
      'request count exceeded',
      'overloaded',
      'syncing',
      'not synced',
      'service unavailable',
      'temporarily unavailable',
      'no backend',
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
  // EIP-1474 limit exceeded; HTTP's number as a code; base and publicnode; ankr
  { codes: [-32005, 429, -32016, -32090], meaning: 'busy' },
  // EIP-1474 resource not found: anvil's and nethermind's word for a block
  { codes: [-32001], meaning: 'unknown-block' },
  // EIP-1474 resource unavailable (geth: timed out), internal error
  { codes: [-32002, -32603], meaning: 'failed' },
]

export function meaningOf(error: RpcErrorObject): AnswerMeaning {
  const text = error.message.toLowerCase()
  const row = rows.find(
    ({ codes, words }) =>
      (codes === undefined || codes.includes(error.code)) &&
      (words === undefined || words.some((word) => text.includes(word))),
  )
  // Some chains report a revert as an internal error and are known only by the bytes that they attach.
  if (row?.meaning === 'failed' && bytesIn(error.data) !== undefined) return 'verdict'
  return row?.meaning ?? 'verdict'
}
