import { expect, test } from 'bun:test'
import { bundleCases } from '../../support/bundleCases.ts'
import { openSimulator } from '../../support/engines.ts'

bundleCases('node')

test('a node that is down is no verdict', async () => {
  const down = await openSimulator({ url: 'http://127.0.0.1:1', chainId: 1 }, { validationEngine: 'node' })
  const from = '0x000000000000000000000000000000000000bEEF'
  const verdict = await down.checkBundle({
    ...{ chainId: 1, version: '0.8', ops: [], gasLimit: 2_000_000n, block: 'latest' },
    ...{ beneficiary: from, from, maxFeePerGas: 1n },
  })
  expect(verdict).toMatchObject({ kind: 'unknown' })
})
