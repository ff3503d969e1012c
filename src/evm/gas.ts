/** What operations cost, in gas, since Shanghai. Names as in the yellow paper, appendix G. */
export const gas = {
  base: 2,
  veryLow: 3,
  low: 5,
  mid: 8,
  high: 10,
  jumpDestination: 1,
  blockHash: 20,
  exponentByte: 50,
  keccak: 30,
  keccakWord: 6,
  copyWord: 3,
  log: 375,
  logTopic: 375,
  logByte: 8,

  /** EIP-2929: an account or slot that the transaction has met before. */
  warm: 100,
  coldAccount: 2600,
  coldSlot: 2100,

  /** EIP-2200, with EIP-2929 and EIP-3529 */
  storeSet: 20_000,
  storeReset: 2900,
  storeClearRefund: 4800,
  /** SSTORE needs more than this left, so that a stipend cannot pay for it. */
  storeSentry: 2300,

  callValue: 9000,
  callStipend: 2300,
  newAccount: 25_000,
  selfDestruct: 5000,

  create: 32_000,
  /** a byte of deployed code */
  codeDeposit: 200,
  /** EIP-3860 */
  initCodeWord: 2,

  memoryWord: 3,
} as const

/** In 32-byte words, the last one whole. */
export const wordsIn = (bytes: number): number => Math.ceil(bytes / 32)

/** What a frame may hand to a call or creation: all but a 64th (EIP-150). */
export const allButOne64th = (available: number): number => available - Math.floor(available / 64)

/** What memory of so many words has cost altogether: linear, and quadratic beyond some 700 bytes. */
export const memoryGas = (words: number): number => gas.memoryWord * words + Math.floor((words * words) / 512)
