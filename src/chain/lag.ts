/** When the chain was first seen at each height, lowest first; ms since 1970. */
export type Ascent = readonly { height: number; at: number }[]

/** Heights that are remembered: far more than fit into the longest lag that is tolerated, at a look every few seconds. */
const most = 64

/** @param heights of the nodes that answered at once; what was seen above all of them was a mistake, and is forgotten */
export function withHeights(ascent: Ascent, heights: readonly number[], at: number): Ascent {
  if (heights.length === 0) return ascent
  const highest = Math.max(...heights)
  const believed = ascent.filter(({ height }) => height <= highest)
  const grown = highest > (believed.at(-1)?.height ?? -1) ? [...believed, { height: highest, at }] : believed
  return grown.slice(-most)
}

/** ms since the chain went past `height`; 0 for a node that has the newest block. */
export function lagOf(ascent: Ascent, height: number, now: number): number {
  const passed = ascent.find((step) => step.height > height)
  return passed === undefined ? 0 : now - passed.at
}
