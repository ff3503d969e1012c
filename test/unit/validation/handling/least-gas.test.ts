import { expect, test } from 'bun:test'
import { loadCrypto } from '../../../../src/evm/crypto/crypto.ts'
import type { Environment } from '../../../../src/evm/environment.ts'
import type { Hardfork } from '../../../../src/evm/hardfork.ts'
import type { Outcome } from '../../../../src/evm/outcome.ts'
import { precompilesOf } from '../../../../src/evm/precompiles/precompiles-of.ts'
import { runMessage } from '../../../../src/evm/run-message.ts'
import { createState } from '../../../../src/evm/state/state.ts'
import type { StateSource } from '../../../../src/evm/state-source.ts'
import { LeastGas } from '../../../../src/validation/handling/least-gas.ts'

const { keccak256 } = await loadCrypto()
const hardfork: Hardfork = 'prague'
const zero = 0n
const environment: Environment = {
  chain: {
    ...{ chainId: 1n, hardfork, keccak: keccak256, unknownOpcodes: 'invalid' as const },
    precompiles: precompilesOf({ hardfork }, await loadCrypto()),
  },
  block: {
    ...{ number: 1n, timestamp: 1n, gasLimit: 30_000_000n, baseFee: zero, blobBaseFee: zero },
    ...{ coinbase: zero, prevRandao: zero },
  },
  transaction: { origin: 1n, gasPrice: zero, blobHashes: [] },
}

const sstore = 0x55
/** Where the contract under test is; the next ones follow. */
const first = 0x10_00

/** Contracts one behind the other from `first` on, each with some balance. */
function chainOf(codes: readonly string[]): StateSource {
  const contracts = new Map(
    codes.map((code, index) => [BigInt(first + index), Uint8Array.fromHex(code)] as const),
  )
  return {
    account(address) {
      const code = contracts.get(address)
      return code && { balance: 10n, codeHash: keccak256(code) }
    },
    nonce: () => 1n,
    code: (_, address) => contracts.get(address) ?? new Uint8Array(),
    storage: () => zero,
    blockHash: () => zero,
  }
}

/** Calls the first contract with `gas`. */
function call(source: StateSource, gas: number): { outcome: Outcome; least: number } {
  const least = new LeastGas()
  let ofFirst = 0
  const outcome = runMessage({
    message: {
      ...{ kind: 'call', caller: 1n, to: BigInt(first), value: zero, gas },
      input: new Uint8Array(),
    },
    state: createState(source),
    environment,
    budget: { steps: gas },
    observer: {
      before: new Map([[sstore, (frame) => least.store(frame)]]),
      enter: (frame) => least.enter(frame),
      leave(frame, _, gasUsed) {
        ofFirst = least.leave(frame, gasUsed)
      },
    },
  })
  return { outcome, least: ofFirst }
}

const byte = (value: number): string => value.toString(16).padStart(2, '0')
const store = (slot: number, value: number): string => `60${byte(value)}60${byte(slot)}55`
/** Calls contract `index` with all gas, and reverts where that fails; `at` is where it begins in its code. */
function callTo(index: number, at: number, value = 0): string {
  const target = byte(first >> 8) + byte(index)
  const body = `5f5f5f5f60${byte(value)}61${target}5af1`
  return `${body}60${byte(at + body.length / 2 + 6)}575f5ffd5b`
}
/** PUSH1 0, PUSH1 0, PUSH1 0, CREATE: an empty contract. */
const create = '5f5f5ff0'
const stop = '00'

const cases: Readonly<Record<string, readonly string[]>> = {
  'it stores': [store(0, 1) + stop],
  'a store that changes nothing must have 2,300 more': [store(0, 0) + stop],
  'it calls a contract that stores': [callTo(1, 0) + stop, store(0, 1) + stop],
  'work behind the call covers what was held back': [
    callTo(1, 0) + store(0, 1) + store(1, 1) + stop,
    store(0, 1) + stop,
  ],
  'ten calls deep': [
    ...Array.from({ length: 10 }, (_, depth) => callTo(depth + 1, 0) + stop),
    store(0, 1) + store(1, 1) + stop,
  ],
  'the stipend of a call with value counts': [callTo(1, 0, 1) + stop, store(0, 1) + stop],
  'it creates': [create + store(0, 1) + stop],
}

test.each(Object.entries(cases))('%s: the least gas does, one less does not', (_, codes) => {
  const source = chainOf(codes)
  const { outcome, least } = call(source, 1_000_000)
  expect(outcome.kind).toBe('returned')
  expect(call(source, least).outcome).toEqual({
    kind: 'returned',
    output: new Uint8Array(),
    gasLeft: expect.any(Number),
  })
  expect(call(source, least - 1).outcome.kind).not.toBe('returned')
})
