import { Common, Mainnet, Hardfork as TheirHardfork } from '@ethereumjs/common'
import { createEVM, type EVM, EVMError, type InterpreterStep } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address, bytesToBigInt, hexToBytes } from '@ethereumjs/util'
import type { Hardfork } from '../../../src/evm/hardfork.ts'
import { byteLength, bytesOf, emptyCodeHash, wordOf } from '../../../src/evm/word.ts'
import type { Case, CaseAccount } from './case.ts'
import { blockHash, crypto, warmAddresses } from './ours.ts'
import { type AccountAfter, addressText, slotText, stateText, type Verdict } from './verdict.ts'

const theirHardforks: Record<Hardfork, string> = {
  shanghai: TheirHardfork.Shanghai,
  cancun: TheirHardfork.Cancun,
  prague: TheirHardfork.Prague,
  osaka: TheirHardfork.Osaka,
}

type Hex = `0x${string}`

/** It has no KZG of its own; ours is held against vectors elsewhere. */
const notAsked = () => {
  throw new Error('an EVM asks for proofs of points only')
}
const kzg = {
  verifyProof: (commitment: Hex, z: Hex, y: Hex, proof: Hex) =>
    crypto.verifyKzgProof(hexToBytes(commitment), BigInt(z), BigInt(y), hexToBytes(proof)),
  blobToKzgCommitment: notAsked,
  computeBlobProof: notAsked,
  verifyBlobProofBatch: notAsked,
  computeCells: notAsked,
  computeCellsAndProofs: notAsked,
  recoverCellsAndProofs: notAsked,
  verifyCellKzgProofBatch: notAsked,
}

const blockchain = {
  getBlock: (number: number) => Promise.resolve({ hash: () => word(blockHash(BigInt(number))) }),
  putBlock: () => Promise.resolve(),
  shallowCopy: () => blockchain,
}

/** An EVM adds a listener to its rules for good: one for each hardfork, given a new state for each case. */
const evms = new Map<Hardfork, EVM>()

async function evmOf(hardfork: Hardfork): Promise<EVM> {
  const known = evms.get(hardfork)
  if (known !== undefined) return known
  const common = new Common({ chain: Mainnet, hardfork: theirHardforks[hardfork], customCrypto: { kzg } })
  const evm = await createEVM({ common, blockchain })
  evms.set(hardfork, evm)
  return evm
}

export async function runTheirs(given: Case, onStep?: (step: InterpreterStep) => void): Promise<Verdict> {
  const { hardfork, accounts, block, transaction, message } = given
  const evm = await evmOf(hardfork)
  const state = new ReadableState()
  for (const account of accounts) await state.add(account)
  evm.stateManager = state
  evm.journal = Object.assign(evm.journal, { stateManager: state })
  evm.journal.cleanJournal()
  evm.transientStorage.clear()
  for (const warm of warmAddresses(given)) evm.journal.addAlwaysWarmAddress(addressText(warm))
  evm.events.removeAllListeners()
  if (onStep !== undefined) evm.events.on('step', onStep)

  const { execResult } = await evm.runCall({
    block: {
      header: {
        number: block.number,
        coinbase: addressOf(block.coinbase),
        timestamp: block.timestamp,
        difficulty: 0n,
        prevRandao: word(block.prevRandao),
        gasLimit: block.gasLimit,
        baseFeePerGas: block.baseFee,
        getBlobGasPrice: () => block.blobBaseFee,
      },
    },
    gasPrice: transaction.gasPrice,
    origin: addressOf(transaction.origin),
    blobVersionedHashes: transaction.blobHashes.map((hash): `0x${string}` => `0x${slotText(hash)}`),
    caller: addressOf(message.caller),
    ...(message.kind === 'call' && { to: addressOf(message.to), skipNonceIncrement: true }),
    data: message.kind === 'call' ? message.input : message.initCode,
    value: message.value,
    gasLimit: BigInt(message.gas),
  })

  const error = execResult.exceptionError?.error
  const reverted = error === EVMError.errorMessages.REVERT
  const outcome = error === undefined ? 'returned' : reverted ? 'reverted' : 'halted'
  // With EIP-6780 only what the transaction created itself is deleted.
  for (const address of execResult.selfdestruct?.keys() ?? []) {
    if (hardfork === 'shanghai' || execResult.createdAddresses?.has(address)) {
      await evm.journal.deleteAccount(new Address(hexToBytes(address)))
    }
  }
  await evm.journal.cleanup()
  return {
    outcome,
    output: outcome === 'halted' ? '' : execResult.returnValue.toHex(),
    gasUsed: String(execResult.executionGasUsed),
    refund: String(execResult.gasRefund ?? 0n),
    logs: (execResult.logs ?? []).map(([address, topics, data]) =>
      [address.toHex(), ...topics.map((topic) => topic.toHex()), data.toHex()].join(' '),
    ),
    state: stateText(state.after()),
  }
}

class ReadableState extends SimpleStateManager {
  async add({ address, balance, nonce, code, storage }: CaseAccount): Promise<void> {
    const name = addressOf(address)
    await this.putAccount(name, new Account(nonce, balance))
    if (code.length > 0) await this.putCode(name, code)
    for (const [slot, value] of storage)
      await this.putStorage(name, word(slot), bytesOf(value, byteLength(value)))
  }

  after(): Map<string, AccountAfter> {
    const after = new Map<string, AccountAfter & { storage: Map<string, bigint> }>()
    for (const [name, account] of this.topAccountStack()) {
      if (account === undefined || account.isEmpty()) continue
      const hasCode = bytesToBigInt(account.codeHash) !== emptyCodeHash
      const code = hasCode ? (this.topCodeStack().get(name)?.toHex() ?? '') : ''
      const { balance, nonce } = account
      after.set(name.slice(2), { balance, nonce, code, storage: new Map() })
    }
    for (const [key, value] of this.topStorageStack()) {
      const [name = '', slot = ''] = key.split('_')
      after.get(name.slice(2))?.storage.set(slot.slice(2), wordOf(value))
    }
    return after
  }
}

const word = (value: bigint) => bytesOf(value, 32)
const addressOf = (address: bigint) => new Address(bytesOf(address, 20))
