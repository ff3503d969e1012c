import type { Word } from '../../evm/word.ts'
import type { HashedOwner } from './facts.ts'

/** ERC-7562, associated storage: how far behind a hash its slots go */
const slotsBehindHash = 128n

/** Whether a slot is associated with an owner: it is the owner, or keccak(owner ‖ x) + n. */
export type Association = (owner: Word, slot: Word) => boolean

const made = new WeakMap<readonly HashedOwner[], Association>()

/** Hashes are sorted once: a hostile operation may have made many, and touched many slots. */
export function associationIn(hashed: readonly HashedOwner[]): Association {
  const association = made.get(hashed) ?? associationOf(hashed)
  made.set(hashed, association)
  return association
}

function associationOf(hashed: readonly HashedOwner[]): Association {
  const sorted = new Map<Word, Word[]>()
  const hashesOf = (owner: Word): readonly Word[] => {
    const known = sorted.get(owner)
    if (known !== undefined) return known
    const hashes = hashed.filter((entry) => entry.owner === owner).map(({ hash }) => hash)
    hashes.sort((a, b) => (a < b ? -1 : 1))
    sorted.set(owner, hashes)
    return hashes
  }
  return (owner, slot) => {
    if (slot === owner) return true
    const nearest = lastUpTo(hashesOf(owner), slot)
    return nearest !== undefined && slot - nearest <= slotsBehindHash
  }
}

/** The greatest of ascending `words` that is not above `limit`. */
function lastUpTo(words: readonly Word[], limit: Word): Word | undefined {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle] ?? 0n) <= limit) low = middle + 1
    else high = middle
  }
  return words[low - 1]
}
