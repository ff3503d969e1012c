import { encodeFunctionData } from 'viem'
import { encodeHandleOps, entryPoints } from '../src/types/entrypoint.ts'
import { entryPointVersions } from '../src/types/entrypoint-version.ts'
import { parseUserOperation } from '../src/types/rpc-userop.ts'
import { type Pairing, pair } from './measure.ts'
import { operation } from './operation.ts'

/** The calldata of a bundle of one: what each size, gas and fee calculation starts from. */
export function benchmarkEncoding(): Pairing[] {
  return entryPointVersions.map((version) => {
    const { abi, address, pack } = entryPoints[version]
    const op = parseUserOperation(operation, version, 'complete')
    return pair(
      `handleOps ${version}`,
      () => encodeHandleOps(version, [op], address),
      'viem',
      () => encodeFunctionData({ abi, functionName: 'handleOps', args: [[pack(op)], address] }),
    )
  })
}
