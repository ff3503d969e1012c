import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { gasPriceOracle } from '../../../../src/chain/data-fee/op-stack.ts'
import { createDataFeeOracle, detectDataFee } from '../../../../src/chain/data-fee/oracle.ts'
import type { NodeClient } from '../../../../src/types/ports/chain.ts'
import { type DataFeeContracts, dataFeeContracts } from '../../../support/dataFees.ts'
import { type DevChain, rpc, startDevChain } from '../../../support/devChain.ts'
import { latestBlock, nodeOf } from '../../../support/simulation.ts'
import { fakeHeads, head } from '../../bundler/support.ts'

let chain: DevChain
let contracts: DataFeeContracts
let clean: unknown
beforeAll(async () => {
  contracts = await dataFeeContracts()
  chain = await startDevChain()
  clean = await rpc(chain.url, 'evm_snapshot')
})
beforeEach(async () => {
  await rpc(chain.url, 'evm_revert', [clean])
  clean = await rpc(chain.url, 'evm_snapshot')
})
afterAll(() => chain.stop())

const newest = async () => ({ ...head(1), ...(await latestBlock(chain)) })

describe('a chain of which nothing is known', () => {
  test('has no data fees without an oracle', async () => {
    expect(await detectDataFee(nodeOf(chain))).toBe('none')
  })

  test('has those of the OP Stack with its oracle', async () => {
    await contracts.place(chain, 'IsthmusOracle', gasPriceOracle)
    expect(await detectDataFee(nodeOf(chain))).toBe('op-stack')
  })

  test("has Arbitrum's with a node of Arbitrum", async () => {
    await contracts.likeArbitrum(chain, 1n)
    expect(await detectDataFee(nodeOf(chain))).toBe('arbitrum')
  })

  test('has unknown ones with an oracle of another form', async () => {
    await contracts.place(chain, 'EcotoneOracle', gasPriceOracle)
    expect(await detectDataFee(nodeOf(chain))).toBe('unknown')
  })
})

test("the operator's fee is read in whatever formula the fork has", async () => {
  await contracts.place(chain, 'IsthmusOracle', gasPriceOracle)
  const heads = fakeHeads(await newest())
  expect(await createDataFeeOracle({ kind: 'op-stack' }, { client: nodeOf(chain), heads }).prices()).toEqual({
    kind: 'op-stack',
    ...{ l1BaseFee: 1n, blobBaseFee: 2n, baseFeeScalar: 3n, blobBaseFeeScalar: 4n },
    ...{ operatorFeePerMillionGas: 700_000_000n, operatorFeeConstant: 9n },
  })
})

test("Arbitrum's price and level of compression are read", async () => {
  await contracts.likeArbitrum(chain, 123n)
  const heads = fakeHeads(await newest())
  expect(await createDataFeeOracle({ kind: 'arbitrum' }, { client: nodeOf(chain), heads }).prices()).toEqual({
    kind: 'arbitrum',
    ...{ pricePerUnit: 123n, compressionLevel: 1 },
  })
})

test('prices are of the block that is known, read once for it', async () => {
  await contracts.likeArbitrum(chain, 100n)
  const before = await newest()
  await contracts.setPricePerUnit(chain, 200n)
  const heads = fakeHeads(before, await newest())
  const { client, calls } = counting(nodeOf(chain))
  const oracle = createDataFeeOracle({ kind: 'arbitrum' }, { client, heads })
  const prices = await Promise.all([oracle.prices(), oracle.prices(), oracle.prices()])
  expect(prices.map((each) => each.kind === 'arbitrum' && each.pricePerUnit)).toEqual([100n, 100n, 100n])
  expect(calls()).toBe(2)
  await heads.refresh()
  expect(await oracle.prices()).toMatchObject({ pricePerUnit: 200n })
})

test('a chain that does not answer as it should has no prices, and is asked again', async () => {
  const heads = fakeHeads(await newest())
  const oracle = createDataFeeOracle({ kind: 'op-stack' }, { client: nodeOf(chain), heads })
  await expect(oracle.prices()).rejects.toMatchObject({ code: -32603 })
  await contracts.place(chain, 'IsthmusOracle', gasPriceOracle)
  expect(await oracle.prices()).toMatchObject({ kind: 'op-stack' })
})

function counting(node: NodeClient): { client: NodeClient; calls: () => number } {
  let calls = 0
  return {
    calls: () => calls,
    client: {
      ...node,
      requestAt(...call) {
        calls += 1
        return node.requestAt(...call)
      },
    },
  }
}
