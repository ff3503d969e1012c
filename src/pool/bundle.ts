import type { ReputationStatus, SelectOptions } from '../types/ports/pool.ts'
import type { Held } from './held.ts'
import { type AddressId, associatedIn, type Participant } from './participant.ts'

/** ERC-7562, THROTTLED_ENTITY_BUNDLE_COUNT */
const throttledBundleCount = 4
/** bytes that all paymasters of a bundle may return (ERC-7562 LIM-050, MAX_BUNDLE_CONTEXT_SIZE) */
const mostContextBytes = 65_536

/** Why an operation may not join a bundle: it never can as things are, or this bundle is too full for it. */
export type Refusal = 'conflict' | 'full'

/** A bundle in the making. */
export type Bundle = {
  readonly operations: readonly Held[]
  has(sender: AddressId): boolean
  /** Alone in a bundle it would keep the caps, and nobody is banned. */
  couldHold(held: Held): boolean
  /** Takes `held` in, or says what is against it. */
  add(held: Held): Refusal | undefined
}

export function createBundle(
  {
    gasOf,
    maxGas,
    maxBytes,
    maxOperations,
  }: Pick<SelectOptions, 'gasOf' | 'maxGas' | 'maxBytes' | 'maxOperations'>,
  statusOf: (participant: Participant) => ReputationStatus,
): Bundle {
  const operations: Held[] = []
  const senders = new Set<AddressId>()
  const helpers = new Set<AddressId>()
  const stores = new Set<AddressId>()
  const throttled = new Map<AddressId, number>()
  let taken = 0n
  let reserve = 0n
  let bytes = 0
  let contextBytes = 0

  return {
    operations,
    has: (sender) => senders.has(sender),
    couldHold,
    add(held) {
      if (!couldHold(held) || mixesRoles(held) || sharesStorage(held)) return 'conflict'
      const limited = participantsOf(held).filter((participant) => statusOf(participant) === 'throttled')
      if (limited.some(({ id }) => (throttled.get(id) ?? 0) >= throttledBundleCount)) return 'conflict'
      const gas = gasOf(held.op)
      const largest = gas.reserve > reserve ? gas.reserve : reserve
      const context = held.entry.facts.scope?.contextSize ?? 0
      const fits =
        taken + gas.taken + largest <= maxGas &&
        bytes + held.bytes <= maxBytes &&
        contextBytes + context <= mostContextBytes
      if (operations.length >= maxOperations || !fits) return 'full'
      for (const { id } of limited) throttled.set(id, (throttled.get(id) ?? 0) + 1)
      senders.add(held.account.id)
      for (const { id } of held.helpers) helpers.add(id)
      for (const id of associatedIn(held.entry.facts)) stores.add(id)
      contextBytes += context
      taken += gas.taken
      reserve = largest
      bytes += held.bytes
      operations.push(held)
      return undefined
    },
  }

  function couldHold(held: Held): boolean {
    const alone = gasOf(held.op)
    if (alone.taken + alone.reserve > maxGas || held.bytes > maxBytes) return false
    return participantsOf(held).every((participant) => statusOf(participant) !== 'banned')
  }

  /** The account of one is an entity of another (STO-040): the one could change what the other relies on. */
  function mixesRoles(held: Held): boolean {
    return helpers.has(held.account.id) || held.helpers.some(({ id }) => senders.has(id))
  }

  /** One relies on storage in the account of another (STO-041). */
  function sharesStorage(held: Held): boolean {
    return stores.has(held.account.id) || associatedIn(held.entry.facts).some((id) => senders.has(id))
  }
}

const participantsOf = ({ account, helpers }: Held): readonly Participant[] => [account, ...helpers]
