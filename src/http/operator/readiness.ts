import { type Static, Type } from '@sinclair/typebox'
import type { ServiceReadiness } from '../../types/ports/operator.ts'

const part = { ready: Type.Boolean(), missing: Type.Array(Type.String()) }

/** `GET /ready` of the operator's listener: 200 when nothing is missing, else 503. */
export const readinessSchema = Type.Object({
  ...part,
  chains: Type.Array(Type.Object({ chainId: Type.Integer(), ...part })),
})

export function formatReadiness({
  ready,
  missing,
  chains,
}: ServiceReadiness): Static<typeof readinessSchema> {
  return {
    ready,
    missing: [...missing],
    chains: chains.map((chain) => ({ ...chain, missing: [...chain.missing] })),
  }
}
