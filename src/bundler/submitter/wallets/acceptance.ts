import type { Hash } from 'viem'
import { Unavailable } from '../../../base/errors.ts'
import { type Deferred, deferred, withDeadline } from '../../../base/queue.ts'
import type { BundleEvent, Sender } from '../../../types/ports/submitter.ts'
import { outcomeOf, type SendOutcome } from '../outcome.ts'

/** ms that a caller waits after the first sending: it is sent again three times, a second apart, then at each head. */
const deadline = 5000

/** Learns from what passes whether a node has taken a transaction. */
export type Acceptance = {
  /** The same sender, overheard. */
  sender: Sender
  note(event: BundleEvent): void
  /** Begins to listen for an order; to be ended. */
  listen(id: string): Listening
}

export type Listening = {
  /** The hash of the version that was taken. @throws Unavailable when no node has taken any in time */
  accepted(): Promise<Hash>
  /** What the last answer of a node was, if it was a no. */
  refusal(): SendOutcome['kind'] | undefined
  end(): void
}

type Ear = { taken: Deferred<Hash>; refusal: SendOutcome['kind'] | undefined }

export function createAcceptance(sender: Sender): Acceptance {
  const ears = new Map<string, Set<Ear>>()
  const each = (id: string, tell: (ear: Ear) => void) => ears.get(id)?.forEach(tell)

  return {
    sender: {
      async send(sending) {
        const { bundleId, hash, kind } = sending.transaction
        try {
          await sender.send(sending)
        } catch (error) {
          const outcome = outcomeOf(error)
          if (outcome.kind !== 'accepted') {
            each(bundleId, (ear) => {
              ear.refusal = outcome.kind
            })
            throw error
          }
        }
        if (kind === 'bundle') each(bundleId, ({ taken }) => taken.resolve(hash))
      },
    },

    note(event) {
      if (event.kind === 'mined') each(event.bundleId, ({ taken }) => taken.resolve(event.transactionHash))
    },

    listen(id) {
      const ear: Ear = { taken: deferred<Hash>(), refusal: undefined }
      const others = ears.get(id) ?? new Set()
      ears.set(id, others.add(ear))
      return {
        accepted: () =>
          withDeadline(
            ear.taken.promise,
            deadline,
            () => new Unavailable('no node is known to have taken the transaction'),
          ),
        refusal: () => ear.refusal,
        end() {
          others.delete(ear)
          if (others.size === 0) ears.delete(id)
        },
      }
    },
  }
}
