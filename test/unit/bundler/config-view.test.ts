import { expect, test } from 'bun:test'
import { parseEther } from 'viem'
import { formatConfig } from '../../../src/bundler/config-view.ts'
import { address } from '../../support/builders.ts'

const view = {
  ...{ chainId: 1337, testing: false, redirectRpc: true, entryPoints: [address(1)], relayers: [address(2)] },
  ...{ minInclusionDenominator: 10, throttlingSlack: 10, banSlack: 50, minStake: 10n, minUnstakeDelay: 1 },
  ...{ minSignerBalance: parseEther('0.1'), multicall: address(3), estimationStaticBuffer: 0n },
  ...{ validationGasLimit: 5n, receiptLookupRange: 6, explorerApiKey: true, conditionalTransactions: false },
  ...{ rpcEndpointSubmit: true, gasPriceMarkup: 0, enforceGasPrice: false, enforceGasPriceThreshold: 1000 },
  ...{ eip2930: false, useropsTTL: 300, whitelistedEntities: { paymaster: [], account: [], factory: [] } },
  ...{ bundleGasLimitMarkup: 0n, relayingMode: 'classic', bundleInterval: 1, bundleSize: 2, pvgMarkup: 0n },
  skipBundleValidation: false,
}

test('keys and addresses with keys are shown as being there', () => {
  expect(formatConfig(view)).toMatchObject({ explorerApiKey: true, rpcEndpointSubmit: true })
})

test('nothing but the documented fields is shown, whatever else the settings carry', () => {
  const secret = { relayerKeys: ['0xsecret'], rpcUrl: ['https://node/secret'] }
  expect(JSON.stringify(formatConfig({ ...view, ...secret }))).not.toContain('secret')
})

test('without a beneficiary of its own, a chain shows its first relayer', () => {
  expect(formatConfig(view)).toMatchObject({ beneficiary: address(2) })
  expect(formatConfig({ ...view, beneficiary: address(9) })).toMatchObject({ beneficiary: address(9) })
})
