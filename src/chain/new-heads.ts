import { type Log, redactUrl } from '../base/log.ts'

/** ms until a lost channel is opened again; doubled each time it is lost before it brought a head. */
const firstWait = 250
const longestWait = 30_000
/** Heads that polling may see first before the channel counts as dead. */
const patience = 3

/** A WebSocket subscription to newHeads that only says "look now". What it says is never trusted, polling decides. */
export type NewHeads = {
  /** Polling saw a head that this channel has not announced: after a few it is dead, and is opened anew. */
  missed(): void
  stop(): void
}

export function subscribeNewHeads(url: string, onHead: () => void, log: Log): NewHeads {
  const node = redactUrl(url)
  let socket: WebSocket | undefined
  let timer: Timer | undefined
  let wait = firstWait
  let unannounced = 0
  open()

  return {
    missed() {
      unannounced += 1
      if (unannounced < patience || socket === undefined) return
      log.warn('WebSocket is silent, opening it anew', { node })
      leave()
      open()
    },
    stop() {
      clearTimeout(timer)
      leave()
    },
  }

  function open(): void {
    unannounced = 0
    const opening = new WebSocket(url)
    socket = opening
    opening.onopen = () => {
      opening.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    }
    opening.onmessage = (event) => {
      if (socket !== opening || !String(event.data).includes('eth_subscription')) return
      unannounced = 0
      wait = firstWait
      onHead()
    }
    opening.onclose = () => {
      if (socket !== opening) return
      log.info('WebSocket is lost', { node, reopenMs: wait })
      socket = undefined
      timer = setTimeout(open, wait)
      wait = Math.min(wait * 2, longestWait)
    }
  }

  /** What it still says is not heard. */
  function leave(): void {
    const left = socket
    socket = undefined
    left?.close()
  }
}
