import { type Hex, hexToBytes } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { Hardfork } from '../../../src/evm/hardfork.ts'
import type { TransactionResult } from '../../../src/evm/transaction/run-transaction.ts'
import type { Transaction } from '../../../src/evm/transaction/transaction.ts'
import { type Random, random } from '../../support/random.ts'
import { type Fate, mine, type Sent } from './chain.ts'
import { type Changes, hexAddress, type Mirror, mirrorOf } from './mirror.ts'
import { type Scene, startScene } from './scene.ts'
import { randomTransaction } from './transactions.ts'

type Options = {
  hardfork: Hardfork
  seed: number
  calls: number
  report(line: string): void
}

/** How many transactions were compared, and how they ended on the chain. */
export type Tally = {
  compared: number
  succeeded: number
  failed: number
  refused: number
  differing: number
}

/**
 * Random transactions to real contracts on anvil and in our EVM, block by block; stops at the first block in which
 * something differs, as all that follows would.
 */
export async function fuzzContracts({ hardfork, seed, calls, report }: Options): Promise<Tally> {
  const scene = await startScene(hardfork)
  try {
    const { url, chainId } = scene.chain
    const mirror = await mirrorOf(url, chainId, hardfork)
    const source = random(seed)
    const tally: Tally = { compared: 0, succeeded: 0, failed: 0, refused: 0, differing: 0 }
    while (tally.compared < calls && tally.differing === 0) {
      await fuzzBlock(source, scene, mirror, tally, report)
    }
    const elsewhere = tally.differing === 0 ? await mirror.differing(url) : []
    for (const address of elsewhere) report(`in the end ${address} differs`)
    return { ...tally, differing: tally.differing + elsewhere.length }
  } finally {
    await scene.stop()
  }
}

/** The last ones only authorize. */
const silent = 3

async function fuzzBlock(
  source: Random,
  scene: Scene,
  mirror: Mirror,
  tally: Tally,
  report: Options['report'],
): Promise<void> {
  const sent: Sent[] = []
  // One each: a nonce never waits for one that was refused.
  for (const from of scene.senders.slice(0, -silent)) {
    sent.push(await randomTransaction(source, scene, mirror, from))
  }
  const { environment, parentHash, transactions, refused } = await mine(scene.chain.url, sent)
  mirror.beginBlock(environment.number, parentHash)
  for (const transaction of refused) {
    tally.refused += 1
    const { result } = mirror.run(await ours(transaction), environment)
    if (result.kind === 'rejected') continue
    tally.differing += 1
    report(`anvil refuses what we run:\n${printed(transaction)}`)
  }
  for (const { sent: transaction, fate } of transactions) {
    const { result, changes } = mirror.run(await ours(transaction), environment)
    const differences = differencesOf(fate, fateOf(result, changes))
    tally.compared += 1
    tally[fate.status === 'success' ? 'succeeded' : 'failed'] += 1
    if (differences.length === 0) continue
    tally.differing += 1
    report(`transaction ${tally.compared} differs:\n${printed(transaction)}\n${differences.join('\n')}`)
  }
}

async function ours({
  from,
  to,
  data,
  accessList,
  authorizations,
  gas,
  ...rest
}: Sent): Promise<Transaction> {
  return {
    ...rest,
    sender: BigInt(from),
    to: to === undefined ? undefined : BigInt(to),
    data: hexToBytes(data),
    gasLimit: gas,
    accessList: accessList.map(({ address, storageKeys }) => ({
      address: BigInt(address),
      slots: storageKeys.map((slot) => BigInt(slot)),
    })),
    ...(authorizations.length > 0 && {
      authorizations: await Promise.all(
        authorizations.map(async (authorization) => ({
          chainId: BigInt(authorization.chainId),
          delegate: BigInt(authorization.address),
          nonce: BigInt(authorization.nonce),
          authority: BigInt(await recoverAuthorizationAddress({ authorization })),
        })),
      ),
    }),
  }
}

function fateOf(result: TransactionResult, changes: Changes): Fate {
  if (result.kind === 'rejected') throw new Error(`anvil mined what we reject: ${result.reason}`)
  const { outcome, gasUsed, logs } = result
  return {
    status: outcome.kind === 'returned' ? 'success' : 'failure',
    gasUsed: String(gasUsed),
    output: 'output' in outcome ? outcome.output.toHex() : '',
    logs: logs.map(({ address, topics, data }) =>
      [hexAddress(address), ...topics.map(word), `0x${data.toHex()}`].join(' '),
    ),
    changes,
  }
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

function differencesOf(theirs: Fate, our: Fate): string[] {
  const fields = ['status', 'gasUsed', 'output', 'logs'] as const
  const places = new Set([...theirs.changes.keys(), ...our.changes.keys()])
  return [
    ...fields
      .filter((field) => !Bun.deepEquals(theirs[field], our[field]))
      .map((field) => `  ${field}: anvil ${theirs[field]}, ours ${our[field]}`),
    ...[...places]
      .filter((place) => theirs.changes.get(place) !== our.changes.get(place))
      .map((place) => `  ${place}: anvil ${theirs.changes.get(place)}, ours ${our.changes.get(place)}`),
  ]
}

function printed(transaction: Sent): string {
  return `  ${JSON.stringify(transaction, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`
}
