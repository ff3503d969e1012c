import { type Address, concatHex, encodeAbiParameters, getCreate2Address, type Hex, zeroHash } from 'viem'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import * as sponsor06 from './artifacts/SponsorPaymaster06.ts'
import * as token06 from './artifacts/TokenPaymaster06.ts'
import * as token07 from './artifacts/TokenPaymaster07.ts'
import * as verifying06 from './artifacts/VerifyingPaymaster06.ts'
import * as verifying07 from './artifacts/VerifyingPaymaster07.ts'

/** A paymaster as it is deployed. Its owner, signer and fee receiver can be changed later; its address stays. */
export type PaymasterPlan =
  | { kind: 'sponsor'; version: '0.6'; owner: Address }
  | { kind: 'verifying'; version: EntryPointVersion; owner: Address; signer: Address }
  | { kind: 'token'; version: EntryPointVersion; owner: Address; signer: Address; feeReceiver: Address }

export type Deployment = {
  /** Where the contract will stand, on every chain that has the deployer. */
  address: Address
  /** The transaction that puts it there; anyone may send it, once. */
  to: Address
  data: Hex
  initCode: Hex
  salt: Hex
}

/** The deterministic deployer (Arachnid's proxy): salt ‖ init code → CREATE2. On anvil from the start. */
export const deterministicDeployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** The same plan and salt give the same address: deployed twice is deployed once. */
export function paymasterDeployment(plan: PaymasterPlan, salt: Hex = zeroHash): Deployment {
  const initCode = initCodeOf(plan)
  return {
    address: getCreate2Address({ from: deterministicDeployer, salt, bytecode: initCode }),
    to: deterministicDeployer,
    data: concatHex([salt, initCode]),
    initCode,
    salt,
  }
}

function initCodeOf(plan: PaymasterPlan): Hex {
  const addresses = [entryPoints[plan.version].address, plan.owner]
  if (plan.kind !== 'sponsor') addresses.push(plan.signer)
  if (plan.kind === 'token') addresses.push(plan.feeReceiver)
  const parameters = addresses.map(() => ({ type: 'address' }))
  return concatHex([bytecodeOf(plan), encodeAbiParameters(parameters, addresses)])
}

function bytecodeOf({ kind, version }: PaymasterPlan): Hex {
  switch (kind) {
    case 'sponsor':
      return sponsor06.bytecode
    case 'verifying':
      return version === '0.6' ? verifying06.bytecode : verifying07.bytecode
    case 'token':
      return version === '0.6' ? token06.bytecode : token07.bytecode
  }
}
