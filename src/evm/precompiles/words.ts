/** Words of 32 bytes that the input fills, the last perhaps in part. */
export function wordsOf(input: Uint8Array): number {
  return Math.ceil(input.length / 32)
}
