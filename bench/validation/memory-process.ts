import { numberToHex } from 'viem'
import type { Head } from '../../src/types/block.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { openSimulator } from '../../test/support/engines.ts'
import { jobOf } from './setting.ts'

/** What a process with one simulator is told to do, and what it tells when that is done. */
export type MemoryTask = {
  chain: { url: string; chainId: number }
  op: UserOperation
  block: Head
  /** First of the addresses in a row that have the code and the storage of the operation's sender. */
  first: bigint
  accounts: number
}
/** MB of the whole process: before it had loaded anything of a simulator's state, and at the end. */
export type MemoryTold = { before: number; after: number; seen: number }

/** Validations under way at one time. */
const open = 16

process.on('message', (task: MemoryTask) => {
  void run(task).then((told) => {
    process.send?.(told)
    process.disconnect?.()
  })
})

/** One after the other; all of them in one block, which is what the state is kept of. */
async function run({ chain, op, block, first, accounts }: MemoryTask): Promise<MemoryTold> {
  const before = residentMb()
  const simulator = await openSimulator(chain)
  let next = 0
  let seen = 0
  const client = async () => {
    while (next < accounts) {
      const sender = numberToHex(first + BigInt(next), { size: 20 })
      next += 1
      const verdict = await simulator.validate(jobOf(chain.chainId, { ...op, sender }, block))
      // The signature is another account's: found out at the end of a whole run.
      if (verdict.kind === 'rejected' && verdict.error.message.includes('AA24')) seen += 1
    }
  }
  await Promise.all(Array.from({ length: open }, client))
  Bun.gc(true)
  return { before, after: residentMb(), seen }
}

const residentMb = (): number => process.memoryUsage.rss() / 2 ** 20
