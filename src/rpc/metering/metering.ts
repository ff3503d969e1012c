import { LimitExceeded, TandemError, Unavailable } from '../../base/errors.ts'
import type { Tenants } from '../../paymaster/tenants/tenants.ts'
import type { Caller, Scope } from '../../types/paymaster/tenant.ts'
import type { Meter } from '../../types/ports/meter.ts'
import type { Bill } from './bill.ts'

/** Whose call it is, and what it costs. */
export type Terms = {
  apiKey: string | undefined
  /** What the key must have been made for; `undefined`: any key will do. */
  scope: Scope | undefined
  /** credits */
  price: number
  bill: Bill
}

/**
 * Authenticates, charges, then works. What fails by a fault of ours (trouble, or no place in a queue) costs nothing.
 * @throws PaymasterError 401, LimitExceeded when the credits are spent
 */
export type Metering = <Result>(terms: Terms, work: (caller: Caller) => Promise<Result>) => Promise<Result>

export function createMetering({
  tenants,
  meter,
}: {
  tenants: Pick<Tenants, 'authenticate'>
  meter: Meter
}): Metering {
  return async ({ apiKey, scope, price, bill }, work) => {
    const caller = await tenants.authenticate(apiKey, scope)
    try {
      bill.add(meter.charge(caller.key, price))
    } catch (error) {
      bill.add({ cost: 0, remaining: meter.remaining(caller.key) })
      throw error
    }
    try {
      return await work(caller)
    } catch (error) {
      if (isOurFault(error)) {
        meter.refund(caller.key, price)
        bill.takeBack(price)
      }
      throw error
    }
  }
}

function isOurFault(error: unknown): boolean {
  return !(error instanceof TandemError) || error instanceof Unavailable || error instanceof LimitExceeded
}
