import type { Hash, Hex } from 'viem'
import { describe } from '../../src/base/errors.ts'
import { anvilKeys, freePort } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { Explanation } from '../../src/types/explanation.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { call } from '../../test/support/client.ts'
import { type DevChain, rpc, startDevChain } from '../../test/support/devChain.ts'
import { openSimulator } from '../../test/support/engines.ts'
import { latestBlock } from '../../test/support/simulation.ts'
import type { BundlerKind, RunningBundler } from '../load/bundler.ts'
import { type EstimateCase, makeCases } from './cases.ts'

/** One operation at one bundler: limit ÷ what was used of it, and whether it was mined and succeeded with its estimate. */
export type EstimateFigures = {
  name: string
  /** ms, the median of some estimates of the same operation */
  latency: number
  verification: number
  /** `undefined`: it has none */
  paymaster: number | undefined
  execution: number
  outcome: string
}

/** Estimates of one operation that are timed. */
const timed = 15
/** ms until a receipt has to be there */
const patience = 30_000

/** The same operations at each bundler, on one chain: estimated, measured, sent with exactly the estimate. */
export async function measureEstimates(
  kinds: readonly BundlerKind[],
  version: EntryPointVersion,
): Promise<ReadonlyMap<string, readonly EstimateFigures[]>> {
  const chain = await startDevChain({ extraArguments: ['--gas-limit', '60000000'] })
  const next = await makeCases(chain, version)
  const cases = new Map<BundlerKind, readonly EstimateCase[]>()
  for (const kind of kinds) cases.set(kind, await next())
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  const keys = [anvilKeys[1], anvilKeys[2], anvilKeys[3], anvilKeys[4]]
  const figures = new Map<string, readonly EstimateFigures[]>()
  try {
    for (const [index, [kind, ofKind]] of [...cases].entries()) {
      const bundler = await kind.start({
        ...{ nodeUrl: chain.url, chainId: chain.chainId, port: await freePort() },
        entryPoints: Object.values(entryPoints).map(({ address }) => address),
        keys: keys.slice(2 * index, 2 * index + 2),
      })
      try {
        const measured: EstimateFigures[] = []
        for (const one of ofKind) measured.push(await measureOne(one, bundler, chain))
        figures.set(kind.name, measured)
      } finally {
        await bundler.stop()
      }
    }
    return figures
  } finally {
    await chain.stop()
  }
}

async function measureOne(
  { name, op, sign }: EstimateCase,
  bundler: RunningBundler,
  chain: DevChain,
): Promise<EstimateFigures> {
  const nothing = {
    name,
    latency: Number.NaN,
    verification: Number.NaN,
    paymaster: undefined,
    execution: Number.NaN,
  }
  try {
    const { priced, latency } = await estimated(op, bundler.url)
    const signed = await sign(priced)
    return { ...nothing, latency, ...(await used(signed, chain)), outcome: await sent(signed, bundler.url) }
  } catch (error) {
    return { ...nothing, outcome: describe(error) }
  }
}

type Limits = { [field: string]: Hex | undefined }

async function estimated(
  op: UserOperation,
  url: string,
): Promise<{ priced: UserOperation; latency: number }> {
  const wire = formatUserOperation(op)
  const latencies: number[] = []
  let limits: Limits = {}
  for (let round = 0; round < timed; round += 1) {
    const started = performance.now()
    limits = await call<Limits>(url, 'eth_estimateUserOperationGas', wire, entryPoints[op.version].address)
    latencies.push(performance.now() - started)
  }
  const gas = (field: string) => BigInt(limits[field] ?? 0)
  const pays = op.paymaster !== undefined && op.version !== '0.6'
  const priced = {
    ...op,
    callGasLimit: gas('callGasLimit'),
    verificationGasLimit: gas('verificationGasLimit'),
    preVerificationGas: gas('preVerificationGas'),
    paymasterVerificationGasLimit: pays ? gas('paymasterVerificationGasLimit') : 0n,
    paymasterPostOpGasLimit: pays ? gas('paymasterPostOpGasLimit') : 0n,
  }
  return { priced, latency: latencies.toSorted((a, b) => a - b)[timed >> 1] ?? Number.NaN }
}

/** Limit ÷ used, as our own EVM counts what handleOps uses of it on the newest block. */
async function used(op: UserOperation, chain: DevChain) {
  const simulator = await openSimulator(chain, { minStake: 0n, minUnstakeDelay: 0 })
  const block = await latestBlock(chain)
  const job = { chainId: chain.chainId, op, block, nonceSequence: undefined, stateOverrides: undefined }
  const { handled }: Explanation = await simulator.explain(job)
  const execution = handled?.phases.find(({ phase }) => phase === 'execute')?.gasUsed
  return {
    verification: share(op.verificationGasLimit, handled?.verificationGas) ?? Number.NaN,
    paymaster: share(op.paymasterVerificationGasLimit, handled?.paymasterVerificationGas),
    execution: share(op.callGasLimit, execution) ?? Number.NaN,
  }
}

const share = (limit: bigint, gas: number | undefined): number | undefined =>
  gas === undefined ? undefined : Number(limit) / gas

async function sent(op: UserOperation, url: string): Promise<string> {
  const hash = await call<Hash>(
    url,
    'eth_sendUserOperation',
    formatUserOperation(op),
    entryPoints[op.version].address,
  )
  const until = performance.now() + patience
  while (performance.now() < until) {
    const receipt = await call<{ success: boolean } | null>(url, 'eth_getUserOperationReceipt', hash)
    if (receipt !== null) return receipt.success ? 'succeeds' : 'fails'
    await Bun.sleep(lookInterval)
  }
  return 'is not mined'
}

/** ms between looks for a receipt */
const lookInterval = 200
