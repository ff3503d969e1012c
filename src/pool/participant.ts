import type { Address } from 'viem'
import type { EntityKind, StakeInfo } from '../types/entity.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../types/userop.ts'
import type { ValidationFacts } from '../types/verdict.ts'

/** An address however it is spelled. */
export type AddressId = Lowercase<string>
export const idOf = (address: Address): AddressId => address.toLowerCase() as AddressId

/** Somebody who takes part in an operation: its account, or an entity that helps it (ERC-7562). */
export type Participant = { kind: Exclude<EntityKind, 'aggregator'>; address: Address; id: AddressId }

const participant = (kind: Participant['kind'], address: Address | undefined): Participant[] =>
  address === undefined ? [] : [{ kind, address, id: idOf(address) }]

export const accountIn = (op: UserOperation): Participant => ({
  kind: 'account',
  address: op.sender,
  id: idOf(op.sender),
})

/** Factory and paymaster, where there are any. */
export function helpersIn(op: UserOperation): readonly Participant[] {
  return [...participant('factory', factoryOf(op)), ...participant('paymaster', paymasterOf(op))]
}

/** Contracts in which it uses storage that others may change, if they are accounts (STO-041). */
export const associatedIn = ({ scope }: ValidationFacts): readonly AddressId[] =>
  (scope?.associated ?? []).map(idOf)

/** The stake of `kind`, as validation found it. */
export function stakeOf(kind: Participant['kind'], facts: ValidationFacts): StakeInfo | undefined {
  return kind === 'account' ? facts.sender : facts[kind]
}
