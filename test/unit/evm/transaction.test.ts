import { describe, expect, test } from 'bun:test'
import { createAddress } from '../../../src/evm/create-address.ts'
import { designatorOf } from '../../../src/evm/delegation.ts'
import type { BlockEnvironment } from '../../../src/evm/environment.ts'
import type { Hardfork } from '../../../src/evm/hardfork.ts'
import { createState, type State } from '../../../src/evm/state/state.ts'
import { runTransaction, type TransactionResult } from '../../../src/evm/transaction/run-transaction.ts'
import type { Authorization, Transaction } from '../../../src/evm/transaction/transaction.ts'
import { emptyCodeHash } from '../../../src/evm/word.ts'
import { someBlock } from '../../support/evmChain.ts'
import { code, deploying } from '../../support/evmCode.ts'
import { chainOf, contract, caller as sender } from '../../support/evmRun.ts'
import { type SomeAccount, stateOf } from '../../support/evmState.ts'

const ether = 10n ** 18n
const other = 0xaan

type Scene = {
  readonly hardfork?: Hardfork
  readonly block?: Partial<BlockEnvironment>
  readonly accounts?: ReadonlyMap<bigint, SomeAccount>
}

function send(
  changes: Partial<Transaction>,
  { hardfork = 'prague', block, accounts = new Map() }: Scene = {},
): { result: TransactionResult; state: State } {
  const chain = chainOf(hardfork)
  const all = new Map<bigint, SomeAccount>([[sender, { nonce: 5n, balance: ether }], ...accounts])
  const state = createState(stateOf(all, chain.keccak))
  const transaction: Transaction = {
    ...{ sender, to: contract, nonce: 5n, value: 0n, data: new Uint8Array(), gasLimit: 100_000n },
    ...{ maxFeePerGas: 10n, maxPriorityFeePerGas: 2n, ...changes },
  }
  const environment = { chain, block: { ...someBlock, baseFee: 7n, ...block } }
  return { result: runTransaction({ transaction, state, ...environment, stepLimit: 100_000 }), state }
}

const contractWith = (runtime: Uint8Array, storage = new Map<bigint, bigint>()) =>
  new Map<bigint, SomeAccount>([[contract, { nonce: 1n, code: runtime, storage }]])

function gasUsed(changes: Partial<Transaction>, scene?: Scene): bigint | string {
  const { result } = send(changes, scene)
  return result.kind === 'executed' ? result.gasUsed : result.reason
}

describe('what a transaction pays before it begins', () => {
  const data = Uint8Array.of(0, 0, 1, 2, 3)

  test.each([
    ['nothing but itself', {}, 21_000n],
    ['data', { data }, 21_000n + 2n * 4n + 3n * 16n],
    ['an access list', { accessList: [{ address: other, slots: [1n, 2n] }] }, 21_000n + 2400n + 2n * 1900n],
    ['a creation', { to: undefined, data: code('STOP') }, 21_000n + 32_000n + 2n + 4n],
  ] as const)('%s', (_, changes, gas) => {
    expect(gasUsed(changes, { hardfork: 'cancun' })).toBe(gas)
  })

  test('since Prague at least 10 a token of its data (EIP-7623)', () => {
    expect(gasUsed({ data })).toBe(21_000n + 10n * (2n + 3n * 4n))
    expect(gasUsed({ data, gasLimit: 21_139n })).toBe('floor-gas-too-low')
  })
})

describe('whom it pays', () => {
  test('the base fee is burnt, the tip is the coinbase’s, the rest comes back', () => {
    const { state } = send({ value: 100n })
    expect(state.balance(sender)).toBe(ether - 100n - 21_000n * 9n)
    expect([state.balance(contract), state.balance(someBlock.coinbase)]).toEqual([100n, 21_000n * 2n])
    expect(state.nonce(sender)).toBe(6n)
  })

  test('at most the maximum fee', () => {
    const { state } = send({}, { block: { baseFee: 9n } })
    expect([state.balance(sender), state.balance(someBlock.coinbase)]).toEqual([ether - 210_000n, 21_000n])
  })

  test('also what reverts, which keeps nothing but the nonce', () => {
    const accounts = contractWith(code(1, 1, 'SSTORE', 0, 0, 'REVERT'))
    const { result, state } = send({ value: 100n }, { accounts })
    const gas = 21_000n + 3n + 3n + 22_100n + 2n + 2n
    expect(result).toMatchObject({ outcome: { kind: 'reverted' }, gasUsed: gas, logs: [] })
    expect([state.balance(contract), state.slot(contract, 1n).value, state.nonce(sender)]).toEqual([
      0n,
      0n,
      6n,
    ])
  })

  test('all of its gas if it halts', () => {
    expect(gasUsed({}, { accounts: contractWith(code('INVALID')) })).toBe(100_000n)
  })

  test('blobs at the block’s blob fee', () => {
    const { state } = send(
      { blobs: { hashes: [1n << 248n, 1n << 248n], maxFeePerGas: 5n } },
      { block: { blobBaseFee: 3n } },
    )
    expect(state.balance(sender)).toBe(ether - 21_000n * 9n - 2n * 131_072n * 3n)
  })
})

