import type { Held } from './held.ts'
import type { AddressId } from './participant.ts'

/** Which operations an address takes part in: as their sender, or as their factory or paymaster. */
export type Roster = {
  add(held: Held): void
  delete(held: Held): void
  /** It failed a bundle check: its fate is no longer open. */
  failed(held: Held): void
  sentBy(id: AddressId): ReadonlySet<Held>
  helpedBy(id: AddressId): ReadonlySet<Held>
  /** Operations that use storage in this contract which is associated with their account or entities. */
  storedAt(id: AddressId): ReadonlySet<Held>
  /** How many of its operations, in any part, have not been in a bundle that failed them. */
  untried(id: AddressId): number
}

const nobody: ReadonlySet<Held> = new Set()

export function createRoster(): Roster {
  const senders = new Map<AddressId, Set<Held>>()
  const helpers = new Map<AddressId, Set<Held>>()
  const stores = new Map<AddressId, Set<Held>>()
  const failures = new Map<AddressId, Set<Held>>()

  return {
    add(held) {
      enrol(senders, held.account.id, held)
      for (const { id } of held.helpers) enrol(helpers, id, held)
      for (const id of held.associated) enrol(stores, id, held)
    },
    delete(held) {
      strike(senders, held.account.id, held)
      for (const { id } of held.helpers) strike(helpers, id, held)
      for (const id of held.associated) strike(stores, id, held)
      for (const { id } of [held.account, ...held.helpers]) strike(failures, id, held)
    },
    failed(held) {
      for (const { id } of [held.account, ...held.helpers]) enrol(failures, id, held)
    },
    sentBy,
    helpedBy,
    storedAt: (id) => stores.get(id) ?? nobody,
    untried: (id) => sentBy(id).size + helpedBy(id).size - (failures.get(id)?.size ?? 0),
  }

  function sentBy(id: AddressId): ReadonlySet<Held> {
    return senders.get(id) ?? nobody
  }

  function helpedBy(id: AddressId): ReadonlySet<Held> {
    return helpers.get(id) ?? nobody
  }
}

function enrol(roles: Map<AddressId, Set<Held>>, id: AddressId, held: Held): void {
  const present = roles.get(id)
  if (present === undefined) roles.set(id, new Set([held]))
  else present.add(held)
}

function strike(roles: Map<AddressId, Set<Held>>, id: AddressId, held: Held): void {
  const present = roles.get(id)
  present?.delete(held)
  if (present?.size === 0) roles.delete(id)
}
