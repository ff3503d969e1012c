import { startDevChain } from '../../test/support/devChain.ts'
import { openSimulator } from '../../test/support/engines.ts'
import { fleet, operation } from '../../test/support/fleet.ts'
import { latestBlock } from '../../test/support/simulation.ts'
import { type Pairing, pairSlow } from '../measure.ts'

/** The estimate of a deployed SimpleAccount 0.7 with all state at hand, beside ours that asks the node by eth_call. */
export async function benchmarkEstimates(): Promise<Pairing[]> {
  const chain = await startDevChain()
  try {
    const [account] = await fleet(chain, '0.7', 1)
    if (account === undefined) throw new Error('an account is needed')
    const op = await operation(chain, account)
    const block = await latestBlock(chain)
    const job = { chainId: chain.chainId, op, block, nonceSequence: undefined, stateOverrides: undefined }
    const here = await openSimulator(chain)
    const atNode = await openSimulator(chain, { validationEngine: 'node', lowestValidation: 'basic' })
    const estimate = async (simulator: typeof here): Promise<void> => {
      await simulator.estimate(job)
    }
    return [
      await pairSlow(
        'estimate of a SimpleAccount 0.7, warm',
        () => estimate(here),
        'by eth_call at anvil',
        () => estimate(atNode),
      ),
    ]
  } finally {
    await chain.stop()
  }
}
