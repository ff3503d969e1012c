import type { TraceFrame } from './trace.ts'
export function unassignedIn(_: TraceFrame): readonly number[] { return [] }
