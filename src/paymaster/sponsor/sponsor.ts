import type { PrivateKeyAccount } from 'viem/accounts'
import type { Context } from '../../base/context.ts'
import { signedHash } from '../../contracts/paymaster/hash.ts'
import { withSignature } from '../../contracts/paymaster/terms.ts'
import type { Tenant } from '../../types/paymaster/tenant.ts'
import type { BundlerPort } from '../../types/ports/bundler.ts'
import type { PaymasterFields, PaymasterPort, SponsorRequest } from '../../types/ports/paymaster.ts'
import type { UserOperation } from '../../types/userop.ts'
import { PaymasterError } from '../paymaster-error.ts'
import type { PaymasterSettings } from '../settings.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { Admission, Order } from './admission.ts'
import type { Debtors } from './debtors.ts'
import { paymasterLimits, withPaymasterGas } from './gas.ts'
import type { Payer, PayerChoice } from './payer.ts'
import { refusalOf } from './refusal.ts'
import { termsData, windowOf } from './terms.ts'
import type { Trial } from './trial.ts'

/** Signs a hash as it is. */
export type Signer = Pick<PrivateKeyAccount, 'sign'>

export type Sponsor = Pick<PaymasterPort, 'sponsorOperation' | 'stub' | 'data'>

export function createSponsor(
  settings: Pick<PaymasterSettings, 'chainId' | 'priceMarkup'>,
  modules: Context & {
    bundler: Pick<BundlerPort, 'estimate' | 'gasPrice' | 'hash'>
    payerOf: PayerChoice
    admission: Admission
    debtors: Debtors
    trial: Trial
    tokens: Tokens
    /** A tenant's wallet, which signs for what it pays. */
    wallet: (tenant: Tenant) => Signer
    /** The operator's, for its token paymasters. */
    tokenSigner: Signer
    now: () => number
  },
): Sponsor {
  const { bundler, admission, metrics, log } = modules
  const { chainId } = settings
  const signatures = metrics.counter('paymaster_signatures_total', 'Operations that were signed for.', [
    'chain',
    'kind',
  ])
  const refusals = metrics.counter('paymaster_refusals_total', 'Operations that were not signed for.', [
    'chain',
    'reason',
  ])

  return {
    sponsorOperation: (request) =>
      counted(async () => {
        const order = await draft(await withFees(request))
        await admission.check(order)
        return signed({ ...order, op: await withEstimatedGas(order) })
      }),

    stub: (request) => counted(() => stubbed(request)),

    data: (request) =>
      counted(async () => {
        if (request.context.mode !== 'sponsor' && hasNoLimits(request.op)) return stubbed(request)
        requireGas(request.op)
        const order = await draft(request)
        await admission.check(order)
        return fieldsOf(await signed(order))
      }),
  }

  async function stubbed(request: SponsorRequest): Promise<PaymasterFields> {
    const order = await draft(request)
    await admission.check(order)
    return fieldsOf(order.op)
  }

  /** The operation with a payer, and with terms that nobody has signed. */
  async function draft(request: SponsorRequest): Promise<Order> {
    const payer = await modules.payerOf(request)
    const window = windowOf(request.context, modules.now())
    const { sender } = request.op
    if (payer.kind === 'token') modules.debtors.requireNone(sender)
    const paymasterData = await termsData(payer, window, settings, modules)
    const limits = paymasterLimits(payer.kind, request.op)
    return { payer, window, op: { ...request.op, paymaster: payer.paymaster, paymasterData, ...limits } }
  }

  /** The signature leaves only when all that could be against it has been asked, and its cost is reserved. */
  async function signed(order: Order): Promise<UserOperation> {
    const { payer, window } = order
    const signature = await signerOf(payer).sign({ hash: signedHash(order.op, chainId) })
    const op = { ...order.op, paymasterData: withSignature(order.op.paymasterData, signature) }
    const userOpHash = await bundler.hash(op)
    const [cover, trial] = await Promise.allSettled([
      admission.cover(order),
      modules.trial({ payer, op, userOpHash, window }),
    ])
    if (cover.status === 'rejected') throw cover.reason
    if (trial.status === 'rejected') throw trial.reason
    await admission.reserve(order, userOpHash, cover.value)
    signatures.inc({ chain: chainId, kind: payer.kind })
    log.info('operation sponsored', { operation: userOpHash, sender: op.sender, paymaster: payer.paymaster })
    return op
  }

  function signerOf(payer: Payer): Signer {
    return payer.kind === 'token' ? modules.tokenSigner : modules.wallet(payer.tenant)
  }

  /** What is signed has fees: the recommended ones where the caller names none. */
  async function withFees(request: SponsorRequest): Promise<SponsorRequest> {
    if (request.op.maxFeePerGas > 0n) return request
    const { maxFeePerGas, maxPriorityFeePerGas } = await bundler.gasPrice()
    return { ...request, op: { ...request.op, maxFeePerGas, maxPriorityFeePerGas } }
  }

  async function withEstimatedGas({ op, payer }: Order): Promise<UserOperation> {
    const measured = await bundler.estimate(op, undefined).catch((error) => {
      throw refusalOf(error)
    })
    const { callGasLimit, verificationGasLimit, preVerificationGas, ...own } = withPaymasterGas(
      measured,
      payer.kind,
      op,
    )
    const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = own
    return {
      ...op,
      ...{ callGasLimit, verificationGasLimit, preVerificationGas },
      ...{ paymasterVerificationGasLimit, paymasterPostOpGasLimit },
    }
  }

  async function counted<Result>(task: () => Promise<Result>): Promise<Result> {
    try {
      return await task()
    } catch (error) {
      const reason = error instanceof PaymasterError ? error.reason : 'unavailable'
      refusals.inc({ chain: chainId, reason })
      throw error
    }
  }
}

/** So permissionless asks for what it estimates with, where one client is bundler and paymaster and tokens pay. */
const hasNoLimits = ({ callGasLimit, verificationGasLimit, preVerificationGas }: UserOperation): boolean =>
  callGasLimit === 0n && verificationGasLimit === 0n && preVerificationGas === 0n

/** What is signed cannot change afterwards. */
function requireGas({ verificationGasLimit, preVerificationGas, maxFeePerGas }: UserOperation): void {
  if (verificationGasLimit > 0n && preVerificationGas > 0n && maxFeePerGas > 0n) return
  throw new PaymasterError(
    'invalid',
    'gas_missing',
    'The operation needs its gas limits and fees: they are part of what is signed',
  )
}

function fieldsOf(op: UserOperation): PaymasterFields {
  const { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = op
  return { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit }
}
