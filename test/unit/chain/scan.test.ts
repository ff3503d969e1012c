import { expect, test } from 'bun:test'
import { NodeError } from '../../../src/chain/node-error.ts'
import { createEventScan } from '../../../src/chain/scan.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import { fakeNode } from '../../support/fakeBundler.ts'

/** A node without logs that takes `widest` blocks at a time, and the ranges that it was asked for. */
function nodeTaking(widest: () => number) {
  const asked: [from: number, to: number][] = []
  const request = (async (_method, [filter]) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    asked.push([from, to])
    if (to - from + 1 > widest()) throw new NodeError(-32614, 'eth_getLogs is limited to a 10,000 range')
    return []
  }) as NodeClient['request']
  return { asked, scan: createEventScan(fakeNode({ request })) }
}

/** Whether the ranges that were taken cover all blocks once and in order. */
function covered(asked: readonly (readonly [number, number])[], widest: number): number[] {
  return asked.filter(([from, to]) => to - from + 1 <= widest).flatMap(([from, to]) => range(from, to))
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('a range is asked for at once', async () => {
  const { asked, scan } = nodeTaking(() => 10_000)
  await scan({ from: 5, to: 1028, entryPoints: [] })
  expect(asked).toEqual([[5, 1028]])
})

for (const widest of [10, 100, 500, 1023]) {
  test(`a node that takes ${widest} blocks at a time gets a wider range in pieces`, async () => {
    const { asked, scan } = nodeTaking(() => widest)
    await scan({ from: 5, to: 1028, entryPoints: [] })
    expect(covered(asked, widest)).toEqual(range(5, 1028))
  })
}

test('what a node takes is remembered, and more is tried with each scan', async () => {
  let widest = 100
  const { asked, scan } = nodeTaking(() => widest)
  await scan({ from: 0, to: 255, entryPoints: [] })
  asked.length = 0
  widest = 1000
  await scan({ from: 0, to: 255, entryPoints: [] })
  expect(asked).toEqual([
    [0, 127],
    [128, 255],
  ])
})

test('a node that takes next to nothing is given up on, and it is no answer', async () => {
  const { asked, scan } = nodeTaking(() => 1)
  await expect(scan({ from: 0, to: 1023, entryPoints: [] })).rejects.toMatchObject({ code: -32603 })
  expect(asked.length).toBeLessThanOrEqual(256)
})

test('one block with too many logs is given up on', async () => {
  const { scan } = nodeTaking(() => 0)
  await expect(scan({ from: 7, to: 8, entryPoints: [] })).rejects.toMatchObject({ code: -32603 })
})
