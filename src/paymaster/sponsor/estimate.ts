import type { BundlerPort } from '../../types/ports/bundler.ts'
import type { UserOperation } from '../../types/userop.ts'
import type { PaymasterSettings } from '../settings.ts'
import { withPaymasterGas } from './gas.ts'
import type { Payer } from './payer.ts'

/**
 * The bundler's estimate for callers, with the real cost of the operator's paymasters where an operation has a stub of
 * theirs: a wallet of 0.6 has nothing else to know it from (ERC-7677).
 */
export function estimateWithPaymasters(
  settings: Pick<PaymasterSettings, 'sponsorPaymaster' | 'tokenPaymasters'>,
  { estimate }: Pick<BundlerPort, 'estimate'>,
): BundlerPort['estimate'] {
  return async (op, overrides) => {
    const estimated = await estimate(op, overrides)
    const kind = kindOf(op)
    return kind === undefined ? estimated : withPaymasterGas(estimated, kind, op)
  }

  function kindOf({ paymaster, version }: UserOperation): Payer['kind'] | undefined {
    if (paymaster === undefined) return undefined
    if (version === '0.6' && paymaster === settings.sponsorPaymaster) return 'sponsor'
    return paymaster === settings.tokenPaymasters[version] ? 'token' : undefined
  }
}