describe('refunds', () => {
  test('come off the gas used', () => {
    const accounts = contractWith(code(0, 1, 'SSTORE'), new Map([[1n, 1n]]))
    expect(gasUsed({}, { accounts })).toBe(21_000n + 2n + 3n + 5000n - 4800n)
  })

  test('up to a fifth of it (EIP-3529)', () => {
    const slots = [1, 2, 3, 4, 5, 6]
    const program = code(...slots.flatMap((slot) => [0, slot, 'SSTORE'] as const))
    const accounts = contractWith(program, new Map(slots.map((slot) => [BigInt(slot), 1n])))
    const used = 21_000n + 6n * 5005n
    expect(gasUsed({}, { accounts })).toBe(used - used / 5n)
  })
})

describe('what is warm from the start', () => {
  test.each([
    ['who sends', sender],
    ['who is called', contract],
    ['the coinbase (EIP-3651)', someBlock.coinbase],
    ['what the access list names', other],
  ] as const)('%s', (_, address) => {
    const accounts = contractWith(code(address, 'BALANCE'))
    const accessList = [{ address: other, slots: [] }]
    expect(gasUsed({ accessList }, { accounts })).toBe(21_000n + 2400n + 3n + 100n)
  })

  test('slots of the access list', () => {
    const accounts = contractWith(code(7, 'SLOAD'))
    const accessList = [{ address: contract, slots: [7n] }]
    expect(gasUsed({ accessList }, { accounts })).toBe(21_000n + 2400n + 1900n + 3n + 100n)
  })

  test('not what the transaction before it has met', () => {
    const chain = chainOf('prague')
    const accounts = contractWith(code(other, 'BALANCE'))
    const state = createState(stateOf(new Map([[sender, { balance: ether }], ...accounts]), chain.keccak))
    const used = [0n, 1n].map((nonce) => {
      const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 0n }
      const call = {
        sender,
        to: contract,
        nonce,
        value: 0n,
        data: new Uint8Array(),
        gasLimit: 30_000n,
        ...fees,
      }
      const result = runTransaction({ transaction: call, state, chain, block: someBlock, stepLimit: 100 })
      return result.kind === 'executed' && result.gasUsed
    })
    expect(used).toEqual([21_000n + 3n + 2600n, 21_000n + 3n + 2600n])
  })
})

describe('a creation', () => {
  test('puts the code at the address of sender and nonce', () => {
    const runtime = code(1, 2, 'ADD')
    const { result, state } = send({ to: undefined, data: deploying(runtime), value: 3n })
    const created = createAddress(chainOf('prague').keccak, sender, 5n)
    expect(result).toMatchObject({ kind: 'executed', outcome: { kind: 'returned' } })
    expect([state.code(created), state.balance(created), state.nonce(sender)]).toEqual([runtime, 3n, 6n])
  })
})

describe('no block may contain', () => {
  const blobs = (...hashes: readonly bigint[]) => ({ blobs: { hashes, maxFeePerGas: 1n } })
  const kzg = 1n << 248n
  const authorizations: readonly Authorization[] = []

  test.each([
    ['a nonce that was used', { nonce: 4n }, 'nonce-too-low'],
    ['a nonce of the future', { nonce: 6n }, 'nonce-too-high'],
    ['a fee below the base fee', { maxFeePerGas: 6n }, 'max-fee-below-base-fee'],
    ['a tip above the fee', { maxPriorityFeePerGas: 11n }, 'priority-fee-above-max-fee'],
    ['more gas than the block', { gasLimit: 60_000_001n }, 'gas-limit-above-block'],
    ['less gas than it pays first', { gasLimit: 20_999n }, 'intrinsic-gas-too-low'],
    ['more value than there is', { value: ether }, 'insufficient-funds'],
    ['value beyond a word', { value: 1n << 256n }, 'value-too-large'],
    ['giant init code', { to: undefined, data: new Uint8Array(49_153) }, 'init-code-too-large'],
    ['no blobs', blobs(), 'blobs-empty'],
    ['ten blobs', blobs(...Array<bigint>(10).fill(kzg)), 'blobs-too-many'],
    ['a blob of another kind', blobs(kzg, 2n << 248n), 'blobs-unknown-version'],
    ['blobs that create', { to: undefined, ...blobs(kzg) }, 'creates-without-right'],
    ['no authorization', { authorizations }, 'authorizations-empty'],
  ] as const)('%s', (_, changes, reason) => {
    const { result, state } = send(changes)
    expect([result, state.nonce(sender), state.balance(sender)]).toEqual([
      { kind: 'rejected', reason },
      5n,
      ether,
    ])
  })

  test('blobs that pay less than the block asks', () => {
    expect(gasUsed(blobs(kzg), { block: { blobBaseFee: 2n } })).toBe('blob-fee-below-base-fee')
  })

  test('types that came later', () => {
    expect(gasUsed(blobs(kzg), { hardfork: 'shanghai' })).toBe('unknown-type')
    expect(gasUsed({ authorizations }, { hardfork: 'cancun' })).toBe('unknown-type')
  })

  test('a sender with code (EIP-3607), unless it delegates', () => {
    const withCode = (runtime: Uint8Array) =>
      gasUsed({}, { accounts: new Map([[sender, { nonce: 5n, balance: ether, code: runtime }]]) })
    expect(withCode(code('STOP'))).toBe('sender-has-code')
    expect(withCode(designatorOf(other))).toBe(21_000n)
  })

  test('since Osaka more than 2^24 gas (EIP-7825)', () => {
    const limit = (gasLimit: bigint) => gasUsed({ gasLimit }, { hardfork: 'osaka' })
    expect([limit(2n ** 24n), limit(2n ** 24n + 1n)]).toEqual([21_000n, 'gas-limit-above-cap'])
  })

  test('a nonce that nothing comes after (EIP-2681)', () => {
    const nonce = 2n ** 64n - 1n
    const accounts = new Map([[sender, { nonce, balance: ether }]])
    expect(gasUsed({ nonce }, { accounts })).toBe('nonce-exhausted')
  })
})

