import type { Json } from '../../base/errors.ts'
import { WorkQueue } from '../../base/queue.ts'
import { PaymasterError } from '../../paymaster/paymaster-error.ts'
import type { Bill } from '../metering/bill.ts'
import type { Metering } from '../metering/metering.ts'
import { paymasterOf } from './chain.ts'
import { readCredentials, type Sources } from './credentials.ts'
import type { PaymasterMethod } from './method.ts'
import { withNodeTrouble } from './node-trouble.ts'
import type { PaymasterService } from './service.ts'

export type PaymasterRequest = {
  sources: Omit<Sources, 'params'>
  /** Of the address, where that names a chain: the call may name no other. */
  chainId: number | undefined
  bill: Bill
}

/** Runs a method for whoever has the key. @throws PaymasterError, InvalidParams, LimitExceeded, Unavailable */
export type PaymasterPerform = (
  method: PaymasterMethod,
  params: readonly unknown[],
  request: PaymasterRequest,
) => Promise<Json>

/** At most so many at once: enough to keep the simulators at work, few beside what is being sent. */
const concurrency = 32
/** So many more may wait: at some 20 ms each they are through in well under a second. */
const waiting = 512
/** ms */
const retryAfterMs = 1000

export function createPaymasterPerform({
  service,
  metering,
}: {
  service: PaymasterService
  metering: Metering
}): PaymasterPerform {
  const budget = new WorkQueue({ concurrency, capacity: waiting, retryAfterMs })

  return async (method, params, { sources, chainId: ofAddress, bill }) => {
    const { apiKey, chainId, useVp } = readCredentials({ ...sources, params }, method.positions)
    return metering({ apiKey, scope: 'sponsor', price: method.price, bill }, async (caller) => {
      if (chainId !== undefined && ofAddress !== undefined && chainId !== ofAddress)
        throw new PaymasterError(
          'invalid',
          'invalid_chain_id',
          `Invalid chainId: this address is for chain ${ofAddress}`,
        )
      const paymaster = paymasterOf(service.paymasters, chainId ?? ofAddress)
      return withNodeTrouble(budget.run(async () => method.run(params, { caller, paymaster, useVp })))
    })
  }
}
