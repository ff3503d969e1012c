import type { BlockEnvironment, ChainRules } from '../../src/evm/environment.ts'
import type { ChangedAccount } from '../../src/evm/state/state.ts'
import type { StateSource } from '../../src/evm/state-source.ts'
import type { Transaction } from '../../src/evm/transaction/transaction.ts'
import { emptyCodeHash, type Word } from '../../src/evm/word.ts'
import type { Fixture, FixtureAccount, FixtureResult } from './fixture.ts'

export const bytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex.replace(/^0x/, ''))

export type KnownAccount = {
  readonly account: ChangedAccount
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Word, Word>
}

/** All accounts before the transaction. */
export type PreState = ReadonlyMap<Word, KnownAccount>

export function preStateOf({ pre }: Fixture, keccak: ChainRules['keccak']): PreState {
  return new Map(Object.entries(pre).map(([address, fields]) => [BigInt(address), known(fields, keccak)]))
}

function known(
  { balance, nonce, code: hex, storage }: FixtureAccount,
  keccak: ChainRules['keccak'],
): KnownAccount {
  const code = bytes(hex)
  const slots = Object.entries(storage).map(([slot, value]) => [BigInt(slot), BigInt(value)] as const)
  return {
    account: {
      balance: BigInt(balance),
      nonce: BigInt(nonce),
      codeHash: code.length === 0 ? emptyCodeHash : keccak(code),
      hasStorage: slots.some(([, value]) => value !== 0n),
    },
    code,
    storage: new Map(slots),
  }
}

export function sourceOf(pre: PreState, keccak: ChainRules['keccak']): StateSource {
  return {
    account: (address) => pre.get(address)?.account,
    nonce: (address) => pre.get(address)?.account.nonce ?? 0n,
    code: (_, address) => pre.get(address)?.code ?? new Uint8Array(),
    storage: (address, slot) => pre.get(address)?.storage.get(slot) ?? 0n,
    // The official tests have no blocks: they hash the decimal digits of the number.
    blockHash: (number) => keccak(new TextEncoder().encode(String(number))),
  }
}

export function blockOf({ env }: Fixture): BlockEnvironment {
  return {
    number: BigInt(env.currentNumber),
    timestamp: BigInt(env.currentTimestamp),
    gasLimit: BigInt(env.currentGasLimit),
    baseFee: BigInt(env.currentBaseFee ?? 0),
    blobBaseFee: blobBaseFee(BigInt(env.currentExcessBlobGas ?? 0)),
    coinbase: BigInt(env.currentCoinbase),
    prevRandao: BigInt(env.currentRandom ?? 0),
  }
}

/** EIP-4844, fake_exponential with Cancun's update fraction. Wei a blob gas. */
function blobBaseFee(excess: bigint): bigint {
  const fraction = 3_338_477n
  let sum = 0n
  for (let term = fraction, step = 1n; term > 0n; step += 1n) {
    sum += term
    term = (term * excess) / (fraction * step)
  }
  return sum / fraction
}

/** The tests mark what does not fit into a word: `0x:bigint 0x1…`. */
const integerOf = (text = '0x0'): bigint => BigInt(text.replace('0x:bigint ', ''))

export function transactionOf({ transaction }: Fixture, { indexes }: FixtureResult): Transaction {
  const { accessLists, blobVersionedHashes, maxFeePerBlobGas } = transaction
  const fee = transaction.maxFeePerGas ?? transaction.gasPrice ?? '0x0'
  const accessList = accessLists?.[indexes.data] ?? []
  return {
    sender: BigInt(transaction.sender),
    to: transaction.to === '' ? undefined : BigInt(transaction.to),
    nonce: BigInt(transaction.nonce),
    value: integerOf(transaction.value[indexes.value]),
    data: bytes(transaction.data[indexes.data] ?? ''),
    gasLimit: BigInt(transaction.gasLimit[indexes.gas] ?? 0),
    maxFeePerGas: BigInt(fee),
    maxPriorityFeePerGas: BigInt(transaction.maxPriorityFeePerGas ?? fee),
    accessList: accessList.map(({ address, storageKeys }) => ({
      address: BigInt(address),
      slots: storageKeys.map(BigInt),
    })),
    ...(blobVersionedHashes && {
      blobs: { hashes: blobVersionedHashes.map(BigInt), maxFeePerGas: BigInt(maxFeePerBlobGas ?? 0) },
    }),
  }
}
