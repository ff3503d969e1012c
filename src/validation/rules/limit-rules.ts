import type { UserOperation } from '../../types/userop.ts'
import type { OperationFacts } from './facts.ts'
import { type Finding, hasStake, type RuleOptions, whoIs } from './finding.ts'

/** bytes (ERC-7562 MAX_CONTEXT_SIZE) */
const mostContext = 2048
/** gas that limits must leave above what validation used here: on chain it may use a little more (VALIDATION_GAS_SLACK) */
export const validationGasSlack = 4_000n
/** gas (MAX_VERIFICATION_GAS) */
export const mostUnstakedVerificationGas = 500_000n

export type Limits = Pick<UserOperation, 'verificationGasLimit' | 'paymasterVerificationGasLimit'>

/** LIM-020 and EREP-050; LIM-030 and LIM-060 where there are limits to judge. */
export function checkLimits(
  facts: OperationFacts,
  limits: Limits | undefined,
  options: RuleOptions,
): readonly Finding[] {
  const ofContext = checkContext(facts, options)
  if (limits === undefined) return ofContext
  return [...ofContext, ...checkSlack(facts, limits), ...checkSize(facts, limits, options)]
}

function checkContext(facts: OperationFacts, options: RuleOptions): readonly Finding[] {
  const { contextSize } = facts
  const paymaster = whoIs('paymaster', facts)
  if (paymaster === undefined || contextSize === 0) return []
  const did = `returned a context of ${contextSize} bytes`
  if (contextSize > mostContext) {
    const hint = `at most ${mostContext} bytes are taken`
    return [{ ...paymaster, rule: 'LIM-020', did, hint, liftedBy: undefined }]
  }
  if (hasStake('paymaster', options)) return []
  const hint = 'only a staked paymaster may return a context'
  return [{ ...paymaster, rule: 'EREP-050', did, hint, liftedBy: paymaster }]
}

function checkSlack(facts: OperationFacts, limits: Limits): readonly Finding[] {
  const pairs = [
    ['account', 'verificationGasLimit', facts.gas.verification],
    ['paymaster', 'paymasterVerificationGasLimit', facts.gas.paymasterVerification],
  ] as const
  return pairs.flatMap(([entity, field, used]): Finding[] => {
    const who = whoIs(entity, facts)
    const atLeast = BigInt(used ?? 0) + validationGasSlack
    if (who === undefined || used === undefined || limits[field] >= atLeast) return []
    return [
      {
        ...{ ...who, rule: 'LIM-030', did: `used ${used} gas of a ${field} of ${limits[field]}` },
        hint: `${field} must be at least ${validationGasSlack} above what is used`,
        ...{ liftedBy: undefined, needs: { path: `params[0].${field}`, atLeast } },
      },
    ]
  })
}

function checkSize(facts: OperationFacts, limits: Limits, options: RuleOptions): readonly Finding[] {
  const isAccountTrusted = hasStake('account', options) || hasStake('factory', options)
  const pairs = [
    ['account', 'verificationGasLimit', isAccountTrusted],
    ['paymaster', 'paymasterVerificationGasLimit', hasStake('paymaster', options)],
  ] as const
  return pairs.flatMap(([entity, field, isTrusted]): Finding[] => {
    const who = whoIs(entity, facts)
    if (who === undefined || isTrusted || limits[field] < mostUnstakedVerificationGas) return []
    return [
      {
        ...{ ...who, rule: 'LIM-060', did: `may use ${limits[field]} gas for verification` },
        hint: `${field} of unstaked entities must be lower than ${mostUnstakedVerificationGas}`,
        liftedBy: who,
      },
    ]
  })
}
