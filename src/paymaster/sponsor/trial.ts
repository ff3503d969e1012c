import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hash,
  type Hex,
  parseAbi,
  size,
} from 'viem'
import { type ErrorWire, fromWire, Unavailable } from '../../base/errors.ts'
import { abi } from '../../contracts/paymaster/artifacts/VerifyingPaymaster06.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { ValidityWindow } from '../../types/paymaster/context.ts'
import type { HeadSource, NodeClient, ReadAt } from '../../types/ports/chain.ts'
import { nonceSequence, type UserOperation } from '../../types/userop.ts'
import { requiredPrefund } from '../../types/userop-cost.ts'
import { pack06 } from '../../types/userop-pack.ts'
import type { Verdict } from '../../types/verdict.ts'
import { requireAuthorized } from '../../validation/acceptance.ts'
import { delegationOverrides } from '../../validation/delegation.ts'
import { signedSomehow } from '../../validation/estimate/completed.ts'
import { ethCall } from '../../validation/eth-call.ts'
import { mergeOverrides } from '../../validation/overrides.ts'
import { rejectionOf } from '../../validation/rejection.ts'
import {
  readHandling,
  simulateHandleOpCall,
  simulationOverride,
  tellsPaymasterApart,
} from '../../validation/simulation.ts'
import { sequenceOverride } from '../../validation/validate.ts'
import { parseValidationData } from '../../validation/validation-data.ts'
import { PaymasterError } from '../paymaster-error.ts'
import type { Payer } from './payer.ts'
import { refusalOf } from './refusal.ts'

/** What the EntryPoint will say to an operation once its account has signed. */
export type Rehearse = (op: UserOperation) => Promise<Verdict>

/** An operation with the paymaster's real signature, before that has left us. */
export type Signed = { payer: Payer; op: UserOperation; userOpHash: Hash; window: ValidityWindow }

/**
 * Runs it on the newest state. @throws PaymasterError when it would fail for anything but the account's signature, or
 * when a token would not be paid; Unavailable
 */
export type Trial = (signed: Signed) => Promise<void>

export function createTrial(modules: {
  rehearse: Rehearse
  node: NodeClient
  heads: Pick<HeadSource, 'current' | 'refresh'>
}): Trial {
  const { rehearse, node, heads } = modules

  return async (signed) => {
    const before = heads.current?.hash
    try {
      await run(signed)
    } catch (error) {
      if (error instanceof Unavailable) throw error
      // What just happened on chain, such as a deposit or a transfer, may not be in the block that we know.
      await heads.refresh()
      if (heads.current?.hash === before) throw refusalOf(error)
      await run(signed).catch((again) => {
        throw refusalOf(again)
      })
    }
  }

  /** All at once; of several faults the first one counts. */
  async function run(unsigned: Signed): Promise<void> {
    const signed = { ...unsigned, op: signedSomehow(unsigned.op) }
    const at = heads.current ?? 'latest'
    const outcomes = await Promise.allSettled([
      requireValid(signed),
      tellsPaymasterApart(signed.op.version) ? undefined : requireAccepted(signed, at),
      signed.payer.kind === 'token' ? requirePaid(signed.op, signed.payer, at) : undefined,
    ])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  async function requireValid({ op, window }: Signed): Promise<void> {
    const verdict = await rehearse(op)
    if (verdict.kind === 'unknown') throw new Unavailable(`simulation: ${verdict.cause}`)
    if (verdict.kind !== 'rejected') return
    if (!isTooEarly(verdict.error, window) && !isOwnRule(verdict.error)) throw fromWire(verdict.error)
  }

  /** The caller wants a window that begins later. */
  function isTooEarly({ code, data }: ErrorWire, window: ValidityWindow): boolean {
    const { timestamp = 0 } = heads.current ?? {}
    return code === notInTime && data?.aaCode === 'AA32' && timestamp < window.validAfter
  }

  /**
   * A rule of ERC-7562 that our own paymaster is told to break: it is not staked yet. Its sponsor may mend that before
   * the operation is sent, and a bundler of its own may not ask for it.
   */
  function isOwnRule({ data }: ErrorWire): boolean {
    return data?.entity === 'paymaster' && data.rule !== undefined
  }

  /** In 0.6 the account's failed signature hides the paymaster's, so the paymaster is asked itself. */
  async function requireAccepted({ op, payer, userOpHash }: Signed, at: ReadAt): Promise<void> {
    const args = [pack06(op), userOpHash, requiredPrefund(op)] as const
    const data = encodeFunctionData({ abi, functionName, args })
    const request = { from: entryPoints[op.version].address, to: payer.paymaster, data }
    const outcome = await ethCall(node, request, at)
    if (outcome.kind === 'reverted')
      throw rejectionOf(op, { reason: 'AA33 reverted', inner: outcome.data, raw: outcome.data })
    const [, validationData] = decodeFunctionResult({ abi, functionName, data: outcome.data })
    requireAuthorized(op, 'paymaster', parseValidationData(validationData))
  }

  /** Calls and postOp are run: a sender that cannot pay then would leave us with the cost. */
  async function requirePaid(
    op: UserOperation,
    { paymaster, token }: Extract<Payer, { kind: 'token' }>,
    at: ReadAt,
  ): Promise<void> {
    const held = { to: token.address, data: balanceOf(paymaster) }
    const overrides = mergeOverrides(
      simulationOverride(op.version),
      delegationOverrides([op]),
      // Whether it is the operation's turn is the verdict's question.
      sequenceOverride({ op, nonceSequence: nonceSequence(op.nonce) }),
    )
    const [before, handled] = await Promise.all([
      ethCall(node, held, at),
      ethCall(node, simulateHandleOpCall(op, held), at, overrides),
    ])
    const { returned } = readHandling(op, handled)
    if (amountIn(returned) > amountIn(before.data)) return
    throw new PaymasterError(
      'refused',
      'token_not_paid',
      `Sender cannot pay: its ${token.symbol} balance, or the allowance for ${paymaster}, is too low`,
    )
  }
}

/** of the error table */
const notInTime = -32503
const functionName = 'validatePaymasterUserOp'

/** What is no amount is nothing. */
const amountIn = (bytes: Hex): bigint => (size(bytes) === 32 ? BigInt(bytes) : 0n)

const erc20 = parseAbi(['function balanceOf(address account) view returns (uint256)'])
const balanceOf = (account: Address): Hex =>
  encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [account] })
