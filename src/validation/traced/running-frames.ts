import type { Word } from '../../evm/word.ts'
import type { TraceFrame } from './trace.ts'

/** A frame, and the address that it ran as: whose storage it works on. */
export type RunningFrame = { readonly frame: TraceFrame; readonly by: Word }

/** Stands for the address of a creation that failed, which no tracer has to tell: nobody's storage. */
const nobody: Word = 0n

/** A frame and all below it. */
export function runningFrames(frame: TraceFrame): readonly RunningFrame[] {
  // Nothing runs where a SELFDESTRUCT sends its balance.
  if (frame.type === 'SELFDESTRUCT') return []
  return [{ frame, by: runningAddress(frame) }, ...frame.calls.flatMap(runningFrames)]
}

export const isCreation = ({ type }: TraceFrame): boolean => type === 'CREATE' || type === 'CREATE2'

/** What a creation made or would have made; `undefined`: the trace does not say. */
export function createdAddress(frame: TraceFrame): Word | undefined {
  return frame.to ?? frame.calls[0]?.from
}

function runningAddress(frame: TraceFrame): Word {
  if (isCreation(frame)) return createdAddress(frame) ?? nobody
  const { type, from, to } = frame
  return type === 'DELEGATECALL' || type === 'CALLCODE' ? from : (to ?? nobody)
}
