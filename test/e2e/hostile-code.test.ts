import { afterAll, beforeAll, expect, test } from 'bun:test'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { call, RpcError, send, type WireReceipt } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { hostileOperations } from '../support/hostileCode.ts'
import { type RunningService, startService } from '../support/service.ts'

const accounts = 20
const gas = { callGasLimit: 60_000n, verificationGasLimit: 100_000n, preVerificationGas: 70_000n }

let chain: DevChain
let service: RunningService
beforeAll(async () => {
  chain = await startDevChain()
  service = await startService({
    nodeUrl: chain.url,
    relayerKeys: [anvilKeys[2]],
    flags: ['--simulators', '2', '--log-level', 'warn'],
  })
}, 60_000)
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error: Error) => (error instanceof RpcError ? String(error.error.code) : error.message),
  )

const estimate = (op: UserOperation) =>
  call(service.url, 'eth_estimateUserOperationGas', formatUserOperation(op), entryPoints['0.7'].address)

test('beside hostile code, sent and estimated, every valid operation is included and every other has its answer', async () => {
  const valid = await Promise.all(
    (await fleet(chain, '0.7', accounts)).map((account) => operation(chain, account, { ...gas, nonce: 0n })),
  )
  const all = await hostileOperations(chain, { preVerificationGas: 70_000n })
  // Those that need no stake, and two of those that cost most.
  const hostile = all.filter(
    ({ op, hostile }) =>
      op.verificationGasLimit < 500_000n || ['modexp', 'calls of itself'].includes(hostile.name),
  )
  const sent = hostile.map(({ op }) => outcomeOf(send(service.url, op)))
  const estimated = hostile.map(({ op }) => outcomeOf(estimate(op)))
  const receipts = valid.map((op) =>
    call<WireReceipt>(
      service.url,
      'eth_sendUserOperationSync',
      formatUserOperation(op),
      entryPoints['0.7'].address,
    ),
  )

  for (const receipt of await Promise.all(receipts)) expect(receipt).toMatchObject({ success: true })
  const expected = hostile.map(({ hostile }) => String(hostile.expected.error?.code ?? 'answered'))
  expect(await Promise.all(sent)).toEqual(expected)
  const answers = new Set(await Promise.all(estimated))
  expect(answers.difference(new Set(['answered', '-32500']))).toEqual(new Set())

  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
  expect(metrics).toContain('tandem_simulator_deaths_total 0')
  expect(metrics).not.toMatch(/simulator_jobs_total{.*outcome="(unavailable|refused|banned)"}/)
}, 60_000)
