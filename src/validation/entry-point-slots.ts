/** Storage of every EntryPoint from 0.6 to 0.8: the contracts inherit StakeManager, then NonceManager. */
export const depositsSlot = 0n
export const noncesSlot = 1n
