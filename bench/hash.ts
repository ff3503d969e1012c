import { getUserOperationHash, type UserOperation as ViemOperation } from 'viem/account-abstraction'
import { entryPoints, userOperationHash } from '../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../src/types/entrypoint-version.ts'
import { parseUserOperation } from '../src/types/rpc-userop.ts'
import { type Pairing, pair } from './measure.ts'
import { operation } from './operation.ts'

const chainId = 31337
/** The hash of an operation: what every send computes. */
export function benchmarkHash(): Pairing[] {
  return entryPointVersions.map((version) => {
    const op = parseUserOperation(operation, version, 'complete')
    const theirs = viemOperation(version)
    return pair(
      `userOpHash ${version}`,
      () => userOperationHash(op, chainId),
      'viem',
      () =>
        getUserOperationHash({
          chainId,
          entryPointAddress: entryPoints[version].address,
          entryPointVersion: version,
          userOperation: theirs,
        }),
    )
  })
}

function viemOperation(version: EntryPointVersion): ViemOperation {
  const { sender, nonce, callData, signature, ...rest } = parseUserOperation(operation, version, 'complete')
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = rest
  const gas = { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas }
  const common = { sender, nonce, callData, signature, ...gas }
  return version === '0.6' ? { ...common, initCode: '0x', paymasterAndData: '0x' } : common
}
