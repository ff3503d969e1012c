import type { Log } from '../outcome.ts'
import type { Account, StateSource } from '../state-source.ts'
import { emptyCodeHash, type Word } from '../word.ts'
import { type AccountData, type AccountRecord, newRecord, type Slot } from './account-record.ts'
import { createJournal } from './journal.ts'

const noCode = new Uint8Array()

/** An account as a run left it. */
export type ChangedAccount = Account & { readonly nonce: bigint }

/** An account that a run changed. `undefined`: it is deleted. */
export type AccountChange = {
  readonly address: Word
  readonly account: ChangedAccount | undefined
  /** Set if the run gave it code. */
  readonly code: Uint8Array | undefined
  /** Its storage before the run is void: only `slots` counts. */
  readonly isFresh: boolean
  /** All slots that the run met, with their values after it. */
  readonly slots: ReadonlyMap<Word, { readonly value: Word }>
}

/**
 * What a run sees and changes: a source, with a journal in front that can take back what happened since a snapshot.
 * It lasts for as many messages as its owner likes; warmth, transient storage, original values, refund and logs are
 * those of the transaction, from one `beginTransaction` to the next.
 * @throws MissingState where the source does; the state itself stays sound
 */
export type State = {
  nonce(address: Word): bigint
  /** wei */
  balance(address: Word): bigint
  /** keccak-256 of its code, `emptyCodeHash` also for an account that does not exist */
  codeHash(address: Word): Word
  code(address: Word): Uint8Array
  /** EIP-161: neither code nor nonce nor balance. An account that does not exist is empty. */
  isEmpty(address: Word): boolean
  /** EIP-684 and EIP-7610: nothing may be created here. */
  isTaken(address: Word): boolean

  setNonce(address: Word, nonce: bigint): void
  setBalance(address: Word, wei: bigint): void
  setCode(address: Word, code: Uint8Array, codeHash: Word): void
  /** Moves what `from` is known to have; touches `to` (EIP-161). */
  transfer(from: Word, to: Word, wei: bigint): void

  /** The slot; it changes in place, by `store` and `warmSlot`. */
  slot(address: Word, key: Word): Readonly<Slot>
  store(slot: Readonly<Slot>, value: Word): void
  transient(address: Word, key: Word): Word
  setTransient(address: Word, key: Word, value: Word): void
  blockHash(number: bigint): Word

  /** Makes it warm (EIP-2929). @returns was it cold? */
  warmAddress(address: Word): boolean
  warmSlot(slot: Readonly<Slot>): boolean

  /** Begins a contract: nonce 1, no storage, the balance it has. */
  createAccount(address: Word): void
  /** Was it created in this transaction (EIP-6780)? */
  isCreated(address: Word): boolean
  /** Deletes it when the transaction ends. */
  destroy(address: Word): void

  log(log: Log): void
  readonly logs: readonly Log[]
  /** gas, before the cap of EIP-3529 */
  readonly refund: number
  addRefund(gas: number): void

  /** A mark to `revert` to. */
  snapshot(): number
  revert(snapshot: number): void
  /** Forgets what lasts for a transaction only. */
  beginTransaction(): void
  /** Deletes what is destroyed. */
  endTransaction(): void
  /** What the transactions since the state was made have changed, or only touched. */
  changes(): Iterable<AccountChange>
}

