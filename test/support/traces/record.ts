import type { Json } from '../../../src/base/errors.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import { simulateValidationCall } from '../../../src/validation/simulation.ts'
import { validationOverrides } from '../../../src/validation/validate.ts'
import { signedOperation, simpleAccount } from '../accounts.ts'
import { rpc } from '../devChain.ts'
import { startGethChain } from '../gethChain.ts'

// Records what geth's erc7562Tracer answers about the first operation of a SimpleAccount of each version:
// `bun test/support/traces/record.ts`, with geth on PATH.
const chain = await startGethChain()
for (const version of entryPointVersions) {
  const account = await simpleAccount(chain, version)
  await chain.fund(account.address)
  const op = await signedOperation(chain, account)
  const trace = await rpc<Json>(chain.url, 'debug_traceCall', [
    simulateValidationCall(op),
    'latest',
    { tracer: 'erc7562Tracer', stateOverrides: validationOverrides({ op, nonceSequence: undefined }) },
  ])
  const parties = {
    entryPoint: entryPoints[version].address,
    account: account.address,
    factory: account.factory,
    owner: account.owner.address,
  }
  await Bun.write(`${import.meta.dir}/simple-account-${version}.json`, JSON.stringify({ parties, trace }))
}
await chain.stop()
