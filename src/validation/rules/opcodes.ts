/** The opcodes that ERC-7562 has a rule about, and those that its rules look for behind them. */
export const opcodes = {
  ISZERO: 0x15,
  KECCAK256: 0x20,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  GASPRICE: 0x3a,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  EXTCODEHASH: 0x3f,
  BLOCKHASH: 0x40,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  PREVRANDAO: 0x44,
  GASLIMIT: 0x45,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  BLOBHASH: 0x49,
  BLOBBASEFEE: 0x4a,
  SLOAD: 0x54,
  SSTORE: 0x55,
  GAS: 0x5a,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff,
} as const

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(opcodes).map(([name, opcode]) => [opcode, name]),
)

/** As assemblers write it; for what has no name, its byte. */
export function opcodeName(opcode: number): string {
  return names.get(opcode) ?? `0x${opcode.toString(16).padStart(2, '0')}`
}

const { CALL, CALLCODE, DELEGATECALL, STATICCALL, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH } = opcodes

/** `*CALL` of the rules. */
export const callOpcodes: ReadonlySet<number> = new Set([CALL, CALLCODE, DELEGATECALL, STATICCALL])
/** `EXTCODE*` of the rules. */
export const codeOpcodes: ReadonlySet<number> = new Set([EXTCODESIZE, EXTCODECOPY, EXTCODEHASH])

/** Blocked by OP-011 wherever they run; CREATE has rules of its own (creation-rules.ts). */
export const environmentOpcodes: ReadonlySet<number> = new Set([
  opcodes.ORIGIN,
  opcodes.GASPRICE,
  opcodes.BLOCKHASH,
  opcodes.COINBASE,
  opcodes.TIMESTAMP,
  opcodes.NUMBER,
  opcodes.PREVRANDAO,
  opcodes.GASLIMIT,
  opcodes.BASEFEE,
  opcodes.BLOBHASH,
  opcodes.BLOBBASEFEE,
  opcodes.INVALID,
  opcodes.SELFDESTRUCT,
])

/** OP-080 */
export const balanceOpcodes: ReadonlySet<number> = new Set([opcodes.BALANCE, opcodes.SELFBALANCE])
