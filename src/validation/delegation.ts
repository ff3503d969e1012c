import { type Address, type Hex, isAddressEqual, numberToHex, size, slice } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import { InvalidParams, TandemError } from '../base/errors.ts'
import type { StateOverrides } from '../types/ports/simulator.ts'
import { eip7702Factory, type UserOperation } from '../types/userop.ts'
import type { Authority, ChainView } from './chain-view.ts'
import { delegationOverride, mergeOverrides } from './overrides.ts'
import { blame } from './rejection.ts'

/** EIP-7702: how the code of a delegated account begins; the delegate's address follows. */
const designatorPrefix = '0xef0100'

const path = 'params[0].eip7702Auth'

/** The code that the senders will have once the bundle transaction has applied their authorizations. */
export function delegationOverrides(ops: readonly UserOperation[]): StateOverrides {
  return mergeOverrides(
    ...ops.map(({ sender, eip7702Auth }) =>
      eip7702Auth === undefined ? undefined : delegationOverride(sender, eip7702Auth.address),
    ),
  )
}

/**
 * That the authorization would be applied, or that none is needed (EIP-7702). Asks in the caller's tick.
 * @throws InvalidParams for a tuple that can never be; TandemError -32500 for one that this state does not take
 */
export async function checkDelegation(op: UserOperation, view: AuthorityView): Promise<void> {
  await Promise.all([checkDelegationToSign(op, view), checkSigned(op)])
}

/** The same for an estimate, where the tuple counts as signed: a wallet signs it after it knows the gas (ERC-7769). */
export async function checkDelegationToSign(op: UserOperation, view: AuthorityView): Promise<void> {
  if (op.eip7702Auth === undefined && op.factory !== eip7702Factory) return
  checkChain(op, view.chainId)
  await delegationOf(op, view)
}

type AuthorityView = Pick<ChainView, 'chainId' | 'authority'>

/** @throws as `delegationIn`; Unavailable */
export async function delegationOf(
  op: UserOperation,
  view: Pick<ChainView, 'authority'>,
): Promise<'none' | 'to-apply' | 'applied'> {
  return delegationIn(op, await view.authority(op.sender))
}

/**
 * What the state says to an operation's authorization: `to-apply` by its transaction, or `applied` when the sender has
 * that very code already and the authorization, used up or not, is not needed; `none` where the operation has none.
 * @throws TandemError -32500 when its transaction would leave the sender without the code that it was judged with
 */
function delegationIn(op: UserOperation, { code, nonce }: Authority): 'none' | 'to-apply' | 'applied' {
  const delegate = delegateIn(code)
  if (op.eip7702Auth === undefined) {
    if (delegate === undefined) throw refused(op, `the sender ${op.sender} is not delegated (EIP-7702)`)
    return 'none'
  }
  if (delegate !== undefined && isAddressEqual(delegate, op.eip7702Auth.address)) return 'applied'
  if (code !== '0x' && delegate === undefined)
    throw refused(op, `the sender ${op.sender} is a contract: it takes no EIP-7702 authorization`)
  if (nonce !== BigInt(op.eip7702Auth.nonce)) {
    throw refused(op, `eip7702Auth.nonce is ${op.eip7702Auth.nonce}, the account's nonce is ${nonce}`)
  }
  return 'to-apply'
}

function delegateIn(code: Hex): Address | undefined {
  return code.toLowerCase().startsWith(designatorPrefix) && size(code) === 23 ? slice(code, 3) : undefined
}

function checkChain({ eip7702Auth }: UserOperation, chainId: number): void {
  if (eip7702Auth === undefined || eip7702Auth.chainId === 0 || eip7702Auth.chainId === chainId) return
  throw new InvalidParams(`eip7702Auth.chainId must be ${chainId} or 0`, { path: `${path}.chainId` })
}

/** Half the order of secp256k1: of the two signatures that anybody can make of one, EIP-7702 takes the lower s (EIP-2). */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

async function checkSigned({ sender, eip7702Auth }: UserOperation): Promise<void> {
  if (eip7702Auth === undefined) return
  if (BigInt(eip7702Auth.s) > highestS)
    throw new InvalidParams('eip7702Auth.s is too high: no chain applies the authorization (EIP-7702)', {
      path: `${path}.s`,
      atMost: numberToHex(highestS),
    })
  const authority = await authorityOf(eip7702Auth)
  if (authority === undefined || !isAddressEqual(authority, sender)) {
    throw new InvalidParams(`eip7702Auth is not signed by the sender ${sender}`, { path })
  }
}

async function authorityOf(
  authorization: NonNullable<UserOperation['eip7702Auth']>,
): Promise<Address | undefined> {
  try {
    return await recoverAuthorizationAddress({ authorization })
  } catch {
    return undefined
  }
}

function refused(op: UserOperation, message: string): TandemError {
  return new TandemError(-32500, message, blame(op, 'account'))
}
