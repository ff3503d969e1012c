import type { EntryPointVersion } from '../../../types/entrypoint-version.ts'
import type { GasLimits } from '../../../types/gas.ts'
import type { Phase } from '../../../types/phase.ts'
import type { HandlingFacts } from '../../handling/handling-watch.ts'
import { mostUnstakedVerificationGas, validationGasSlack } from '../../rules/limit-rules.ts'

/**
 * Per cent on top of what was needed: the state of the block that includes the operation is another, and the real
 * signature may be dearer than the dummy. Too little shows as AA23, AA26 or failed calls of estimated operations.
 */
const margin = 10

const padded = (gas: number): bigint => BigInt(Math.ceil((gas * (100 + margin)) / 100))

/**
 * LIM-030: what is used for validation must leave that much of its limit. LIM-060: a limit that takes a stake, and is
 * refused without, is none for the sake of the margin.
 */
function forValidation(gas: number): bigint {
  const least = BigInt(gas) + validationGasSlack
  const wanted = padded(gas) + validationGasSlack
  const most = mostUnstakedVerificationGas - 1n
  return least <= most && wanted > most ? most : wanted
}

type Needs = { least(phase: Phase): number; facts: HandlingFacts }
type Formula = (needs: Needs) => GasLimits

/** What the EntryPoint charges for execution beyond callGasLimit comes out of verificationGasLimit. */
const withOwnGas = (validation: number, { innerGas }: HandlingFacts): bigint => BigInt(validation + innerGas)

/** From 0.7 on each phase has a limit of its own, except that creation and validation share one. */
const separate: Formula = ({ least, facts }) => {
  const account = facts.validation.verification ?? 0
  const paymaster = Math.max(facts.validation.paymasterVerification ?? 0, least('paymaster'))
  return {
    verificationGasLimit: larger(
      forValidation(Math.max(account, least('create'), least('validate'))),
      withOwnGas(account, facts),
    ),
    callGasLimit: padded(least('execute')),
    paymasterVerificationGasLimit: paymaster === 0 ? 0n : forValidation(paymaster),
    paymasterPostOpGasLimit: padded(least('postOp')),
  }
}

/** In 0.6 one limit covers creation, both validations and, given anew, postOp. */
const shared: Formula = ({ least, facts }) => {
  const all = facts.validation.verification ?? 0
  // The paymaster has what the account's part leaves.
  const leftFor = least('paymaster') - (facts.phases.get('paymaster')?.gasUsed ?? 0)
  return {
    verificationGasLimit: larger(
      forValidation(Math.max(all + leftFor, least('create'), least('validate'), least('postOp'))),
      withOwnGas(all, facts),
    ),
    callGasLimit: padded(least('execute')),
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
  }
}

const formulas: Readonly<Record<EntryPointVersion, Formula>> = {
  '0.6': shared,
  '0.7': separate,
  '0.8': separate,
}

/** Limits for what a run needed, with a margin; still to be checked with exactly them. */
export function limitsForRun(version: EntryPointVersion, facts: HandlingFacts): GasLimits {
  return formulas[version]({ least: (phase) => facts.phases.get(phase)?.leastGas ?? 0, facts })
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
