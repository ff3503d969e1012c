import { formatEther } from 'viem'
import { describe } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { createNodeClient, detectChainId } from '../chain/client.ts'
import { unknown } from '../config/given.ts'
import { loadPaymasterConfiguration, type PaymasterConfiguration } from '../config/load.ts'
import { deployedVersions, servedVersions } from '../service/entrypoints.ts'
import { deployPaymasters } from '../service/paymaster/deploy.ts'
import { type OperatorClient, operatorClient } from '../service/paymaster/operator-client.ts'
import { nameOf, type OperatorPaymaster, operatorPaymasters } from '../service/paymaster/operators.ts'
import { readState } from '../service/paymaster/state.ts'
import { stepsFor, type Wanted } from '../service/paymaster/steps.ts'
import { configured } from './configured.ts'

const actions = ['deploy', 'status'] as const

/** The operator's own paymasters: puts them on the chains, or tells what is there. Gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [action = '', ...rest] = args
  const task = action === 'deploy' ? deploy : action === 'status' ? status : undefined
  if (task === undefined) {
    const problem =
      action === '' || action.startsWith('--')
        ? `paymaster needs one of: ${actions.join(', ')}`
        : unknown(action, 'one of paymaster', actions)
    process.stderr.write(`tandem: ${problem}\n`)
    return 2
  }
  const configuration = configured(() => loadPaymasterConfiguration({ args: rest, env: process.env }))
  if (configuration === undefined) return 2
  try {
    let complete = true
    for (const chain of configuration.chains)
      complete = (await onChain(chain, configuration, task)) && complete
    return complete ? 0 : 1
  } catch (error) {
    process.stderr.write(`tandem: ${describe(error)}\n`)
    return 1
  }
}

/** Whether all is as wanted afterwards. */
type Task = (
  chainId: number,
  options: { paymasters: readonly OperatorPaymaster[]; wanted: Wanted },
  client: OperatorClient,
) => Promise<boolean>

async function onChain(
  chain: PaymasterConfiguration['chains'][number],
  { stake, deposit }: PaymasterConfiguration,
  task: Task,
): Promise<boolean> {
  const { rpcUrl: urls, paymasterKey, nativePrice, tokens, paymasterUnstakeDelay: unstakeDelay } = chain
  const timeouts = { timeoutMs: chain.nodeTimeout }
  const chainId = chain.chainId ?? (await detectChainId(urls, timeouts))
  const context = { log: createLog({ level: 'silent' }), metrics: createMetrics() }
  const node = createNodeClient({ chainId, urls, ...timeouts }, context)
  try {
    const versions = servedVersions(chain, await deployedVersions(node))
    const paymasters = operatorPaymasters({ paymasterKey, versions, tokens })
    const wanted = { stake, deposit, unstakeDelay, nativePrice, tokens }
    return await task(chainId, { paymasters, wanted }, operatorClient(paymasterKey, node))
  } finally {
    await node.close()
  }
}

const deploy: Task = async (chainId, options, client) => {
  await deployPaymasters(options, client, (line) => process.stdout.write(`chain ${chainId}: ${line}\n`))
  return true
}

const status: Task = async (chainId, { paymasters, wanted }, client) => {
  let complete = true
  for (const paymaster of paymasters) {
    const state = await readState(paymaster, wanted.tokens, client)
    const left = stepsFor(paymaster, state, wanted)
    const facts =
      state === undefined
        ? ['not deployed']
        : [
            ...(paymaster.plan.kind === 'token' ? [`signer ${state.signer}`] : []),
            `deposit ${formatEther(state.deposit)} eth`,
            `stake ${formatEther(state.stake)} eth${state.staked ? ` for ${state.unstakeDelay} s` : ', unlocked'}`,
            ...left.map(({ what }) => `to do: ${what}`),
          ]
    complete &&= left.length === 0
    const place = `${nameOf(paymaster)} at ${paymaster.deployment.address}`
    const word = left.length === 0 ? 'ok     ' : 'missing'
    process.stdout.write(`${word} chain ${chainId}: ${place}: ${facts.join(', ')}\n`)
  }
  return complete
}
