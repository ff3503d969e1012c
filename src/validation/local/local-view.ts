import type { StateSource } from '../../evm/state-source.ts'
import { emptyCodeHash } from '../../evm/word.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { ChainView } from '../chain-view.ts'
import { hexOfBytes } from '../state/hex.ts'
import { addSlot, noKeys } from '../state/keys.ts'
import { validationBudget } from './budgets.ts'
import { depositInfoIn, depositSlots } from './entry-point-storage.ts'
import type { LocalBlock, LocalChain } from './local-chain.ts'
import { runRequest } from './run-request.ts'

/** A block as our own EVM sees it. */
export function localView(
  { state, rules, node }: Pick<LocalChain, 'state' | 'rules' | 'node'>,
  { view, header }: LocalBlock,
): ChainView {
  return {
    chainId: node.chainId,

    call(request, overrides) {
      const budget = validationBudget()
      const traceable = { request, overrides, coinbase: header.coinbase }
      return state.run(
        view,
        () => ({ known: noKeys(), call: traceable }),
        (modules) => runRequest(request, overrides, { ...modules, rules, budget, block: header.environment }),
      )
    },

    depositInfoOf(account, version) {
      const entryPoint = BigInt(entryPoints[version].address)
      const slots = depositSlots(BigInt(account), state.entryHash)
      const known = noKeys()
      for (const slot of slots) addSlot(known, entryPoint, slot)
      return state.run(
        view,
        () => ({ known }),
        ({ source }) => {
          const [first, second] = slots
          const words = [source.storage(entryPoint, first), source.storage(entryPoint, second)] as const
          return depositInfoIn(version, words)
        },
      )
    },

    authority(account) {
      const address = BigInt(account)
      const known = noKeys()
      known.accounts.add(address)
      known.nonces.add(address)
      return state.run(
        view,
        () => ({ known }),
        ({ source }) => {
          const nonce = source.account(address) === undefined ? 0n : source.nonce(address)
          return { code: hexOfBytes(codeOf(source, address)), nonce }
        },
      )
    },
  }
}

function codeOf(source: StateSource, address: bigint): Uint8Array {
  const codeHash = source.account(address)?.codeHash ?? emptyCodeHash
  return codeHash === emptyCodeHash ? new Uint8Array() : source.code(codeHash, address)
}
