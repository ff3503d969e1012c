/** Parsed JSON that nobody has looked at. */
type Answer = unknown
type Shape = (value: Answer) => boolean

const text =
  (pattern: RegExp): Shape =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

const quantity = text(/^0x[0-9a-fA-F]{1,64}$/)
const bytes: Shape = (value) =>
  typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value)
const word = text(/^0x[0-9a-fA-F]{64}$/)
const address = text(/^0x[0-9a-fA-F]{40}$/)

const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape)

const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value)

const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || value === null || shape(value)

const record =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(shapes).every(([field, shape]) => shape((value as Record<string, Answer>)[field]))

const block = record({
  number: quantity,
  hash: word,
  parentHash: word,
  timestamp: quantity,
  gasLimit: quantity,
  baseFeePerGas: optional(quantity),
  miner: optional(address),
  mixHash: optional(word),
  excessBlobGas: optional(quantity),
})

const mapOf =
  (key: Shape, shape: Shape): Shape =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(([name, entry]) => key(name) && shape(entry))

const safeInteger: Shape = (value) => Number.isSafeInteger(value)
const oneOf =
  (...shapes: readonly Shape[]): Shape =>
  (value) =>
    shapes.some((shape) => shape(value))

/** What the prestateTracer tells (geth, `eth/tracers/native/prestate.go`). */
const prestates = mapOf(
  address,
  record({
    balance: optional(quantity),
    nonce: optional(oneOf(safeInteger, quantity)),
    code: optional(bytes),
    codeHash: optional(word),
    storage: optional(mapOf(word, word)),
  }),
)

const log = record({
  address,
  topics: listOf(word),
  data: bytes,
  blockNumber: quantity,
  blockHash: word,
  transactionHash: word,
  logIndex: quantity,
})

const receipt = record({
  transactionHash: word,
  blockHash: word,
  blockNumber: quantity,
  to: optional(address),
  gasUsed: quantity,
  effectiveGasPrice: optional(quantity),
  l1Fee: optional(quantity),
  status: optional(quantity),
  logs: listOf(log),
})

/** What the methods answer that we ask ourselves, as far as we read it (execution-apis). */
const shapes: Readonly<Record<string, Shape>> = {
  eth_blockNumber: quantity,
  eth_call: bytes,
  eth_chainId: quantity,
  eth_createAccessList: record({ accessList: listOf(record({ address, storageKeys: listOf(word) })) }),
  eth_estimateGas: quantity,
  eth_feeHistory: record({
    baseFeePerGas: listOf(quantity),
    reward: optional(listOf(orNull(listOf(quantity)))),
  }),
  eth_gasPrice: quantity,
  eth_getBalance: quantity,
  eth_getBlockByHash: orNull(block),
  eth_getBlockByNumber: orNull(block),
  eth_getCode: bytes,
  eth_getLogs: listOf(log),
  eth_getStorageAt: quantity,
  eth_getTransactionByHash: orNull(record({ to: optional(address), input: bytes })),
  eth_getTransactionCount: quantity,
  eth_getTransactionReceipt: orNull(receipt),
  eth_sendRawTransaction: word,
}

/** Blocks that every chain has. */
const alwaysThere: readonly unknown[] = ['latest', 'earliest']

/**
 * Whether a node's answer is of the kind that the method promises. One that is not is the node's fault and nobody's
 * verdict. What is asked about a pending block is not judged: much of it is null.
 */
export function isWellFormed(method: string, params: readonly unknown[], answer: Answer): boolean {
  const shape = tracesPrestate(method, params) ? prestates : shapes[method]
  if (shape === undefined || isAboutPending(params)) return true
  if (answer === null && method === 'eth_getBlockByNumber') return !alwaysThere.includes(params[0])
  return shape(answer)
}

function isAboutPending([first]: readonly unknown[]): boolean {
  if (typeof first !== 'object' || first === null) return first === 'pending'
  return Object.values(first).includes('pending')
}

function tracesPrestate(method: string, params: readonly unknown[]): boolean {
  const [, , options] = params
  if (method !== 'debug_traceCall' || typeof options !== 'object' || options === null) return false
  return 'tracer' in options && options.tracer === 'prestateTracer'
}
