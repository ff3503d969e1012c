import { deterministicDeployer } from '../../contracts/paymaster/deployment.ts'
import type { OperatorClient } from './operator-client.ts'
import { nameOf, type OperatorPaymaster } from './operators.ts'
import { readState } from './state.ts'
import { type Step, stepsFor, type Wanted } from './steps.ts'

/** Why nothing more was deployed; one line for the operator. */
export class CannotDeploy extends Error {
  override readonly name = 'CannotDeploy'
}

/**
 * Brings the operator's paymasters to what is wanted, one transaction after the other; done again it does nothing.
 * @throws CannotDeploy, or what viem throws
 */
export async function deployPaymasters(
  options: { paymasters: readonly OperatorPaymaster[]; wanted: Wanted },
  client: OperatorClient,
  say: (line: string) => void,
): Promise<void> {
  const { paymasters, wanted } = options
  if ((await client.getCode({ address: deterministicDeployer })) === undefined)
    throw new CannotDeploy(`the chain has no deterministic deployer at ${deterministicDeployer}`)
  for (const paymaster of paymasters) {
    const state = await readState(paymaster, wanted.tokens, client)
    const steps = stepsFor(paymaster, state, wanted)
    say(`${nameOf(paymaster)} at ${paymaster.deployment.address}${steps.length === 0 ? ': all there' : ''}`)
    for (const step of steps) await take(step)
  }

  async function take({ what, to, data, value }: Step): Promise<void> {
    const hash = await client.sendTransaction({ chain: null, to, data, value })
    const { status } = await client.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new CannotDeploy(`${what}: transaction ${hash} failed`)
    say(`  ${what}: transaction ${hash}`)
  }
}
