import { encodeFunctionData, type Hex } from 'viem'
import { describe, LimitExceeded, type TandemError, Unavailable } from '../base/errors.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { HeadSource, NodeClient } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { SimulatorPort } from '../types/ports/simulator.ts'
import { nonceKey, nonceSequence, type UserOperation } from '../types/userop.ts'
import type { Unknown, Verdict } from '../types/verdict.ts'

/** Attempts at a verdict before the caller hears that we could not tell. The node client has already failed over. */
const attempts = 3

/** A verdict, with the next sequence on chain that it was reached with. */
export type Judgement = { verdict: Verdict; chainSequence: bigint }

/** Validates an operation on the newest state, as if the earlier nonces of its key had been used. Never throws. */
export type Judge = (op: UserOperation, pool: PoolPort) => Promise<Judgement>

/** What a caller hears of what nobody could tell. */
export function untold({ cause, retryAfterMs }: Unknown): TandemError {
  return retryAfterMs === undefined
    ? new Unavailable(`validation: ${cause}`)
    : new LimitExceeded('limit exceeded', { retryAfterMs })
}

/** The next sequence of a nonce's key, as the EntryPoint has it now. @throws Unavailable */
export type SequenceReader = (op: UserOperation) => Promise<bigint>

export function createSequenceReader({
  node,
  heads,
}: {
  node: NodeClient
  heads: HeadSource
}): SequenceReader {
  return async (op) => {
    const { abi, address } = entryPoints[op.version]
    const data = encodeFunctionData({ abi, functionName: 'getNonce', args: [op.sender, nonceKey(op.nonce)] })
    return nonceSequence(
      BigInt(await node.requestAt<Hex>('eth_call', [{ to: address, data }], heads.current ?? 'latest')),
    )
  }
}

export function createJudge(
  { chainId }: { chainId: number },
  {
    heads,
    simulator,
    sequenceOnChain,
  }: { heads: HeadSource; simulator: Pick<SimulatorPort, 'validate'>; sequenceOnChain: SequenceReader },
): Judge {
  return async (op, pool) => {
    let judgedOn = heads.current?.hash
    let judgement = await judgeOnce(op, pool)
    for (let attempt = 1; judgement.verdict.kind !== 'accepted' && attempt < attempts; attempt++) {
      if (isCrowded(judgement.verdict)) break
      // What just happened on chain, such as the account's funding, may not be in the block that we know.
      await heads.refresh()
      if (judgement.verdict.kind === 'rejected' && heads.current?.hash === judgedOn) break
      judgedOn = heads.current?.hash
      judgement = await judgeOnce(op, pool)
    }
    return judgement
  }

  async function judgeOnce(op: UserOperation, pool: PoolPort): Promise<Judgement> {
    const own = nonceSequence(op.nonce)
    const turn = pool.turn(op.sender, op.nonce)
    if (turn.kind !== 'unknown') {
      const ahead = own > turn.sequence
      return { verdict: await validate(op, ahead ? own : undefined), chainSequence: turn.sequence }
    }
    // Most operations are next in line, and a fresh key costs no extra call; AA25 says that this one is not.
    const verdict = await validate(op, undefined)
    if (verdict.kind !== 'rejected' || verdict.error.data?.aaCode !== 'AA25')
      return { verdict, chainSequence: own }
    try {
      const chainSequence = await sequenceOnChain(op)
      if (own < chainSequence) return { verdict, chainSequence }
      return { verdict: await validate(op, own), chainSequence }
    } catch (error) {
      return { verdict: { kind: 'unknown', cause: describe(error) }, chainSequence: own }
    }
  }

  function validate(op: UserOperation, sequence: bigint | undefined): Promise<Verdict> {
    const block = heads.current
    if (block === undefined) return Promise.resolve({ kind: 'unknown', cause: 'no block is known yet' })
    return simulator.validate({ chainId, op, block, nonceSequence: sequence }).catch(unknown)
  }
}

function unknown(error: Error): Unknown {
  const cause = describe(error)
  if (!(error instanceof LimitExceeded)) return { kind: 'unknown', cause }
  return { kind: 'unknown', cause, retryAfterMs: error.retryAfterMs }
}

/** Who comes again at once makes it worse. */
const isCrowded = (verdict: Verdict): boolean =>
  verdict.kind === 'unknown' && verdict.retryAfterMs !== undefined
