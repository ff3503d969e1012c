import {
  type Address,
  bytesToHex,
  encodeFunctionData,
  type Hex,
  numberToHex,
  padHex,
  parseAbi,
  parseEther,
} from 'viem'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { address, userOp } from './builders.ts'
import { rpc } from './devChain.ts'
import { code } from './evmCode.ts'
import { depositTo } from './rules/actions.ts'

type Part = string | number | bigint | Uint8Array

type Expected = {
  readonly kind: 'accepted' | 'rejected'
  readonly error?: { code: number; message?: string; data?: { rule: string } }
}

/** What an account's code does whenever it is called, and what a bundler has to say to it. */
export type HostileAccount = {
  readonly name: string
  readonly code: Uint8Array
  /** gas; from 500,000 on an account needs a stake */
  readonly gas: bigint
  readonly expected: Expected
  /** The same on a node that tells nothing but plain state, where it takes a round to find what to ask for next. */
  readonly expectedByReads: Expected
}

/** Validation passes: it returns a word of zeros, whatever memory holds by then. */
const pass: readonly Part[] = [0, 0, 'MSTORE', 32, 0, 'RETURN']

/** `setup` once, then `body` again and again, as long as there is gas. */
function forever(setup: readonly Part[], body: readonly Part[]): Uint8Array {
  const start = code(...setup)
  return Uint8Array.from([...start, ...code('JUMPDEST', ...body, start.length, 'JUMP')])
}

const repeated = (count: number, parts: readonly Part[]): Part[] =>
  Array.from({ length: count }, () => parts).flat()

/** A call of a precompile again and again, with the same input, which the code holds behind its end. */
function precompile(at: number, input: Uint8Array): Uint8Array {
  const size = input.length
  const call: readonly Part[] = [0, 0, size, 0, at, 'GAS', 'STATICCALL', 'POP']
  const body = (start: number) => forever([size, start, 0, 'CODECOPY'], repeated(20, call))
  return Uint8Array.from([...body(body(0xff).length), ...input])
}

const word = (value: bigint): Uint8Array => Uint8Array.fromHex(value.toString(16).padStart(64, '0'))
const join = (...parts: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]))
const point = (x: string): Uint8Array => Uint8Array.fromHex(x.padStart(128, '0'))

const blsG1 = join(
  point('17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'),
  point('08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1'),
)
const blsG2 = join(
  point('024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'),
  point('13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e'),
  point('0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801'),
  point('0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be'),
)
const bnG1 = join(word(1n), word(2n))
const bnG2 = join(
  word(0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n),
  word(0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn),
  word(0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn),
  word(0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan),
)
/** Exponents of a thousand bytes to an 8-byte modulus: the cheapest by its gas. */
const modexp = join(
  ...[8n, 1000n, 8n].map(word),
  ...[new Uint8Array(8).fill(0xfb), new Uint8Array(1000).fill(0xff), new Uint8Array(8).fill(0xff)],
)
const blake2f = join(Uint8Array.fromHex('000f4240'), new Uint8Array(208).fill(7), Uint8Array.of(1))

/** The next slot is in the one before: in slot n, n + 1. */
const pointers = 100
const byPointers = repeated(pointers - 1, ['SLOAD'])
const byHashes = forever([1], [0, 'MSTORE', 32, 0, 'KECCAK256', 'DUP1', 'BALANCE', 'POP'])

const patience = 450_000n
const plenty = 4_900_000n

const refused = (code: number, message: string): Expected => ({ kind: 'rejected', error: { code, message } })
const outOfGas = refused(-32500, 'AA23 reverted: reverted without a reason')
/** What is left to the EntryPoint after them is too little. */
const overLimit = refused(-32500, 'AA26 over verificationGasLimit')
const tooLong = refused(-32500, 'the operation takes too long: it runs more opcodes than any honest one')
const scattered = refused(
  -32500,
  'the operation follows pointers through storage: its state was not complete after 8 rounds',
)
const broken = (rule: string): Expected => ({ kind: 'rejected', error: { code: -32502, data: { rule } } })

function account(
  name: string,
  hostile: Uint8Array | readonly Part[],
  expected: Expected,
  { gas = patience, expectedByReads = expected }: Partial<HostileAccount> = {},
): HostileAccount {
  const all = hostile instanceof Uint8Array ? hostile : code(...hostile, ...pass)
  return { name, code: all, gas, expected, expectedByReads }
}

const withPlenty = { gas: plenty }
const withPlentyOfState = { gas: plenty, expectedByReads: scattered }

/** Calls itself twice as deep as gas and depth let it, with all but a 64th each time. */
const twoCallsOfItself = repeated(2, [0, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'CALL', 'POP'])

