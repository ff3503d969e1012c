import { type Abi, parseAbi } from 'viem'

const struct06 =
  'struct UserOp { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }'
const struct07 =
  'struct UserOp { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }'
const functions = [
  'function validateUserOp(UserOp userOp, bytes32 userOpHash, uint256 missingAccountFunds)',
  'function validatePaymasterUserOp(UserOp userOp, bytes32 userOpHash, uint256 maxCost)',
  'function executeUserOp(UserOp userOp, bytes32 userOpHash)',
]
/** What EntryPoint 0.6 calls of accounts and paymasters. */
export const entityAbi06: Abi = parseAbi([
  struct06,
  ...functions,
  'function postOp(uint8 mode, bytes context, uint256 actualGasCost)',
])
/** What later EntryPoints call. */
export const entityAbi07: Abi = parseAbi([
  struct07,
  ...functions,
  'function postOp(uint8 mode, bytes context, uint256 actualGasCost, uint256 actualUserOpFeePerGas)',
])
