import { createPublicClient, custom, parseAbi } from 'viem'
import type { ChainSettings } from '../../config/schemas/chain.ts'
import { formatAmount } from '../../paymaster/policies/amounts.ts'
import { openPrice, type PriceSettings } from '../../paymaster/prices/open-price.ts'
import { priceDecimals } from '../../paymaster/prices/price-source.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import { deployedVersions, servedVersions } from '../entrypoints.ts'
import { isDeployed, nameOf, operatorPaymasters } from '../paymaster/operators.ts'
import { attempt, type Finding } from './finding.ts'

const tokenAbi = parseAbi(['function decimals() view returns (uint8)'])
const digits = { shown: priceDecimals, kept: priceDecimals }

/** What the paymaster service of a chain would have, and what it lacks; changes nothing. Nothing where it is off. */
export async function checkPaymaster(
  settings: ChainSettings & { chainId: number },
  node: NodeClient,
): Promise<Finding[]> {
  const { chainId, nativePrice, paymasterKey, tokens } = settings
  const name = `chain ${chainId}`
  const client = createPublicClient({
    transport: custom({ request: ({ method, params }) => node.request(method, params ?? []) }),
  })
  const versions = await versionsOf(settings, node)
  const own = paymasterKey === undefined ? [] : operatorPaymasters({ paymasterKey, versions, tokens })
  const prices = [
    ...(nativePrice === undefined ? [] : [priced('native coin', nativePrice)]),
    ...tokens.map((token) => priced(`token ${token.symbol}`, token.price)),
  ]
  const decimals = tokens.map((token) =>
    attempt(`${name}: token ${token.symbol}`, async () => {
      const { address } = token
      const found = await client.readContract({ address, abi: tokenAbi, functionName: 'decimals' })
      return { ok: found === token.decimals, text: `has ${found} decimals` }
    }),
  )
  const deployed = own.map((paymaster) =>
    attempt(`${name}: ${nameOf(paymaster)}`, async () => {
      const { address } = paymaster.deployment
      return (await isDeployed(address, node))
        ? { ok: true, text: `at ${address}` }
        : { ok: false, text: 'not deployed: run tandem paymaster deploy' }
    }),
  )
  return Promise.all([...prices, ...decimals, ...deployed])

  function priced(what: string, price: PriceSettings): Promise<Finding> {
    return attempt(`${name}: ${what}`, async () => {
      const { usd } = await openPrice(price, { node, now: Date.now })()
      return { ok: true, text: `${formatAmount(usd, digits)} US dollars` }
    })
  }
}

/** None when it cannot be told: that is a finding of its own. */
async function versionsOf(settings: ChainSettings, node: NodeClient): Promise<readonly EntryPointVersion[]> {
  try {
    return servedVersions(settings, await deployedVersions(node))
  } catch {
    return []
  }
}