export const hostileAccounts: readonly HostileAccount[] = [
  account('an infinite loop', forever([], []), outOfGas),
  account('an infinite loop with all the gas that can be asked for', forever([], []), outOfGas, withPlenty),
  account('a memory bomb', [2n ** 200n, 'MLOAD', 'POP'], outOfGas),
  account(
    'memory for all its gas, in every frame',
    [60_000, 'MLOAD', 'POP', ...twoCallsOfItself],
    overLimit,
    withPlenty,
  ),
  account('calls of itself', twoCallsOfItself, overLimit, withPlenty),
  account('return data of half a megabyte', [500_000, 0, 'RETURN'], outOfGas),
  account(
    'init code of the largest size, again and again',
    forever([], repeated(20, [49_152, 0, 0, 'CREATE', 'POP'])),
    outOfGas,
    withPlentyOfState,
  ),
  account('init code beyond the largest size', [49_153, 0, 0, 'CREATE', 'POP'], outOfGas),
  account('self-destruction', ['ADDRESS', 'SELFDESTRUCT'], refused(-32500, 'reverted without a reason')),
  account('a look at its gas', ['GAS', 'POP'], broken('OP-012')),
  account('a look at the block', ['TIMESTAMP', 'NUMBER', 'ADD', 'POP'], broken('OP-011')),
  account('a look at old blocks', [1, 'NUMBER', 'SUB', 'BLOCKHASH', 'POP'], broken('OP-011')),
  account('modexp', precompile(0x05, modexp), tooLong, withPlenty),
  account('BN254 pairings', precompile(0x08, join(bnG1, bnG2)), tooLong, withPlenty),
  account('BLAKE2f with a million rounds', precompile(0x09, blake2f), tooLong, withPlenty),
  account('BLS12-381 pairings', precompile(0x0f, join(blsG1, blsG2)), tooLong, withPlenty),
  account(
    'sums of BLS12-381 points',
    precompile(0x0e, join(blsG2, new Uint8Array(32).fill(0xff))),
    tooLong,
    withPlenty,
  ),
  account(
    'hashes of much memory',
    forever([], repeated(20, [100_000, 0, 'KECCAK256', 'POP'])),
    outOfGas,
    withPlenty,
  ),
  account('hashes of nothing', forever([], repeated(20, [0, 0, 'KECCAK256', 'POP'])), outOfGas, withPlenty),
  account(
    'preimages with its own address',
    forever(['ADDRESS', 0, 'MSTORE', 0], [1, 'ADD', 'DUP1', 32, 'MSTORE', 64, 0, 'KECCAK256', 'POP']),
    outOfGas,
    withPlenty,
  ),
  account(
    'powers',
    forever([2n ** 256n - 1n], repeated(20, ['DUP1', 'DUP1', 'EXP', 'POP'])),
    outOfGas,
    withPlenty,
  ),
  account(
    'thousands of its slots',
    forever([0], [1, 'ADD', 'DUP1', 'SLOAD', 'POP']),
    outOfGas,
    withPlentyOfState,
  ),
  account(
    'pointers through its slots',
    [1, ...byPointers, 'POP'],
    { kind: 'accepted' },
    { expectedByReads: scattered },
  ),
  account('accounts by the hash of the one before', byHashes, outOfGas, withPlentyOfState),
  account(
    'accounts that it finds no code in',
    repeated(10, [1, 0, 'MSTORE', 32, 0, 'KECCAK256', 'EXTCODESIZE', 'POP']),
    broken('OP-041'),
  ),
  account('writes to all slots', forever([0], [1, 'ADD', 'DUP1', 'DUP1', 'SSTORE']), outOfGas, withPlenty),
  account('logs', forever([], repeated(20, [0, 0, 'LOG0'])), outOfGas, withPlenty),
]

/** An operation of each, on an anvil: their accounts have code, a deposit, and a stake where their gas asks for one. */
export async function hostileOperations(
  { url }: { url: string },
  changes: Partial<UserOperation> = {},
): Promise<{ hostile: HostileAccount; op: UserOperation }[]> {
  return Promise.all(
    hostileAccounts.map(async (hostile, index) => {
      const sender = address(0x50000 + index)
      await rpc(url, 'anvil_setBalance', [sender, numberToHex(parseEther('10'))])
      await asked(url, sender, depositTo(sender))
      if (hostile.gas >= mostUnstaked) await asked(url, sender, addStake)
      await rpc(url, 'anvil_setCode', [sender, bytesToHex(hostile.code)])
      if (hostile.expected.kind === 'accepted') await chain(url, sender)
      return { hostile, op: userOp({ sender, verificationGasLimit: hostile.gas, ...changes }) }
    }),
  )
}

/** gas (ERC-7562 MAX_VERIFICATION_GAS) */
const mostUnstaked = 500_000n

const addStake = encodeFunctionData({
  abi: parseAbi(['function addStake(uint32 unstakeDelaySec) payable']),
  functionName: 'addStake',
  args: [86_400],
})

/** The account calls the EntryPoint, with a coin. */
async function asked(url: string, from: Address, data: Hex): Promise<void> {
  const value = numberToHex(parseEther('1'))
  await rpc(url, 'anvil_impersonateAccount', [from])
  await rpc<Hex>(url, 'eth_sendTransaction', [{ from, to: entryPoints['0.7'].address, value, data }])
}

/** Slot n of an account holds n + 1. */
async function chain(url: string, account: Address): Promise<void> {
  for (let slot = 1; slot <= pointers; slot += 1) {
    const [at, value] = [slot, slot + 1].map((word) => padHex(numberToHex(word), { size: 32 }))
    await rpc(url, 'anvil_setStorageAt', [account, at, value])
  }
}
