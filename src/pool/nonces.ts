import { numberToHex } from 'viem'
import { InvalidParams, TandemError } from '../base/errors.ts'
import { nonceKey, nonceSequence, type UserOperation } from '../types/userop.ts'

/** -32500: used up on chain while it was validated. */
export class NonceUsed extends TandemError {
  override readonly name = 'NonceUsed'
  constructor({ sender, nonce }: UserOperation, next: bigint) {
    super(-32500, 'AA25 invalid account nonce', {
      aaCode: 'AA25',
      entity: 'account',
      address: sender,
      nextNonce: nonceOf(nonce, next),
      hint: 'another operation with this nonce was included',
    })
  }
}

/** -32602 with the nonces that would do. */
export class NonceGapTooWide extends InvalidParams {
  constructor({ nonce }: UserOperation, { frontier, maxGap }: { frontier: bigint; maxGap: number }) {
    super(`the nonce is more than ${maxGap} ahead of its turn`, {
      path: 'params[0].nonce',
      nextNonce: nonceOf(nonce, frontier),
      furthestNonce: nonceOf(nonce, frontier + BigInt(maxGap)),
      hint: 'send the operations with the earlier nonces first',
    })
  }
}

/**
 * @param next the next sequence on chain
 * @throws NonceUsed
 */
export function requireUnused(op: UserOperation, next: bigint): void {
  if (nonceSequence(op.nonce) < next) throw new NonceUsed(op, next)
}

/**
 * @param frontier the first sequence that is neither used nor in the pool
 * @throws NonceGapTooWide
 */
export function requireNear(op: UserOperation, frontier: bigint, maxGap: number): void {
  if (nonceSequence(op.nonce) > frontier + BigInt(maxGap)) throw new NonceGapTooWide(op, { frontier, maxGap })
}

const nonceOf = (nonce: bigint, sequence: bigint) => numberToHex((nonceKey(nonce) << 64n) | sequence)
