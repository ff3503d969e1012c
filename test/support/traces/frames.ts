import type { Trace, TraceFrame } from '../../../src/validation/traced/trace.ts'

/** A call by nobody to nobody that did nothing; `changes` make it another. */
export function frame(changes: Partial<TraceFrame> = {}): TraceFrame {
  return {
    type: 'CALL',
    from: 0n,
    to: 0n,
    value: 0n,
    input: '0x',
    output: '0x',
    gasUsed: 0,
    error: undefined,
    outOfGas: false,
    reads: [],
    writes: [],
    transientReads: [],
    transientWrites: [],
    opcodes: new Map(),
    looksAtCode: [],
    contracts: [],
    calls: [],
    ...changes,
  }
}

export const traceOf = (...calls: TraceFrame[]): Trace => ({ root: frame({ calls }), preimages: [] })
