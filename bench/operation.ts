/** An operation as wallets send most of them: a transfer by a deployed account. */
export const operation = {
  sender: '0x91E60e0613810449d098b0b5Ec8b51A0FE8c8985',
  nonce: '0x1',
  callData: `0x${'b61d27f6'.padEnd(2 * 132, '0')}`,
  callGasLimit: '0x186a0',
  verificationGasLimit: '0x186a0',
  preVerificationGas: '0xc350',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
  signature: `0x${'ab'.repeat(65)}`,
} as const