export function createState(source: StateSource): State {
  const records = new Map<Word, AccountRecord>()
  const journal = createJournal()
  /** Of the transaction. */
  let logs: Log[] = []
  const counters = { refund: 0 }
  /** The record asked for last: most questions are about the account that runs. */
  let latest = newRecord(-1n)

  function recordOf(address: Word): AccountRecord {
    if (latest.address === address) return latest
    let record = records.get(address)
    if (record === undefined) {
      record = newRecord(address)
      records.set(address, record)
    }
    latest = record
    return record
  }

  function dataOf(record: AccountRecord): AccountData {
    if (record.data !== undefined) return record.data
    const account = source.account(record.address)
    record.data = {
      nonce: account === undefined ? 0n : undefined,
      balance: account?.balance ?? 0n,
      codeHash: account?.codeHash ?? emptyCodeHash,
    }
    return record.data
  }

  const dataAt = (address: Word): AccountData => dataOf(recordOf(address))

  function nonceOf(record: AccountRecord): bigint {
    const data = dataOf(record)
    data.nonce ??= source.nonce(record.address)
    return data.nonce
  }

  function isEmpty(record: AccountRecord): boolean {
    const { balance, codeHash } = dataOf(record)
    return balance === 0n && codeHash === emptyCodeHash && nonceOf(record) === 0n
  }

  /** Sets a flag. @returns was it clear? */
  function raise<K extends PropertyKey>(target: Record<K, boolean>, flag: K): boolean {
    if (target[flag]) return false
    journal.set(target, flag, true)
    return true
  }

  return {
    nonce: (address) => nonceOf(recordOf(address)),
    balance: (address) => dataAt(address).balance,
    codeHash: (address) => dataAt(address).codeHash,
    code(address) {
      const record = recordOf(address)
      if (record.code !== undefined) return record.code
      const { codeHash } = dataOf(record)
      return codeHash === emptyCodeHash ? noCode : source.code(codeHash, address)
    },
    isEmpty: (address) => isEmpty(recordOf(address)),
    isTaken(address) {
      const record = recordOf(address)
      if (dataOf(record).codeHash !== emptyCodeHash || nonceOf(record) !== 0n) return true
      return !record.isFresh && source.account(address)?.hasStorage === true
    },

    setNonce: (address, nonce) => journal.set(dataAt(address), 'nonce', nonce),
    setBalance(address, wei) {
      const record = recordOf(address)
      journal.set(dataOf(record), 'balance', wei)
      raise(record, 'isTouched')
    },
    setCode(address, code, codeHash) {
      const record = recordOf(address)
      journal.set(dataOf(record), 'codeHash', codeHash)
      journal.set(record, 'code', code)
    },
    transfer(from, to, wei) {
      const recipient = recordOf(to)
      raise(recipient, 'isTouched')
      if (wei === 0n) return
      const payer = dataAt(from)
      journal.set(payer, 'balance', payer.balance - wei)
      const payee = dataOf(recipient)
      journal.set(payee, 'balance', payee.balance + wei)
    },

    slot(address, key) {
      const record = recordOf(address)
      const known = record.slots.get(key)
      if (known !== undefined) return known
      const value = record.isFresh ? 0n : source.storage(address, key)
      const slot = { value, original: value, isWarm: false }
      record.slots.set(key, slot)
      return slot
    },
    store: (slot: Slot, value) => journal.set(slot, 'value', value),
    transient: (address, key) => recordOf(address).transient?.get(key) ?? 0n,
    setTransient(address, key, value) {
      const record = recordOf(address)
      record.transient ??= new Map()
      const { transient } = record
      const previous = transient.get(key) ?? 0n
      transient.set(key, value)
      journal.note(() => transient.set(key, previous))
    },
    blockHash: (number) => source.blockHash(number),

    warmAddress: (address) => raise(recordOf(address), 'isWarm'),
    warmSlot: (slot: Slot) => raise(slot, 'isWarm'),

    createAccount(address) {
      const record = recordOf(address)
      raise(record, 'isFresh')
      raise(record, 'isCreated')
      raise(record, 'isTouched')
      journal.set(dataOf(record), 'nonce', 1n)
    },
    isCreated: (address) => recordOf(address).isCreated,
    destroy: (address) => raise(recordOf(address), 'isDestroyed'),

    log(log) {
      logs.push(log)
      journal.note(() => logs.pop())
    },
    get logs() {
      return logs
    },
    get refund() {
      return counters.refund
    },
    addRefund(gas) {
      if (gas !== 0) journal.set(counters, 'refund', counters.refund + gas)
    },

    snapshot: journal.mark,
    revert: journal.revert,
    beginTransaction() {
      journal.clear()
      logs = []
      counters.refund = 0
      for (const record of records.values()) {
        record.isWarm = false
        record.isCreated = false
        record.transient = undefined
        for (const slot of record.slots.values()) {
          slot.isWarm = false
          slot.original = slot.value
        }
      }
    },
    endTransaction() {
      for (const record of records.values()) {
        if (!record.isDestroyed) continue
        record.isDestroyed = false
        record.isFresh = true
        record.code = noCode
        record.data = { nonce: 0n, balance: 0n, codeHash: emptyCodeHash }
        record.slots.clear()
      }
      journal.clear()
    },
    *changes() {
      for (const record of records.values()) {
        if (record.data === undefined && !record.isTouched) continue
        const { balance, codeHash } = dataOf(record)
        const isDeleted = isEmpty(record) && (record.isTouched || record.isFresh)
        yield {
          address: record.address,
          account: isDeleted ? undefined : { nonce: nonceOf(record), balance, codeHash },
          code: record.code,
          isFresh: record.isFresh,
          slots: record.slots,
        }
      }
    },
  }
}