describe('authorizations (EIP-7702)', () => {
  const authority = 0xa07n
  const good: Authorization = { chainId: 1n, delegate: other, nonce: 0n, authority }
  const existing = (account: SomeAccount) => new Map([[authority, account]])

  test('make an account delegate', () => {
    const { result, state } = send({ authorizations: [good] })
    expect([state.code(authority), state.nonce(authority)]).toEqual([designatorOf(other), 1n])
    expect(result).toMatchObject({ gasUsed: 21_000n + 25_000n })
  })

  test('cost less where the account exists, by a refund', () => {
    const accounts = existing({ balance: 1n })
    const used = 21_000n + 25_000n
    expect(gasUsed({ authorizations: [good] }, { accounts })).toBe(used - used / 5n)
  })

  test('on chain 0 are for every chain', () => {
    expect(send({ authorizations: [{ ...good, chainId: 0n }] }).state.nonce(authority)).toBe(1n)
  })

  test.each([
    ['of another chain', { chainId: 2n }, {}],
    ['that nobody signed', { authority: undefined }, {}],
    ['of another nonce', { nonce: 1n }, {}],
    ['of the last nonce', { nonce: 2n ** 64n - 1n }, { nonce: 2n ** 64n - 1n }],
    ['of an account with code', {}, { code: code('STOP') }],
  ] as const)('%s do nothing', (_, changes, account) => {
    const before = existing({ balance: 1n, ...account })
    const { state } = send({ authorizations: [{ ...good, ...changes }] }, { accounts: before })
    const { code: codeBefore = new Uint8Array(), nonce = 0n } = { ...account } as SomeAccount
    expect([state.code(authority), state.nonce(authority)]).toEqual([codeBefore, nonce])
  })

  test('to nobody end a delegation', () => {
    const accounts = existing({ code: designatorOf(other) })
    const { state } = send({ authorizations: [{ ...good, delegate: 0n }] }, { accounts })
    expect([state.code(authority), state.codeHash(authority)]).toEqual([new Uint8Array(), emptyCodeHash])
  })

  test('in one list follow each other', () => {
    const { state } = send({ authorizations: [good, { ...good, nonce: 1n, delegate: contract }] })
    expect([state.code(authority), state.nonce(authority)]).toEqual([designatorOf(contract), 2n])
  })

  test('of the sender count its nonce after the transaction’s', () => {
    const { state } = send({ authorizations: [{ ...good, authority: sender, nonce: 6n }] })
    expect([state.code(sender), state.nonce(sender)]).toEqual([designatorOf(other), 7n])
  })

  test('stay when the call reverts', () => {
    const { result, state } = send(
      { authorizations: [good] },
      { accounts: contractWith(code(0, 0, 'REVERT')) },
    )
    expect(result).toMatchObject({ outcome: { kind: 'reverted' } })
    expect(state.code(authority)).toEqual(designatorOf(other))
  })

  test('let the transaction call the account, whose delegate is warm then', () => {
    const accounts = new Map([[other, { code: code(other, 'BALANCE', 'POP') }]])
    const { result } = send({ to: authority, authorizations: [good] }, { accounts })
    expect(result).toMatchObject({ gasUsed: 21_000n + 25_000n + 3n + 100n + 2n })
  })
})

test('a transaction that cannot be run to its end has changed nothing', () => {
  const program = code('JUMPDEST', 0, 'JUMP')
  const chain = chainOf('prague')
  const state = createState(
    stateOf(new Map([[sender, { balance: ether }], ...contractWith(program)]), chain.keccak),
  )
  const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 0n }
  const call = {
    sender,
    to: contract,
    nonce: 0n,
    value: 5n,
    data: new Uint8Array(),
    gasLimit: 90_000n,
    ...fees,
  }
  const run = () => runTransaction({ transaction: call, state, chain, block: someBlock, stepLimit: 100 })
  expect(run).toThrow()
  expect([state.nonce(sender), state.balance(sender), state.balance(contract)]).toEqual([0n, ether, 0n])
})
