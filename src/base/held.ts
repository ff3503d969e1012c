/** A condition that is told of when it lasts, and not whenever it changes for a moment. */
export type Held = {
  /** It was told to be so. */
  raised: boolean
  /** ms since 1970 at which it was first seen to be other than told */
  otherSince: number | undefined
}

export const calm: Held = { raised: false, otherSince: undefined }

/** @param options.raiseAfter ms that it must last before it is raised; `clearAfter` before it is cleared */
export function hold(
  before: Held,
  isSo: boolean,
  now: number,
  { raiseAfter, clearAfter }: { raiseAfter: number; clearAfter: number },
): Held {
  if (isSo === before.raised) return { ...before, otherSince: undefined }
  const otherSince = before.otherSince ?? now
  const lasts = now - otherSince >= (isSo ? raiseAfter : clearAfter)
  return lasts ? { raised: isSo, otherSince: undefined } : { ...before, otherSince }
}
