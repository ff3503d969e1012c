import { type Address, encodeFunctionData, formatEther, type Hex, isAddressEqual, parseAbi } from 'viem'
import type { PriceSettings } from '../../paymaster/prices/open-price.ts'
import type { TokenSettings } from '../../paymaster/tokens/token.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { OperatorPaymaster } from './operators.ts'

/** What is on the chain of a paymaster of the operator's; amounts in wei. */
export type PaymasterState = {
  deposit: bigint
  stake: bigint
  /** A stake that is unlocked is none. */
  staked: boolean
  /** s */
  unstakeDelay: number
  /** Of a token paymaster. */
  signer: Address | undefined
  nativeFeed: Feed | undefined
  tokenFeeds: ReadonlyMap<Address, Feed>
}
export type Feed = { source: Address /** s */; maxAge: number }

/** What should be; amounts in wei. */
export type Wanted = {
  stake: bigint
  /** of a token paymaster: the shared one has its sponsors' deposits */
  deposit: bigint
  /** s */
  unstakeDelay: number
  nativePrice: PriceSettings | undefined
  tokens: readonly TokenSettings[]
}

/** A transaction that the operator has to send. */
export type Step = { what: string; to: Address; data: Hex; value: bigint }

const ownerAbi = parseAbi([
  'function addStake(uint32 unstakeDelaySec) payable',
  'function setSigner(address signer)',
  'function setNativeFeed(address source, uint32 maxAge)',
  'function setTokenFeed(address token, address source, uint32 maxAge)',
])

/** As the constructor leaves it. */
const untouched: PaymasterState = {
  ...{ deposit: 0n, stake: 0n, staked: false, unstakeDelay: 0 },
  ...{ signer: undefined, nativeFeed: undefined, tokenFeeds: new Map() },
}

/** What is left to do; nothing when all is as wanted. @param state `undefined`: it is not deployed */
export function stepsFor(
  paymaster: OperatorPaymaster,
  state: PaymasterState | undefined,
  wanted: Wanted,
): readonly Step[] {
  const { plan, deployment } = paymaster
  if (state === undefined) {
    const { to, data } = deployment
    const signer = plan.kind === 'token' ? plan.signer : undefined
    return [{ what: 'deploy', to, data, value: 0n }, ...stepsFor(paymaster, { ...untouched, signer }, wanted)]
  }
  const { address } = deployment
  const steps: Step[] = []
  if (!state.staked || state.stake < wanted.stake || state.unstakeDelay < wanted.unstakeDelay) {
    // An EntryPoint takes no shorter delay than it has.
    const unstakeDelay = Math.max(state.unstakeDelay, wanted.unstakeDelay)
    const data = encodeFunctionData({ abi: ownerAbi, functionName: 'addStake', args: [unstakeDelay] })
    const value = missing(wanted.stake, state.stake)
    const what = `stake ${formatEther(wanted.stake)} eth for ${unstakeDelay} s`
    steps.push({ what, to: address, data, value })
  }
  if (plan.kind !== 'token') return steps
  if (state.deposit < wanted.deposit) {
    const { address: to, abi } = entryPoints[plan.version]
    const data = encodeFunctionData({ abi, functionName: 'depositTo', args: [address] })
    const value = missing(wanted.deposit, state.deposit)
    steps.push({ what: `deposit ${formatEther(value)} eth`, to, data, value })
  }
  if (state.signer === undefined || !isAddressEqual(state.signer, plan.signer)) {
    const data = encodeFunctionData({ abi: ownerAbi, functionName: 'setSigner', args: [plan.signer] })
    steps.push({ what: `set the signer to ${plan.signer}`, to: address, data, value: 0n })
  }
  return [...steps, ...feedSteps(address, state, wanted)]
}

/** Tokens with `onChainFeed` are priced by the feeds that the service reads. */
function feedSteps(to: Address, state: PaymasterState, { nativePrice, tokens }: Wanted): readonly Step[] {
  const fed = tokens.filter(({ onChainFeed }) => onChainFeed)
  if (fed.length === 0 || nativePrice?.kind !== 'chainlink') return []
  const steps: Step[] = []
  if (!isSame(state.nativeFeed, nativePrice)) {
    const args = [nativePrice.feed, nativePrice.maxAge] as const
    const data = encodeFunctionData({ abi: ownerAbi, functionName: 'setNativeFeed', args })
    steps.push({ what: `set the feed of the native coin to ${nativePrice.feed}`, to, data, value: 0n })
  }
  for (const { address, symbol, price } of fed) {
    if (price.kind !== 'chainlink' || isSame(state.tokenFeeds.get(address), price)) continue
    const args = [address, price.feed, price.maxAge] as const
    const data = encodeFunctionData({ abi: ownerAbi, functionName: 'setTokenFeed', args })
    steps.push({ what: `set the feed of ${symbol} to ${price.feed}`, to, data, value: 0n })
  }
  return steps
}

const isSame = (feed: Feed | undefined, wanted: { feed: Address; maxAge: number }): boolean =>
  feed !== undefined && isAddressEqual(feed.source, wanted.feed) && feed.maxAge === wanted.maxAge

const missing = (wanted: bigint, present: bigint): bigint => (wanted > present ? wanted - present : 0n)
