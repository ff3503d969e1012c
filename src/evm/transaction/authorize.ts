import { delegateOf, designatorOf } from '../delegation.ts'
import type { ChainRules } from '../environment.ts'
import { lastNonce } from '../limits.ts'
import type { State } from '../state/state.ts'
import { emptyCodeHash } from '../word.ts'
import { authorizationGas } from './intrinsic-gas.ts'
import type { Authorization } from './transaction.ts'

/** gas of an authorization whose account exists (EIP-7702) */
const existingAccountGas = 12_500

const noCode = new Uint8Array()

/** Makes an account delegate, if its owner may want that; else nothing happens (EIP-7702). */
export function authorize(authorization: Authorization, state: State, chain: ChainRules): void {
  const { chainId, delegate, nonce, authority } = authorization
  if (chainId !== 0n && chainId !== chain.chainId) return
  if (authority === undefined || nonce >= lastNonce) return
  state.warmAddress(authority)
  const code = state.code(authority)
  if (code.length > 0 && delegateOf(code) === undefined) return
  if (state.nonce(authority) !== nonce) return
  if (!state.isEmpty(authority)) state.addRefund(authorizationGas - existingAccountGas)
  const designator = delegate === 0n ? noCode : designatorOf(delegate)
  state.setCode(authority, designator, delegate === 0n ? emptyCodeHash : chain.keccak(designator))
  state.setNonce(authority, nonce + 1n)
}
