import { StepsExceeded } from './outcome.ts'

/**
 * Work that runs may still take. A step is a common opcode, some 60 ns; what is cheap by its gas and dear by its time
 * takes more. Runs that share a budget are bounded together.
 */
export type Budget = { steps: number }

/** Steps for a gas of what KECCAK256 and EXP charge by size: they are not more than twice as dear as a step. */
export const stepsAGas = 1
/** Steps for a gas of a precompile. The dearest, pairings and P256VERIFY, take some 0.2 µs a gas. */
export const stepsAPrecompileGas = 3
/** Steps for a call or creation, beside its opcode: a warm one takes as long as ten pushes. */
export const stepsAFrame = 10

/** @throws StepsExceeded */
export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps
  if (budget.steps < 0) throw new StepsExceeded('the run took more steps than it was given')
}
