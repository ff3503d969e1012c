import { describe, Unavailable } from '../src/base/errors.ts'
import { type Endpoint, Link } from '../src/base/threads.ts'
import { NewerSchema } from '../src/store/migrations.ts'
import {
  answerDeadline,
  maxInFlight,
  type Opened,
  type StoreHost,
  type StoreOptions,
  type StoreThread,
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
  prune: (argument) => opened().prune(argument),
  ping: (argument) => opened().ping(argument),
  close: (argument) => opened().close(argument),
}

const { remote } = new Link<StoreHost>(self, handlers, { deadlineMs: answerDeadline, maxInFlight })

// A report that is not heard costs a count; one of the lease is heard, or the main thread is gone.
const host: StoreHost = {
  committed: (report) => void remote.committed(report).catch(() => {}),
  leaseLost: () => void remote.leaseLost(undefined).catch(() => {}),
}

async function open(options: StoreOptions): Promise<Opened> {
  try {
    store = await openUnmeasured(options, host)
    return { kind: 'open' }
  } catch (error) {
    if (error instanceof NewerSchema) return { kind: 'newer-schema', found: error.found }
    return { kind: 'cannot-open', reason: describe(error) }
  }
}
