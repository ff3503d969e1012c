import { keccak256 } from 'viem'
import { describe, toWire } from '../../base/errors.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { CheckBundleJob } from '../../types/ports/simulator.ts'
import type { UserOperation } from '../../types/userop.ts'
import type { BundleVerdict } from '../../types/verdict.ts'
import { type Asked, partiesOf } from '../rules/judge-rules.ts'
import { checkCodes } from '../rules/later-rules.ts'
import { rejectionOfFinding } from '../rules/rejection.ts'
import { codeAt } from './codes-met.ts'

/**
 * COD-010 of a bundle that is not run in our own EVM: the code of all that its operations used is read again. The
 * EntryPoint's word on the bundle is another's to ask for.
 */
export async function checkCodesAtNode(
  { ops, scopes = [], block }: Pick<CheckBundleJob, 'ops' | 'scopes' | 'block'>,
  { required }: Pick<Asked, 'required'>,
  { node }: { node: NodeClient },
): Promise<BundleVerdict> {
  const read = codeAt(node, block)
  const hashes = new Map<Word, Promise<Word>>()
  try {
    const findings = await Promise.all(ops.map((op, index) => findingOf(op, index)))
    const index = findings.findIndex((finding) => finding !== undefined)
    const finding = findings[index]
    if (finding === undefined) return { kind: 'passes', authorizations: [] }
    return { kind: 'fails', index, error: toWire(rejectionOfFinding(finding, required)) }
  } catch (error) {
    return { kind: 'unknown', cause: describe(error) }
  }

  async function findingOf(op: UserOperation, index: number) {
    const scope = scopes[index]
    if (scope === undefined) return undefined
    const parties = partiesOf(op)
    const addresses = scope.codes.map(({ address }) => BigInt(address))
    const codes = await Promise.all(
      addresses
        .filter((address) => address !== parties.account || hasItsCode(op))
        .map(async (address) => ({ address, hash: await hashOf(address), delegate: undefined })),
    )
    return checkCodes(scope, { parties, phases: [], codes })[0]
  }

  /** Operations share most of what they use. */
  function hashOf(address: Word): Promise<Word> {
    const hash =
      hashes.get(address) ??
      read(address).then((code) => (code.length === 0 ? emptyCodeHash : BigInt(keccak256(code))))
    hashes.set(address, hash)
    return hash
  }
}

/** The account's code is there already: its own operation neither deploys it nor delegates it (EIP-7702). */
const hasItsCode = (op: UserOperation): boolean =>
  partiesOf(op).factory === undefined && op.eip7702Auth === undefined
