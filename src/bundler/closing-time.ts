/** Left for building, checking, signing and sending a bundle before the block is expected, in ms. */
const leadTime = 200
/** On chains whose blocks come faster than this there is no point in aiming at one; ms. */
const fastBlocks = 500
/** What operations that arrive together are given to travel together, in ms. */
const gatheringTime = 5

/**
 * How long an open bundle may wait for company, in ms: until just before the next expected block, on very fast or
 * unsteady chains a few ms, and never beyond `bundleInterval`.
 * @param blockTime s between blocks, `undefined` when not known or not steady
 * @param blockAt ms since 1970 when the newest block came to be
 */
export function closingDelay(options: {
  now: number
  blockAt: number
  blockTime: number | undefined
  bundleInterval: number
}): number {
  const { now, blockAt, blockTime, bundleInterval } = options
  if (blockTime === undefined || blockTime * 1000 <= fastBlocks)
    return Math.min(gatheringTime, bundleInterval)
  const untilClosing = blockAt + blockTime * 1000 - leadTime - now
  return Math.min(Math.max(untilClosing, gatheringTime), bundleInterval)
}
