import type { BlockEnvironment, TransactionEnvironment } from '../../../src/evm/environment.ts'
import type { Hardfork } from '../../../src/evm/hardfork.ts'
import type { Message } from '../../../src/evm/message.ts'
import type { Word } from '../../../src/evm/word.ts'
import { type Random, random } from '../../support/random.ts'
import { pick, weighted } from './choices.ts'
import { randomProgram } from './program.ts'

export type CaseAccount = {
  readonly address: Word
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Word, Word>
}

/** A message and all that it can meet. */
export type Case = {
  readonly hardfork: Hardfork
  readonly accounts: readonly CaseAccount[]
  readonly block: BlockEnvironment
  readonly transaction: TransactionEnvironment
  readonly message: Message
}

const hardforks: readonly (readonly [number, Hardfork])[] = [
  [1, 'shanghai'],
  [5, 'cancun'],
  [5, 'prague'],
  [2, 'osaka'],
]

const caller = 0xca11e4n
const coinbase = 0xc01ba5en
/** does not exist */
const nobody = 0xdead_0000_0000_beefn
const contracts = [0xc0de_00a1n, 0xc0de_00b2n, 0xc0de_00c3n, 0xc0de_00d4n]
const precompiles = [0x01n, 0x02n, 0x04n]

/** The same for the same seed. */
export function randomCase(seed: number): Case {
  const source = random(seed)
  const hardfork = weighted(source, hardforks)
  const used = contracts.slice(0, 1 + source.int(contracts.length))
  const others = [nobody, caller, coinbase, ...precompiles]
  const surroundings = { hardfork, contracts: used, callees: [...used, ...others], nesting: 2 }
  const accounts = used.map(
    (address, index): CaseAccount => ({
      address,
      balance: BigInt(source.int(100)),
      nonce: BigInt(1 + source.int(2)),
      code:
        index > 0 && hardfork !== 'shanghai' && hardfork !== 'cancun' && source.chance(0.15)
          ? delegationTo(pick(source, surroundings.callees))
          : randomProgram(source, surroundings),
      storage: new Map(
        [0n, 1n, 2n, 3n].filter(() => source.chance(0.4)).map((slot) => [slot, BigInt(1 + source.int(2))]),
      ),
    }),
  )
  const payer = {
    address: caller,
    balance: 10n ** 18n,
    nonce: 5n,
    code: new Uint8Array(0),
    storage: new Map(),
  }
  const value = source.chance(0.7) ? 0n : BigInt(source.int(1000))
  const gas = gasOf(source)
  const common = { caller, value, gas }
  return {
    hardfork,
    accounts: [...accounts, payer],
    block: {
      number: 1000n,
      timestamp: 1_700_000_000n,
      gasLimit: 30_000_000n,
      baseFee: 7n,
      blobBaseFee: 1n,
      coinbase,
      prevRandao: 0x1234_5678_9abc_def0n << 190n,
    },
    transaction: {
      origin: caller,
      gasPrice: 9n,
      blobHashes: hardfork === 'shanghai' ? [] : [(1n << 248n) | 0xb10bn],
    },
    message: source.chance(0.1)
      ? { kind: 'create', ...common, initCode: randomProgram(source, surroundings) }
      : { kind: 'call', ...common, to: used[0] ?? nobody, input: bytesOf(source, source.int(100)) },
  }
}

/** Mostly enough, sometimes so little that it ends in the middle. */
function gasOf(source: Random): number {
  return source.chance(0.25) ? source.int(40_000) : 200_000 + source.int(800_000)
}

/** EIP-7702 */
function delegationTo(address: Word): Uint8Array {
  return Uint8Array.fromHex(`ef0100${address.toString(16).padStart(40, '0')}`)
}

function bytesOf(source: Random, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, () => source.int(256))
}
