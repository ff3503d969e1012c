import type { UserOperation } from '../../types/userop.ts'
import { partiesOf, ruleBrokenBy } from '../rules/judge-rules.ts'
import { mostUnstakedVerificationGas } from '../rules/limit-rules.ts'
import { stakesIn } from './entry-point-storage.ts'
import { foreseeParts } from './foresee.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'

/**
 * LIM-060 before anything runs: code that nobody vouches for by a stake does not get to run for long.
 * @throws TandemError -32505, Unavailable
 */
export async function requireVouchedLimits(
  op: UserOperation,
  chain: LocalChain,
  { view }: LocalBlock,
): Promise<void> {
  const { verificationGasLimit, paymasterVerificationGasLimit } = op
  const isModest = [verificationGasLimit, paymasterVerificationGasLimit].every(
    (limit) => limit < mostUnstakedVerificationGas,
  )
  if (isModest) return
  const { state } = chain
  const parties = partiesOf(op)
  const stakes = await state.run(
    view,
    () => ({ known: foreseeParts(op, { view, state }).known }),
    ({ source }) => stakesIn(op.version, parties, { source, entryHash: state.entryHash }),
  )
  const gas = { verification: undefined, paymasterVerification: undefined }
  const facts = { parties, phases: [], hashed: [], codes: [], contextSize: 0, gas }
  const refusal = ruleBrokenBy(op, { facts, stakes }, chain)
  if (refusal !== undefined) throw refusal
}
