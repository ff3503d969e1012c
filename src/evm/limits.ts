/** Frames that may wait for a frame: the outermost has depth 0. */
export const deepest = 1024

/** Stack items of a frame. */
export const stackLimit = 1024

/** Bytes of deployed code (EIP-170). */
export const mostCode = 24_576

/** Bytes of init code (EIP-3860). */
export const mostInitCode = 2 * mostCode

/** EIP-2681: an account whose nonce is this one sends and creates nothing any more. */
export const lastNonce = 2n ** 64n - 1n
