import { Type } from '@sinclair/typebox'

/** Amounts are decimal text, since JSON numbers end at 2^53. */
export const weiText = Type.String({ pattern: '^[0-9]+$', description: 'wei' })
export const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
export const hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
export const hexNumber = Type.String({ pattern: '^0x[0-9a-f]+$' })

/** s, to the millisecond */
export const seconds = Type.Number()
export const inSeconds = (ms: number): number => Math.round(ms) / 1000
