import { type Hex, hexToBigInt, hexToBytes, numberToHex } from 'viem'
import type { BlockEnvironment, ChainRules } from '../../../src/evm/environment.ts'
import type { Hardfork } from '../../../src/evm/hardfork.ts'
import { precompilesOf } from '../../../src/evm/precompiles/precompiles-of.ts'
import { createState } from '../../../src/evm/state/state.ts'
import type { StateSource } from '../../../src/evm/state-source.ts'
import { runTransaction, type TransactionResult } from '../../../src/evm/transaction/run-transaction.ts'
import type { Transaction } from '../../../src/evm/transaction/transaction.ts'
import { emptyCodeHash, type Word } from '../../../src/evm/word.ts'
import { rpc } from '../../support/devChain.ts'
import { crypto } from '../programs/ours.ts'

type MirrorAccount = {
  nonce: bigint
  balance: bigint
  code: Uint8Array
  codeHash: Word
  storage: Map<Word, Word>
}

/** A chain's state in our hands, carried on by our EVM alone. */
export type Mirror = {
  nonce(address: Word): bigint
  balance(address: Word): bigint
  /** Before the first transaction of a block: what the chain itself writes (EIP-2935). */
  beginBlock(number: bigint, parentHash: Word): void
  /** Runs it and keeps what it changes: each value that is another than before, as text by place. */
  run(transaction: Transaction, block: BlockEnvironment): { result: TransactionResult; changes: Changes }
  /** The addresses at which the chain's whole state is another one. */
  differing(url: string): Promise<Hex[]>
}

/** New values by place, as in `0xab… balance`; deleted accounts too. */
export type Changes = ReadonlyMap<string, string>

const stepLimit = 100_000_000

/** EIP-2935 */
const historyContract = 0x0000f90827f1c53a10cb7a02335b175320002935n
const historyLength = 8191n

export async function mirrorOf(url: string, chainId: number, hardfork: Hardfork): Promise<Mirror> {
  const chain: ChainRules = {
    chainId: BigInt(chainId),
    hardfork,
    precompiles: precompilesOf({ hardfork }, crypto),
    keccak: crypto.keccak256,
    unknownOpcodes: 'invalid',
  }
  const accounts = await dumped(url)
  const hashes = await hashesSoFar(url)
  const source: StateSource = {
    account: (address) => accounts.get(address),
    nonce: (address) => accounts.get(address)?.nonce ?? 0n,
    code: (_, address) => accounts.get(address)?.code ?? new Uint8Array(0),
    storage: (address, slot) => accounts.get(address)?.storage.get(slot) ?? 0n,
    blockHash(number) {
      const hash = hashes.get(number)
      if (hash === undefined) throw new Error(`the hash of block ${number} is not known here`)
      return hash
    },
  }

  return {
    nonce: (address) => accounts.get(address)?.nonce ?? 0n,
    balance: (address) => accounts.get(address)?.balance ?? 0n,
    beginBlock(number, parentHash) {
      hashes.set(number - 1n, parentHash)
      accounts.get(historyContract)?.storage.set((number - 1n) % historyLength, parentHash)
    },
    run(transaction, block) {
      const state = createState(source)
      const result = runTransaction({ transaction, state, chain, block, stepLimit })
      const changes = new Map<string, string>()
      for (const { address, account, code, isFresh, slots } of state.changes()) {
        const before = accounts.get(address)
        const place = (what: string) => `${hexAddress(address)} ${what}`
        if (account === undefined || isNothing(account)) {
          if (before !== undefined) changes.set(place('deleted'), 'yes')
          accounts.delete(address)
          continue
        }
        const after: MirrorAccount = {
          ...{ nonce: account.nonce, balance: account.balance, codeHash: account.codeHash },
          code: code ?? before?.code ?? new Uint8Array(0),
          storage: isFresh ? new Map() : (before?.storage ?? new Map()),
        }
        if (after.nonce !== (before?.nonce ?? 0n)) changes.set(place('nonce'), String(after.nonce))
        if (after.balance !== (before?.balance ?? 0n)) changes.set(place('balance'), String(after.balance))
        // A tracer leaves out code that is gone, as it does code that stayed.
        if (after.codeHash !== (before?.codeHash ?? emptyCodeHash) && after.code.length > 0)
          changes.set(place('code'), after.code.toHex())
        for (const [slot, { value }] of slots) {
          const old = after.storage.get(slot) ?? 0n
          if (value === old) continue
          changes.set(place(`slot ${slot.toString(16)}`), value.toString(16))
          after.storage.set(slot, value)
        }
        accounts.set(address, after)
      }
      return { result, changes }
    },
    async differing(url) {
      const theirs = await dumped(url)
      const addresses = new Set([...accounts.keys(), ...theirs.keys()])
      return [...addresses]
        .filter((address) => !Bun.deepEquals(settled(accounts.get(address)), settled(theirs.get(address))))
        .map(hexAddress)
    },
  }
}

/** Without the slots that are zero. */
function settled(account: MirrorAccount | undefined) {
  return account && { ...account, storage: new Map([...account.storage].filter(([, value]) => value !== 0n)) }
}

export const hexAddress = (address: Word): Hex => `0x${address.toString(16).padStart(40, '0')}`

function isNothing({
  nonce,
  balance,
  codeHash,
}: {
  nonce: bigint
  balance: bigint
  codeHash: Word
}): boolean {
  return nonce === 0n && balance === 0n && codeHash === emptyCodeHash
}

/** Of every block: there are fewer than BLOCKHASH reaches back to. */
async function hashesSoFar(url: string): Promise<Map<bigint, Word>> {
  const newest = Number(await rpc<Hex>(url, 'eth_blockNumber'))
  const hashes = new Map<bigint, Word>()
  for (let number = 0; number <= newest; number++) {
    const { hash } = await rpc<{ hash: Hex }>(url, 'eth_getBlockByNumber', [numberToHex(number), false])
    hashes.set(BigInt(number), hexToBigInt(hash))
  }
  return hashes
}

type Dump = {
  accounts: Record<Hex, { nonce: number; balance: Hex; code: Hex; storage: Record<Hex, Hex> }>
}

async function dumped(url: string): Promise<Map<Word, MirrorAccount>> {
  const zipped = Uint8Array.fromHex((await rpc<Hex>(url, 'anvil_dumpState')).slice(2))
  const { accounts } = JSON.parse(new TextDecoder().decode(Bun.gunzipSync(zipped))) as Dump
  const all = new Map<Word, MirrorAccount>(
    Object.entries(accounts).map(([address, { nonce, balance, code, storage }]) => {
      const bytes = hexToBytes(code)
      const slots = Object.entries(storage).map(
        ([slot, value]) => [BigInt(slot), hexToBigInt(value)] as const,
      )
      return [
        BigInt(address),
        {
          nonce: BigInt(nonce),
          balance: hexToBigInt(balance),
          code: bytes,
          codeHash: bytes.length === 0 ? emptyCodeHash : crypto.keccak256(bytes),
          storage: new Map(slots),
        },
      ]
    }),
  )
  // anvil keeps accounts that it looked at; they do not exist (EIP-161).
  for (const [address, account] of all) if (isNothing(account)) all.delete(address)
  return all
}
