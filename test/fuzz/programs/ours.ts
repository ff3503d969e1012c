import { loadCrypto } from '../../../src/evm/crypto/crypto.ts'
import type { ChainRules } from '../../../src/evm/environment.ts'
import { type Hardfork, hardforks } from '../../../src/evm/hardfork.ts'
import type { Observer } from '../../../src/evm/observer.ts'
import type { Log, Outcome } from '../../../src/evm/outcome.ts'
import { precompilesOf } from '../../../src/evm/precompiles/precompiles-of.ts'
import { runMessage } from '../../../src/evm/run-message.ts'
import { createState, type State } from '../../../src/evm/state/state.ts'
import type { StateSource } from '../../../src/evm/state-source.ts'
import { emptyCodeHash } from '../../../src/evm/word.ts'
import type { Case, CaseAccount } from './case.ts'
import { type AccountAfter, addressText, slotText, stateText, type Verdict } from './verdict.ts'

/** Far above what the gas of a case pays for. */
const stepLimit = 10_000_000

export const crypto = await loadCrypto()
const { keccak256 } = crypto

const rules = new Map<Hardfork, ChainRules>(
  hardforks.map((hardfork) => [
    hardfork,
    {
      chainId: 1n,
      hardfork,
      precompiles: precompilesOf({ hardfork }, crypto),
      keccak: keccak256,
      unknownOpcodes: 'invalid',
    },
  ]),
)

export function runOurs(given: Case, observer?: Observer): Verdict {
  const { hardfork, accounts, block, transaction, message } = given
  const chain = rules.get(hardfork)
  if (chain === undefined) throw new Error(`no rules for ${hardfork}`)
  const state = createState(sourceOf(accounts))
  state.beginTransaction()
  for (const address of warmAddresses(given)) state.warmAddress(address)
  const environment = { chain, block, transaction }
  const outcome = runMessage({
    message,
    state,
    environment,
    budget: { steps: stepLimit },
    ...(observer && { observer }),
  })
  const { refund } = state
  const logs = state.logs.map(logText)
  state.endTransaction()
  return {
    ...outcomeText(outcome, message.gas),
    refund: String(refund),
    logs,
    state: stateText(stateAfter(accounts, state)),
  }
}

/** What a transaction has warmed before its first message. */
export function warmAddresses({ hardfork, block, message }: Case): bigint[] {
  const precompiles = [...(rules.get(hardfork)?.precompiles.keys() ?? [])]
  return [message.caller, block.coinbase, ...(message.kind === 'call' ? [message.to] : []), ...precompiles]
}

export const blockHash = (number: bigint) => keccak256(new TextEncoder().encode(`block ${number}`))

function sourceOf(accounts: readonly CaseAccount[]): StateSource {
  const known = new Map(accounts.map((account) => [account.address, account]))
  return {
    account(address) {
      const account = known.get(address)
      return (
        account && { ...account, codeHash: account.code.length ? keccak256(account.code) : emptyCodeHash }
      )
    },
    nonce: (address) => known.get(address)?.nonce ?? 0n,
    code: (_, address) => known.get(address)?.code ?? new Uint8Array(0),
    storage: (address, slot) => known.get(address)?.storage.get(slot) ?? 0n,
    blockHash,
  }
}

function outcomeText(outcome: Outcome, gas: number): Pick<Verdict, 'outcome' | 'output' | 'gasUsed'> {
  if (outcome.kind === 'refused') throw new Error(`refused for its ${outcome.reason}`)
  if (outcome.kind === 'halted') return { outcome: 'halted', output: '', gasUsed: String(gas) }
  return { outcome: outcome.kind, output: outcome.output.toHex(), gasUsed: String(gas - outcome.gasLeft) }
}

function logText({ address, topics, data }: Log): string {
  return [addressText(address), ...topics.map(slotText), data.toHex()].join(' ')
}

function stateAfter(accounts: readonly CaseAccount[], state: State): Map<string, AccountAfter> {
  const after = new Map<string, AccountAfter>(
    accounts.map(({ address, balance, nonce, code, storage }) => [
      addressText(address),
      { balance, nonce, code: code.toHex(), storage: namedSlots(storage) },
    ]),
  )
  for (const { address, account, code, isFresh, slots } of state.changes()) {
    const name = addressText(address)
    const before = after.get(name)
    after.delete(name)
    if (account === undefined || isEmpty(account)) continue
    const written = new Map([...slots].map(([slot, { value }]) => [slotText(slot), value] as const))
    after.set(name, {
      balance: account.balance,
      nonce: account.nonce,
      code: code?.toHex() ?? before?.code ?? '',
      storage: isFresh ? written : new Map([...(before?.storage ?? []), ...written]),
    })
  }
  return after
}

function isEmpty({
  balance,
  nonce,
  codeHash,
}: {
  balance: bigint
  nonce: bigint
  codeHash: bigint
}): boolean {
  return balance === 0n && nonce === 0n && codeHash === emptyCodeHash
}

function namedSlots(storage: ReadonlyMap<bigint, bigint>): Map<string, bigint> {
  return new Map([...storage].map(([slot, value]) => [slotText(slot), value]))
}
