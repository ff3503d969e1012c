import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM } from '@ethereumjs/evm'
import { Account, Address } from '@ethereumjs/util'
import type { Message } from '../src/evm/message.ts'
import { bytesOf, type Word } from '../src/evm/word.ts'
import type { SomeAccount } from '../test/support/evmState.ts'

const sload = 0x54

/** A call in @ethereumjs/evm whose state is at hand, and which reads storage: a hook sees every step. */
export async function ethereumjs({
  chainId,
  accounts,
  message,
}: {
  chainId: bigint
  accounts: ReadonlyMap<Word, SomeAccount>
  message: Message
}): Promise<{ run: () => Promise<Uint8Array>; close: () => void }> {
  const common = new Common({ chain: { ...Mainnet, chainId: Number(chainId) }, hardfork: Hardfork.Cancun })
  const evm: EVM = await createEVM({ common })
  const addressOf = (address: bigint): Address => new Address(bytesOf(address, 20))
  for (const [word, { balance = 0n, nonce = 0n, code, storage = new Map() }] of accounts) {
    const address = addressOf(word)
    await evm.stateManager.putAccount(address, new Account(nonce, balance))
    if (code !== undefined) await evm.stateManager.putCode(address, code)
    for (const [slot, value] of storage) {
      await evm.stateManager.putStorage(address, bytesOf(slot, 32), bytesOf(value, 32))
    }
  }
  let reads = 0
  const count = ({ opcode }: { opcode: { code: number } }): void => {
    if (opcode.code === sload) reads += 1
  }
  evm.events.on('step', count)
  if (message.kind !== 'call') throw new Error('a call is measured')
  const { to, input: data, gas } = message
  const request = { to: addressOf(to), caller: addressOf(message.caller), data, gasLimit: BigInt(gas) }
  const run = async (): Promise<Uint8Array> => {
    await evm.journal.checkpoint()
    const { execResult } = await evm.runCall(request)
    await evm.journal.revert()
    await evm.journal.cleanup()
    if (execResult.exceptionError !== undefined || reads === 0) throw new Error('it does not validate')
    return execResult.returnValue
  }
  return { run, close: () => evm.events.off('step', count) }
}
