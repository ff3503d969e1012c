/** Oldest first. Anything older than Shanghai runs nowhere that has an EntryPoint. */
export const hardforks = ['shanghai', 'cancun', 'prague', 'osaka'] as const
export type Hardfork = (typeof hardforks)[number]

/** Are the rules of `fork` in force where `active` is the latest? */
export function isActive(fork: Hardfork, active: Hardfork): boolean {
  return hardforks.indexOf(fork) <= hardforks.indexOf(active)
}
