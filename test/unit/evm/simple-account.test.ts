import { expect, test } from 'bun:test'
import { runMessage } from '../../../src/evm/run-message.ts'
import { createState } from '../../../src/evm/state/state.ts'
import { wordOf } from '../../../src/evm/word.ts'
import { chainOf } from '../../support/evmRun.ts'
import { simpleAccountValidation } from '../../support/evmSimpleAccount.ts'
import { stateOf } from '../../support/evmState.ts'

/** Real contracts, deployed in the EVM that runs them. */
const { accounts, environment, message } = await simpleAccountValidation(chainOf('cancun'))
const source = stateOf(accounts, environment.chain.keccak)
const run = (given = message) =>
  runMessage({ message: given, state: createState(source), environment, budget: { steps: 20_000 } })

/** ReturnInfo of what it returned: prefund in wei, and the account's validation data, 1 for a signature of another. */
function returnInfo(given = message): { prefund: bigint; validationData: bigint } {
  const outcome = run(given)
  if (outcome.kind !== 'returned') throw new Error(outcome.kind)
  const word = (index: number) => wordOf(outcome.output.subarray(32 * index, 32 * index + 32))
  const info = 1 + Number(word(1) / 32n)
  return { prefund: word(info + 1), validationData: word(info + 2) }
}

test('a SimpleAccount validates an operation that its owner signed', () => {
  expect(returnInfo()).toEqual({ prefund: 250_000n * 2_000_000_000n, validationData: 0n })
})

test('and says so of one that somebody else signed', () => {
  if (message.kind !== 'call') throw new Error(message.kind)
  const input = message.input.slice()
  const recoveryByte = input.findLastIndex((byte) => byte !== 0)
  input[recoveryByte] = input[recoveryByte] === 27 ? 28 : 27
  expect(returnInfo({ ...message, input })).toMatchObject({ validationData: 1n })
})
