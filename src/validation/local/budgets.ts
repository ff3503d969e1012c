import type { Budget } from '../../evm/budget.ts'

/**
 * Steps of a validation, all rounds of fetching together: about a second. Honest ones take some ten thousand a round,
 * and a pairing of zero-knowledge proofs a million.
 */
const mostOfValidation = 10_000_000

/** Steps of an estimate, all runs and rounds together: two to three seconds. A call of 10 million gas takes 2 million. */
const mostOfEstimate = 30_000_000

/** For the validations of so many operations in one run. */
export const validationBudget = (operations = 1): Budget => ({ steps: operations * mostOfValidation })

export const estimateBudget = (): Budget => ({ steps: mostOfEstimate })
