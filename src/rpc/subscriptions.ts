import type { Json } from '../base/errors.ts'
import { LimitExceeded } from '../base/errors.ts'

/** The subscriptions of one WebSocket. */
export type Subscriptions = {
  /** For the calls of one message: what they subscribe to is pushed after they have been answered. */
  forMessage(): Subscriber & { answered(): void }
  close(): void
}

/** What a call may do about the subscriptions of its connection. */
export type Subscriber = {
  /**
   * Opens a subscription and gives its id. `start` begins it and gives the function that ends it.
   * @throws LimitExceeded
   */
  open(start: (push: (result: Json) => void) => () => void): string
  /** Whether there was one of that id. */
  close(id: string): boolean
}

/** ms; an open connection frees places only by its own doing, so there is no hurry */
const retryAfterMs = 10_000

export function createSubscriptions(
  options: { /** most subscriptions at once */ limit: number },
  modules: { send: (text: string) => void },
): Subscriptions {
  const stops = new Map<string, () => void>()

  return {
    forMessage() {
      let held: string[] | undefined = []
      return {
        open(start) {
          if (stops.size >= options.limit) {
            throw new LimitExceeded('limit exceeded', { retryAfterMs, maximum: options.limit })
          }
          const id = newId()
          const push = (result: Json): void => {
            const text = notification(id, result)
            if (held === undefined) modules.send(text)
            else held.push(text)
          }
          stops.set(id, start(push))
          return id
        },
        close(id) {
          stops.get(id)?.()
          return stops.delete(id)
        },
        answered() {
          for (const text of held ?? []) modules.send(text)
          held = undefined
        },
      }
    },
    close() {
      for (const stop of stops.values()) stop()
      stops.clear()
    },
  }
}

/** 128 random bits, as hard to guess as nodes make theirs. */
function newId(): string {
  return `0x${crypto.getRandomValues(new Uint8Array(16)).toHex()}`
}

/** The push message of geth's eth_subscribe. */
function notification(subscription: string, result: Json): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } })
}
