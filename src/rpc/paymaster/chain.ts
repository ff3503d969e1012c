import { PaymasterError } from '../../paymaster/paymaster-error.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'

/**
 * The paymaster of the chain that a call names; where there is only one chain, it need not be named.
 * @throws PaymasterError 400
 */
export function paymasterOf(
  paymasters: ReadonlyMap<number, PaymasterPort>,
  chainId: number | undefined,
): PaymasterPort {
  if (chainId === undefined && paymasters.size !== 1)
    throw new PaymasterError('invalid', 'invalid_chain_id', 'Invalid chainId', {
      served: [...paymasters.keys()],
    })
  const [only] = paymasters.values()
  const paymaster = chainId === undefined ? only : paymasters.get(chainId)
  if (paymaster === undefined)
    throw new PaymasterError('invalid', 'unsupported_network', 'Unsupported network', {
      served: [...paymasters.keys()],
    })
  return paymaster
}
