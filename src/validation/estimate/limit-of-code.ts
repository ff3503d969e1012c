import type { GasLimits } from '../../types/gas.ts'

/** The limit that is too low when a validation that passed with more gas fails with this code. */
export const limitOfCode: ReadonlyMap<string, keyof GasLimits> = new Map([
  ['AA13', 'verificationGasLimit'],
  ['AA23', 'verificationGasLimit'],
  ['AA26', 'verificationGasLimit'],
  ['AA40', 'verificationGasLimit'],
  ['AA41', 'verificationGasLimit'],
  ['AA51', 'verificationGasLimit'],
  ['AA33', 'paymasterVerificationGasLimit'],
  ['AA36', 'paymasterVerificationGasLimit'],
  ['AA50', 'paymasterPostOpGasLimit'],
])
