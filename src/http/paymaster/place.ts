import { paymasterBase } from '../openapi/served.ts'

/** Path below the paymaster's address on the main one; `undefined` for what is elsewhere. */
export function pathBelowBase(pathname: string): string | undefined {
  const base = pathname.slice(0, paymasterBase.length).toLowerCase()
  const rest = pathname.slice(paymasterBase.length)
  return base === paymasterBase && (rest === '' || rest.startsWith('/')) ? rest : undefined
}
