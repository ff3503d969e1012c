import { type Log, redactUrl } from '../base/log.ts'

/** ms between attempts to reopen: a push channel is a convenience, polling goes on meanwhile. */
const reopenAfter = 2_000

/** A WebSocket subscription to newHeads that only says "look now". What it says is never trusted, polling decides. */
export type NewHeads = {
  /** Polling saw a head that this channel has not announced: after a few it is dead, and is opened anew. */
  missed(): void
  stop(): void
}

/** Heads that polling may see first before the channel counts as dead. */
const patience = 3

export function subscribeNewHeads(url: string, onHead: () => void, log: Log): NewHeads {
  let socket: WebSocket | undefined
  let timer: Timer | undefined
  let stopped = false
  let unannounced = 0
  open()

  return {
    missed() {
      unannounced += 1
      if (unannounced < patience || socket === undefined) return
      log.warn('WebSocket is silent, opening it anew', { node: redactUrl(url) })
      socket.close()
      reopen()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      socket?.close()
    },
  }

  function open(): void {
    timer = undefined
    unannounced = 0
    const opening = new WebSocket(url)
    socket = opening
    opening.onopen = () => {
      opening.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    }
    opening.onmessage = (event) => {
      if (!String(event.data).includes('eth_subscription')) return
      unannounced = 0
      onHead()
    }
    opening.onerror = () => log.debug('WebSocket error', { node: redactUrl(url) })
    opening.onclose = () => socket === opening && reopen()
  }

  function reopen(): void {
    socket = undefined
    if (stopped || timer !== undefined) return
    timer = setTimeout(open, reopenAfter)
  }
}
