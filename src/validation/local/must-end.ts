import { type ErrorData, TandemError } from '../../base/errors.ts'
import { StepsExceeded } from '../../evm/outcome.ts'
import type { UserOperation } from '../../types/userop.ts'
import { blame } from '../rejection.ts'
import { ScatteredState } from '../state/scattered-state.ts'

/** What stands for a run that has no end: an operation is refused for it. @throws what `task` throws otherwise */
export async function mustEnd<Result>(op: UserOperation, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    throw endless(error, blame(op, 'account')) ?? error
  }
}

/** -32500 for an error that says that a run has no end; `undefined` for others. */
export function endless(error: unknown, about: ErrorData = {}): TandemError | undefined {
  if (error instanceof StepsExceeded) {
    return new TandemError(-32500, 'the operation takes too long: it runs more opcodes than any honest one', {
      ...about,
      hint: 'do less, or do it by precompiles',
    })
  }
  if (error instanceof ScatteredState) {
    return new TandemError(-32500, error.message, {
      ...about,
      hint: 'read fewer storage slots whose place depends on the value of another',
    })
  }
  return undefined
}
