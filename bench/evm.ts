import { runMessage } from '../src/evm/run-message.ts'
import { createState } from '../src/evm/state/state.ts'
import { evmChain } from '../test/support/evmChain.ts'
import { simpleAccountValidation, type ValidationCall } from '../test/support/evmSimpleAccount.ts'
import { stateOf } from '../test/support/evmState.ts'
import { ethereumjs } from './ethereumjs.ts'
import { type Pairing, pairSlow } from './measure.ts'

/** Opcodes; it takes 4,305. */
const stepLimit = 100_000

/** simulateValidation of EntryPoint 0.7 with all state at hand; both sides count what reads storage. */
export async function benchmarkEvm(): Promise<Pairing[]> {
  const call = await simpleAccountValidation(await evmChain('cancun'))
  const { run, close } = await ethereumjs({ chainId: call.environment.chain.chainId, ...call })
  try {
    return [await pairSlow('validate a SimpleAccount 0.7', ours(call), '@ethereumjs/evm', run)]
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
