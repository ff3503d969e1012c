/** What a caller who met a limit of the pool is told to wait, in ms: about a block, which makes room if anything does. */
export const retryAfterMs = 5_000
