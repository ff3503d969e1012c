import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM } from '@ethereumjs/evm'
import { Account, Address } from '@ethereumjs/util'
import { runMessage } from '../src/evm/run-message.ts'
import { createState } from '../src/evm/state/state.ts'
import { bytesOf } from '../src/evm/word.ts'
import { evmChain } from '../test/support/evmChain.ts'
import { simpleAccountValidation, type ValidationCall } from '../test/support/evmSimpleAccount.ts'
import { stateOf } from '../test/support/evmState.ts'
import { type Pairing, pairSlow } from './measure.ts'

/** Opcodes; it takes 4,305. */
const stepLimit = 100_000

/** simulateValidation of EntryPoint 0.7 with all state at hand; both sides count what reads storage. */
export async function benchmarkEvm(): Promise<Pairing[]> {
  const call = await simpleAccountValidation(await evmChain('cancun'))
  const { evm, close } = await ethereumjs(call)
  try {
    return [await pairSlow('validate a SimpleAccount 0.7', ours(call), '@ethereumjs/evm', evm)]
  } finally {
    close()
  }
}

const sload = 0x54

function ours({ accounts, environment, message }: ValidationCall): () => Promise<void> {
  const source = stateOf(accounts, environment.chain.keccak)
  let reads = 0
  const count = (): void => {
    reads += 1
  }
  const observer = { before: new Map([[sload, count]]) }
  return async () => {
    const budget = { steps: stepLimit }
    const { kind } = runMessage({ message, state: createState(source), environment, observer, budget })
    if (kind !== 'returned' || reads === 0) throw new Error(kind)
  }
}

async function ethereumjs({ accounts, message }: ValidationCall) {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun })
  const evm: EVM = await createEVM({ common })
  const addressOf = (address: bigint): Address => new Address(bytesOf(address, 20))
  for (const [word, { balance = 0n, nonce = 0n, code, storage = new Map() }] of accounts) {
    const address = addressOf(word)
    await evm.stateManager.putAccount(address, new Account(nonce, balance))
    if (code !== undefined) await evm.stateManager.putCode(address, code)
    for (const [slot, value] of storage) {
      await evm.stateManager.putStorage(address, bytesOf(slot, 32), bytesOf(value, 32))
    }
  }
  let reads = 0
  const count = ({ opcode }: { opcode: { code: number } }): void => {
    if (opcode.code === sload) reads += 1
  }
  evm.events.on('step', count)
  if (message.kind !== 'call') throw new Error('a call is measured')
  const { to, input: data, gas } = message
  const request = { to: addressOf(to), caller: addressOf(message.caller), data, gasLimit: BigInt(gas) }
  const run = async (): Promise<void> => {
    await evm.journal.checkpoint()
    const { execResult } = await evm.runCall(request)
    await evm.journal.revert()
    await evm.journal.cleanup()
    if (execResult.exceptionError !== undefined || reads === 0) throw new Error('it does not validate')
  }
  return { evm: run, close: () => evm.events.off('step', count) }
}
