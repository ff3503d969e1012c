/** ms that an operation waits after its n-th failed bundle check: from a fast block to a slow one, doubling. */
export const backOff = (failures: number): number => 1000 * 2 ** (failures - 1)
