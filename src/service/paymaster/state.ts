import { type Address, type PublicActions, parseAbi } from 'viem'
import type { TokenSettings } from '../../paymaster/tokens/token.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { OperatorPaymaster } from './operators.ts'
import type { Feed, PaymasterState } from './steps.ts'

const tokenAbi = parseAbi([
  'function signer() view returns (address)',
  'function nativeFeed() view returns (address source, uint32 maxAge, uint8 feedDecimals, uint8 coinDecimals)',
  'function tokenFeed(address token) view returns (address source, uint32 maxAge, uint8 feedDecimals, uint8 coinDecimals)',
])
/** In 0.6 the deposit has fewer bits, and is encoded alike. */
const entryPointAbi = parseAbi([
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
])

/** What is on the chain; `undefined` when it is not deployed. */
export async function readState(
  { plan, deployment: { address } }: OperatorPaymaster,
  tokens: readonly TokenSettings[],
  client: Pick<PublicActions, 'getCode' | 'readContract'>,
): Promise<PaymasterState | undefined> {
  if ((await client.getCode({ address })) === undefined) return undefined
  const entryPoint = entryPoints[plan.version].address
  const info = await client.readContract({
    ...{ address: entryPoint, abi: entryPointAbi },
    ...{ functionName: 'getDepositInfo', args: [address] },
  })
  const atEntryPoint = {
    deposit: info.deposit,
    stake: info.stake,
    staked: info.staked,
    unstakeDelay: info.unstakeDelaySec,
  }
  if (plan.kind !== 'token')
    return { ...atEntryPoint, signer: undefined, nativeFeed: undefined, tokenFeeds: new Map() }
  const contract = { address, abi: tokenAbi }
  const feeds = tokens.map(async (token) => {
    const feed = await client.readContract({ ...contract, functionName: 'tokenFeed', args: [token.address] })
    return [token.address, feedOf(feed)] as const
  })
  return {
    ...atEntryPoint,
    signer: await client.readContract({ ...contract, functionName: 'signer' }),
    nativeFeed: feedOf(await client.readContract({ ...contract, functionName: 'nativeFeed' })),
    tokenFeeds: new Map(await Promise.all(feeds)),
  }
}

const feedOf = ([source, maxAge]: readonly [Address, number, number, number]): Feed => ({ source, maxAge })
