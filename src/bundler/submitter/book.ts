import type { Address } from 'viem'
import type { SubmitterChain } from '../../types/ports/submitter.ts'
import type { Line } from './line.ts'
import type { ChainView } from './look.ts'

/** All that is known of one chain: its relayers and its newest block. */
export type Book = {
  readonly chain: SubmitterChain
  readonly lines: ReadonlyMap<Address, Line>
  view: ChainView
}
