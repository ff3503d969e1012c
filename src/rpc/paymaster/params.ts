import { Type } from '@sinclair/typebox'
import type { Json } from '../../base/errors.ts'
import { readContext } from '../../paymaster/sponsor/context.ts'
import type { SponsorRequest } from '../../types/ports/paymaster.ts'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import type { PaymasterCall } from './method.ts'

/** Read where the chain and the key are looked for, in whatever form. */
export const ChainIdParam = Type.Optional(
  Type.Unknown({ description: 'chain id: a number, its decimal or its hex text' }),
)
export const ApiKeyParam = Type.Optional(Type.Unknown({ description: 'API key' }))
/** Checked by `readContext`. */
export const ContextParam = Type.Optional(
  Type.Unknown({
    description: 'how the operation is paid for: {mode, token, policyId, validAfter, validUntil}',
  }),
)

/** The request of a method that has an operation, an EntryPoint and a context. */
export function sponsorRequest(
  given: { userOperation: unknown; entryPoint: string; context?: unknown },
  { caller, paymaster, useVp }: PaymasterCall,
): SponsorRequest {
  const version = servedVersion(given.entryPoint, paymaster, 'params[1]')
  const op = parseUserOperation(given.userOperation, version, 'partial')
  return { caller, op, context: readContext(given.context as Json | undefined), useVp }
}
