import simulations from 'entrypoint-0.7/artifacts/EntryPointSimulations.json'
import { bytesToHex, type Hex, hexToBytes } from 'viem'
import type { Head } from '../../src/types/block.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { CallRequest } from '../../src/validation/eth-call.ts'
import {
  readValidation,
  simulateValidationCall,
  simulationOverride,
} from '../../src/validation/simulation.ts'
import type { SimulatorHandlers } from '../../src/validation/simulator-host.ts'
import type { Prestates } from '../../src/validation/state/foresight/prestate.ts'
import { type DevChain, rpc } from '../../test/support/devChain.ts'
import { openSimulator } from '../../test/support/engines.ts'
import type { SomeAccount } from '../../test/support/evmState.ts'
import { ethereumjs } from '../ethereumjs.ts'
import { inTurns, type Samples } from './in-turns.ts'
import { jobOf } from './setting.ts'

/** ms a call: one operation again and again, all state at hand, the same simulateValidation everywhere. */
export type OneValidation = Readonly<
  Record<'validate' | 'estimate' | 'ethereumjs' | 'anvil' | 'anvilBare', Samples>
>

const entryPoint = entryPoints['0.7'].address
const simulationCode = simulations.deployedBytecode as Hex

export async function measureOneValidation(
  chain: DevChain,
  op: UserOperation,
  block: Head,
): Promise<OneValidation> {
  const simulator = await openSimulator(chain)
  const request = simulateValidationCall(op)
  const accounts = await prestate(chain, request)
  const message = {
    ...({ kind: 'call', caller: 0n, to: BigInt(entryPoint), value: 0n } as const),
    ...{ input: hexToBytes(request.data), gas: 20_000_000 },
  }
  const theirs = await ethereumjs({ chainId: BigInt(chain.chainId), accounts, message })
  await warm(simulator, chain, op, block)
  // Where the code of the simulation stands already, a call needs no override of 40 kB.
  await rpc(chain.url, 'anvil_setCode', [entryPoint, simulationCode])
  const overrides = simulationOverride('0.7')
  const ask = () => rpc<Hex>(chain.url, 'eth_call', [request, 'latest', overrides])
  const askBare = () => rpc<Hex>(chain.url, 'eth_call', [request, 'latest'])
  for (const data of [await ask(), bytesToHex(await theirs.run())]) {
    const { account } = readValidation(op, { kind: 'returned', data })
    if (account.authorizer !== 'valid') throw new Error('another call was run')
  }
  const samples = await inTurns({
    validate: () => validate(simulator, chain, op, block),
    estimate: () => simulator.estimate({ ...jobOf(chain.chainId, op, block), stateOverrides: undefined }),
    ethereumjs: theirs.run,
    anvil: ask,
    anvilBare: askBare,
  })
  theirs.close()
  return samples
}

/** With all rules, or it does not count. */
async function validate(simulator: SimulatorHandlers, { chainId }: DevChain, op: UserOperation, block: Head) {
  const verdict = await simulator.validate(jobOf(chainId, op, block))
  if (verdict.kind !== 'accepted' || verdict.facts.level !== 'full') throw new Error(JSON.stringify(verdict))
}

async function warm(simulator: SimulatorHandlers, chain: DevChain, op: UserOperation, block: Head) {
  await validate(simulator, chain, op, block)
  await simulator.estimate({ ...jobOf(chain.chainId, op, block), stateOverrides: undefined })
}

/** What the call reads, as @ethereumjs/evm is to be given it. */
async function prestate({ url }: DevChain, request: CallRequest): Promise<Map<bigint, SomeAccount>> {
  const tracing = { tracer: 'prestateTracer', stateOverrides: simulationOverride('0.7') }
  const read = await rpc<Prestates>(url, 'debug_traceCall', [request, 'latest', tracing])
  const accounts = Object.entries(read).map(
    ([address, { balance = '0x0', nonce = 0, code, storage = {} }]) => {
      const isSimulation = BigInt(address) === BigInt(entryPoint)
      const shown = isSimulation ? simulationCode : (code ?? '0x')
      const slots = Object.entries(storage).map(([slot, value]) => [BigInt(slot), BigInt(value)] as const)
      const account = { balance: BigInt(balance), nonce: BigInt(nonce), storage: new Map(slots) }
      return [BigInt(address), shown === '0x' ? account : { ...account, code: hexToBytes(shown) }] as const
    },
  )
  return new Map(accounts)
}
