import type { Held } from './held.ts'

/** ms that an operation waits after its n-th failed bundle check: from a fast block to a slow one, doubling. */
export const backOff = (failures: number): number => 1000 * 2 ** (failures - 1)

/** Good operations come before one that failed, but not for longer than this many times its back-off. */
const patience = 2

export function isOverdue({ entry, retryAt }: Held, now: number): boolean {
  return now - retryAt > patience * backOff(entry.failures)
}
