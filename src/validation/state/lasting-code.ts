import { type Hardfork, isActive } from '../../evm/hardfork.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'

/** EIP-7702; no other code may begin with it (EIP-3541) */
const designatorStart = 0xef

/** accounts; at about 200 bytes each this is 4 MB */
const capacity = 20_000

/**
 * Which code an account will have in every block to come, so that it is not read again. Since Cancun (EIP-6780) a
 * contract that outlived its transaction keeps its code; only delegations (EIP-7702) and the absence of code change.
 * After a reorg another contract may stand where one stood: then begin anew.
 */
export type LastingCode = {
  get(address: Word): Word | undefined
  note(address: Word, codeHash: Word, code: Uint8Array): void
}

export function createLastingCode({ hardfork }: { hardfork: Hardfork }): LastingCode {
  const hashes = new Map<Word, Word>()
  const lasts = isActive('cancun', hardfork)
  return {
    get: (address) => hashes.get(address),
    note(address, codeHash, code) {
      if (!lasts || codeHash === emptyCodeHash || code[0] === designatorStart) return
      if (hashes.size >= capacity) hashes.clear()
      hashes.set(address, codeHash)
    },
  }
}
