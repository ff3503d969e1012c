import { TandemError } from '../../base/errors.ts'

/** -32500: what a run reads leads to ever more that it reads. Honest code is done after a few steps. */
export class ScatteredState extends TandemError {
  override readonly name = 'ScatteredState'
  constructor(rounds: number) {
    super(
      -32500,
      `validation follows pointers through storage: its state was not complete after ${rounds} rounds`,
      {
        hint: 'read fewer storage slots whose place depends on the value of another',
      },
    )
  }
}
