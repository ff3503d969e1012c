import type { Static } from '@sinclair/typebox'
import type {
  BrokenRule,
  CallNode,
  Explanation,
  HandledOperation,
  PhaseGas,
  TouchedSlot,
} from '../../types/explanation.ts'
import type { Verdict } from '../../types/verdict.ts'
import { publicReason } from '../public-error.ts'
import type { CallSchema, ExplanationSchema, SlotSchema } from './explanation-schema.ts'
import { quantity } from './wire.ts'

type Explained = Static<typeof ExplanationSchema>

/** The result of `bundler_explainUserOperation`, whose verdict is known. */
export function formatExplanation({ verdict, findings, handled }: Explanation): Explained {
  return {
    ...formatVerdict(verdict),
    gas: { ...gasOf(verdict), ...(handled === undefined ? {} : gasOfRun(handled)) },
    findings: findings.map(formatFinding),
    ...(handled === undefined ? {} : formatHandled(handled)),
  }
}

function formatVerdict(
  verdict: Verdict,
): Pick<Explained, 'verdict' | 'error' | 'validationLevel' | 'block' | 'validAfter' | 'validUntil'> {
  if (verdict.kind === 'rejected') return { verdict: 'rejected', error: publicReason(verdict.error) }
  if (verdict.kind === 'unknown') return { verdict: 'unknown' }
  const { level, block, validAfter, validUntil } = verdict.facts
  return {
    verdict: 'accepted',
    validationLevel: level,
    block: { number: quantity(block.number), hash: block.hash },
    ...(validAfter === undefined ? {} : { validAfter: quantity(validAfter) }),
    ...(validUntil === undefined ? {} : { validUntil: quantity(validUntil) }),
  }
}

function gasOf(verdict: Verdict): Explained['gas'] {
  if (verdict.kind !== 'accepted') return {}
  return { preOpGas: quantity(verdict.facts.preOpGas), prefund: quantity(verdict.facts.prefund) }
}

function gasOfRun({
  verificationGas,
  paymasterVerificationGas,
  gasUsed,
}: HandledOperation): Explained['gas'] {
  return {
    ...(verificationGas === undefined ? {} : { verification: quantity(verificationGas) }),
    ...(paymasterVerificationGas === undefined
      ? {}
      : { paymasterVerification: quantity(paymasterVerificationGas) }),
    handleOps: quantity(gasUsed),
  }
}

function formatFinding(finding: BrokenRule): Explained['findings'][number] {
  const { opcode, slot, contract, liftedBy, isLifted, ...rule } = finding
  return {
    ...rule,
    ...(opcode === undefined ? {} : { opcode }),
    ...(slot === undefined ? {} : { slot }),
    ...(contract === undefined ? {} : { contract }),
    ...(liftedBy === undefined ? {} : { liftedBy }),
    lifted: isLifted,
  }
}

function formatHandled({
  phases,
  calls,
  callsLeftOut,
  storage,
}: HandledOperation): Pick<Explained, 'phases' | 'calls' | 'callsLeftOut' | 'storage'> {
  return {
    phases: phases.map(formatPhase),
    calls: formatCall(calls),
    ...(callsLeftOut === 0 ? {} : { callsLeftOut }),
    storage: storage.map(formatSlot),
  }
}

function formatPhase({ phase, succeeded, gasUsed, leastGas, limit }: PhaseGas) {
  return {
    ...{ phase, success: succeeded },
    ...{ gasUsed: quantity(gasUsed), leastGas: quantity(leastGas), limit: quantity(limit) },
  }
}

function formatCall(call: CallNode): Static<typeof CallSchema> {
  const { phase, from, to, value, decoded, input, output, inputSize, outputSize } = call
  const error = call.revert ?? call.reason
  return {
    type: call.kind.toUpperCase(),
    ...(phase === undefined ? {} : { phase }),
    ...{ from, to },
    ...(value === 0n ? {} : { value: quantity(value) }),
    ...{ gas: quantity(call.gas), gasUsed: quantity(call.gasUsed) },
    ...(decoded === undefined ? {} : { function: decoded.name }),
    ...(decoded?.args === undefined ? {} : { args: [...decoded.args] }),
    input,
    ...(isCut(input, inputSize) ? { inputSize } : {}),
    output,
    ...(isCut(output, outputSize) ? { outputSize } : {}),
    ...(error === undefined ? {} : { error }),
    ...(call.calls.length === 0 ? {} : { calls: call.calls.map(formatCall) }),
  }
}

const isCut = (told: string, size: number): boolean => told.length < 2 + 2 * size

function formatSlot(used: TouchedSlot): Static<typeof SlotSchema> {
  const { contract, slot, isRead, isWritten, isTransient, phases, before, after } = used
  return {
    ...{ contract, slot },
    access: isRead ? (isWritten ? 'read, write' : 'read') : 'write',
    phases: [...phases],
    ...(isTransient ? { transient: true } : { before, after }),
  }
}
