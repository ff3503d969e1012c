import { numberToHex } from 'viem'
import type { ErrorWire } from '../base/errors.ts'
import type { OperationState } from '../types/status.ts'
import type { Entry } from './entry.ts'
import type { PoolSettings } from './settings.ts'
import { Sorted } from './sorted.ts'

type Ending = { at: number; state: Extract<OperationState, { kind: 'dropped' | 'expired' }> }

/** When a waiting operation has to leave, in ms since 1970, and why. */
export function endingOf(entry: Entry, settings: Pick<PoolSettings, 'maxPoolAge' | 'useropsTTL'>): Ending {
  const { validUntil } = entry.facts
  const endings: Ending[] = [
    {
      at: entry.receivedAt + settings.maxPoolAge * 1000,
      state: { kind: 'dropped', reason: droppedFor(`waited longer than ${settings.maxPoolAge} s`) },
    },
  ]
  if (entry.state.kind === 'queued') {
    endings.push({
      at: entry.queuedAt + settings.useropsTTL * 1000,
      state: { kind: 'dropped', reason: droppedFor('nonce gap') },
    })
  }
  if (validUntil !== undefined) {
    const reason = { code: -32503, message: 'expired', data: { validUntil: numberToHex(validUntil) } }
    endings.push({ at: validUntil * 1000, state: { kind: 'expired', reason } })
  }
  return endings.reduce((first, other) => (other.at < first.at ? other : first))
}

/** The reason of a drop that no rule of the protocol asks for. */
export const droppedFor = (message: string): ErrorWire => ({ code: -32000, message })

/** Waiting operations by when they have to leave. */
export class Deadlines {
  readonly #at = new Map<Entry, number>()
  readonly #sorted = new Sorted<Entry>(
    (a, b) => (this.#at.get(b) ?? 0) - (this.#at.get(a) ?? 0) || b.arrival - a.arrival,
  )

  constructor(readonly settings: Pick<PoolSettings, 'maxPoolAge' | 'useropsTTL'>) {}

  /** Also when something changed that the deadline depends on. */
  set(entry: Entry): void {
    this.delete(entry)
    this.#at.set(entry, endingOf(entry, this.settings).at)
    this.#sorted.insert(entry)
  }

  delete(entry: Entry): void {
    if (!this.#at.has(entry)) return
    this.#sorted.delete(entry)
    this.#at.delete(entry)
  }

  /** Those whose time is up. */
  due(now: number): Entry[] {
    const due: Entry[] = []
    for (const entry of this.#sorted.descending()) {
      if ((this.#at.get(entry) ?? 0) > now) break
      due.push(entry)
    }
    return due
  }
}
