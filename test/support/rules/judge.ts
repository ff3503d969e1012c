import { type Address, getAddress, type Hex, numberToHex, zeroAddress } from 'viem'
import { loadCrypto } from '../../../src/evm/crypto/crypto.ts'
import type { Environment } from '../../../src/evm/environment.ts'
import { precompilesOf } from '../../../src/evm/precompiles/precompiles-of.ts'
import { runMessage } from '../../../src/evm/run-message.ts'
import { withOverrides } from '../../../src/evm/state/overrides.ts'
import { createState } from '../../../src/evm/state/state.ts'
import { type Account, MissingState, type StateKey, type StateSource } from '../../../src/evm/state-source.ts'
import { emptyCodeHash, type Word } from '../../../src/evm/word.ts'
import { encodeHandleOps, entryPoints } from '../../../src/types/entrypoint.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../../../src/types/userop.ts'
import { createCollector } from '../../../src/validation/rules/collector.ts'
import type { Parties } from '../../../src/validation/rules/facts.ts'
import {
  readValidation,
  simulateValidationCall,
  simulationOverride,
} from '../../../src/validation/simulation.ts'
import { rpc } from '../devChain.ts'

type Chain = { url: string; chainId: number }

const crypto = await loadCrypto()
const keccak = crypto.keccak256
const hex = (bytes: Uint8Array): Hex => `0x${bytes.toHex()}`
const bytes = (text: Hex): Uint8Array => Uint8Array.fromHex(text.slice(2))
const addressOf = (word: Word): Address => getAddress(numberToHex(word, { size: 20 }))

export function partiesOf(op: UserOperation): Parties {
  const word = (address: Address | undefined) => (address === undefined ? undefined : BigInt(address))
  return {
    entryPoint: BigInt(entryPoints[op.version].address),
    account: BigInt(op.sender),
    factory: word(factoryOf(op)),
    paymaster: word(paymasterOf(op)),
  }
}

/** The facts of `ops` from our own EVM, and what the EntryPoint answered: simulated for one, handled for a bundle. */
export async function observe(chain: Chain, ops: readonly UserOperation[], how: 'simulated' | 'bundled') {
  const [first] = ops
  if (first === undefined) throw new Error('an operation is needed')
  const { version } = first
  const request =
    how === 'simulated'
      ? simulateValidationCall(first)
      : {
          to: entryPoints[version].address,
          data: encodeHandleOps(version, ops, zeroAddress.replace(/0$/, '1') as Address),
        }
  const code = (simulationOverride(version) as Record<Address, { code: Hex }>)[
    entryPoints[version].address.toLowerCase() as Address
  ]?.code
  const overrides =
    how === 'bundled' || code === undefined
      ? new Map()
      : new Map([[BigInt(request.to), { code: bytes(code) }]])
  const known = await knownState(chain)
  for (;;) {
    const state = createState(withOverrides(known.source, overrides, keccak))
    const collector = createCollector({ version, operations: ops.map(partiesOf) }, { state, keccak })
    try {
      const outcome = runMessage({
        message: {
          ...{ kind: 'call', caller: 0x1234n, to: BigInt(request.to), value: 0n },
          ...{ input: bytes(request.data), gas: 25_000_000 },
        },
        ...{
          state,
          environment: known.environment,
          observer: collector.observer,
          budget: { steps: 10_000_000 },
        },
      })
      if (outcome.kind !== 'returned' && outcome.kind !== 'reverted') throw new Error(JSON.stringify(outcome))
      return { facts: collector.facts(), outcome: { kind: outcome.kind, data: hex(outcome.output) } }
    } catch (error) {
      if (!(error instanceof MissingState)) throw error
      await known.fetch(error.key)
    }
  }
}

export async function simulated(chain: Chain, op: UserOperation) {
  const { facts, outcome } = await observe(chain, [op], 'simulated')
  const result = readValidation(op, outcome)
  const [only] = facts
  if (only === undefined) throw new Error('nothing was validated')
  return { facts: only, result }
}

/** The state of the newest block, asked for one by one. */
async function knownState({ url, chainId }: Chain) {
  const block = await rpc<{ number: Hex; timestamp: Hex; gasLimit: Hex; miner: Hex }>(
    url,
    'eth_getBlockByNumber',
    ['latest', false],
  )
  const accounts = new Map<Word, Account>()
  const nonces = new Map<Word, bigint>()
  const codes = new Map<Word, Uint8Array>()
  const slots = new Map<string, Word>()
  const found = <T>(value: T | undefined, key: StateKey): T => {
    if (value === undefined) throw new MissingState(key)
    return value
  }
  const source: StateSource = {
    account: (address) => found(accounts.get(address), { kind: 'account', address }),
    nonce: (address) => found(nonces.get(address), { kind: 'nonce', address }),
    code: (codeHash, address) => found(codes.get(codeHash), { kind: 'code', codeHash, address }),
    storage: (address, slot) => found(slots.get(`${address}.${slot}`), { kind: 'storage', address, slot }),
    blockHash: () => 0n,
  }
  const ask = (method: string, ...params: unknown[]) => rpc<Hex>(url, method, [...params, block.number])
  async function fetch(key: StateKey): Promise<void> {
    if (key.kind === 'block-hash') throw new Error('no block hashes here')
    const address = addressOf(key.address)
    if (key.kind === 'storage') {
      const slot = numberToHex(key.slot, { size: 32 })
      slots.set(`${key.address}.${key.slot}`, BigInt(await ask('eth_getStorageAt', address, slot)))
      return
    }
    const [balance, nonce, text] = await Promise.all([
      ask('eth_getBalance', address),
      ask('eth_getTransactionCount', address),
      ask('eth_getCode', address),
    ])
    const code = bytes(text)
    const codeHash = code.length === 0 ? emptyCodeHash : keccak(code)
    codes.set(codeHash, code)
    accounts.set(key.address, { balance: BigInt(balance), codeHash })
    nonces.set(key.address, BigInt(nonce))
  }
  const environment: Environment = {
    chain: {
      ...{ chainId: BigInt(chainId), hardfork: 'prague', keccak, unknownOpcodes: 'invalid' },
      precompiles: precompilesOf({ hardfork: 'prague' }, crypto),
    },
    block: {
      ...{ number: BigInt(block.number), timestamp: BigInt(block.timestamp) },
      ...{ gasLimit: BigInt(block.gasLimit), baseFee: 0n, blobBaseFee: 0n, coinbase: 0n, prevRandao: 0n },
    },
    transaction: { origin: 0x1234n, gasPrice: 0n, blobHashes: [] },
  }
  return { source, fetch, environment }
}
