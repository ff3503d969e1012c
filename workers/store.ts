import { collectRegularly } from '../src/base/collect.ts'
import { describe, Unavailable } from '../src/base/errors.ts'
import { type Endpoint, Link } from '../src/base/threads.ts'
import { eachCall } from '../src/store/calls.ts'
import { NewerSchema } from '../src/store/migrations.ts'
import {
  answerDeadline,
  maxInFlight,
  type Opened,
  type Store,
  type StoreHost,
  type StoreOptions,
  type StoreThread,
} from '../src/store/protocol.ts'
import { openUnmeasured } from '../src/store/store.ts'

declare const self: Endpoint

let store: Store | undefined

function opened(): Store {
  if (store === undefined) throw new Unavailable('store not open')
  return store
}

const handlers: StoreThread = {
  open,
  ...eachCall((call) => (argument) => opened()[call](argument)),
  prune: (argument) => opened().prune(argument),
  close: (argument) => opened().close(argument),
}

collectRegularly()
const { tell } = new Link<StoreHost>(self, handlers, { deadlineMs: answerDeadline, maxInFlight })

// A report that is not heard costs a count; one of the lease is heard, or the main thread is gone.
const host: StoreHost = { committed: tell.committed, leaseLost: () => tell.leaseLost(undefined) }

async function open(options: StoreOptions): Promise<Opened> {
  try {
    store = await openUnmeasured(options, host)
    return { kind: 'open' }
  } catch (error) {
    if (error instanceof NewerSchema) return { kind: 'newer-schema', found: error.found }
    return { kind: 'cannot-open', reason: describe(error) }
  }
}
