import type { Word } from './word.ts'

/** A contract that the chain itself implements. Pure, bounded by its gas. */
export type Precompile = {
  /** In gas, paid before it runs; it is not run where the frame has less. */
  gas(input: Uint8Array): number
  /**
   * `undefined`: the call fails and all its gas is gone.
   * @throws Unsupported what stands for a precompile of a chain's own
   */
  run(input: Uint8Array): Uint8Array | undefined
}

/** By address. */
export type Precompiles = ReadonlyMap<Word, Precompile>
