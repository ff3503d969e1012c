const wideGas =
  'hands 2^63 gas down 1,023 calls: gas is a number here, exact to 2^53, millions of times what a block holds'

/** Cases that are not run, each with its reason. */
export const excluded: ReadonlyMap<string, string> = new Map([
  ['static_LoopCallsDepthThenRevert2 d0 g0 v0', wideGas],
  ['static_LoopCallsDepthThenRevert3 d0 g0 v0', wideGas],
])
