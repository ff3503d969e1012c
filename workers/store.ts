import { describe, Unavailable } from '../src/base/errors.ts'
import { type Endpoint, Link } from '../src/base/threads.ts'
import type { StoreOptions } from '../src/store/client.ts'
import { NewerSchema } from '../src/store/migrations.ts'
import {
  answerDeadline,
  maxInFlight,
  type Opened,
  type StoreThread,
  type StoreThreadHost,
} from '../src/store/protocol.ts'
import { openUnmeasured } from '../src/store/store.ts'
import type { StorePort } from '../src/types/ports/store.ts'

declare const self: Endpoint

let store: StorePort | undefined

function opened(): StorePort {
  if (store === undefined) throw new Unavailable('store not open')
  return store
}

const handlers: StoreThread = {
  open,
  addOperation: (record) => opened().addOperation(record),
  changeStates: (changes) => opened().changeStates(changes),
  operation: (argument) => opened().operation(argument),
  openOperations: (argument) => opened().openOperations(argument),
  journal: (argument) => opened().journal(argument),
  settleBundle: (argument) => opened().settleBundle(argument),
  openBundles: (argument) => opened().openBundles(argument),
  indexBlock: (block) => opened().indexBlock(block),
  removeBlocks: (argument) => opened().removeBlocks(argument),
  indexedBlocks: (argument) => opened().indexedBlocks(argument),
  event: (argument) => opened().event(argument),
  receipt: (argument) => opened().receipt(argument),
  eventsBetween: (argument) => opened().eventsBetween(argument),
  saveReputation: (argument) => opened().saveReputation(argument),
  reputation: (argument) => opened().reputation(argument),
  ping: (argument) => opened().ping(argument),
  close: (argument) => opened().close(argument),
}

const { remote } = new Link<StoreThreadHost>(self, handlers, { deadlineMs: answerDeadline, maxInFlight })

async function open(options: StoreOptions): Promise<Opened> {
  try {
    // A report that is not heard costs a count, no more.
    store = await openUnmeasured(options, (report) => void remote.committed(report).catch(() => {}))
    return { kind: 'open' }
  } catch (error) {
    if (error instanceof NewerSchema) return { kind: 'newer-schema', found: error.found }
    return { kind: 'cannot-open', reason: describe(error) }
  }
}
