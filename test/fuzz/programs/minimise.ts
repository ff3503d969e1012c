import type { Case, CaseAccount } from './case.ts'

const jumpDest = 0x5b

/**
 * A smaller case of which `isStill` says that it is one like `given`: accounts lose their code, code loses stretches to
 * JUMPDESTs, which do nothing and leave every other byte where it was, and ends earlier.
 */
export async function minimise(given: Case, isStill: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let best = given
  for (const place of given.accounts.keys()) {
    const withCode = (code: Uint8Array) => withAccount(best, place, { code })
    const code = best.accounts[place]?.code ?? new Uint8Array(0)
    const smaller = await minimiseCode(code, (candidate) => isStill(withCode(candidate)))
    best = withCode(smaller)
    const bare = withAccount(best, place, { storage: new Map() })
    if (await isStill(bare)) best = bare
  }
  const { message } = best
  if (message.kind === 'create') {
    const withCode = (initCode: Uint8Array): Case => ({ ...best, message: { ...message, initCode } })
    best = withCode(await minimiseCode(message.initCode, (candidate) => isStill(withCode(candidate))))
  }
  return best
}

async function minimiseCode(
  code: Uint8Array,
  isStill: (candidate: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array> {
  let best = code
  for (let size = code.length; size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < best.length; start += size) {
      const shorter = best.subarray(0, start)
      if (await isStill(shorter)) {
        best = shorter
        break
      }
      const blanked = best.slice().fill(jumpDest, start, start + size)
      if (!Bun.deepEquals(blanked, best) && (await isStill(blanked))) best = blanked
    }
  }
  return best
}

function withAccount(given: Case, place: number, change: Partial<CaseAccount>): Case {
  return { ...given, accounts: given.accounts.with(place, { ...accountAt(given, place), ...change }) }
}

function accountAt({ accounts }: Case, place: number): CaseAccount {
  const account = accounts[place]
  if (account === undefined) throw new Error(`no account ${place}`)
  return account
}
