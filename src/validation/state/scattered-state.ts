/** What a run reads leads to ever more that it reads. Honest code is done after a few steps. */
export class ScatteredState extends Error {
  override readonly name = 'ScatteredState'
  constructor(rounds: number) {
    super(`the operation follows pointers through storage: its state was not complete after ${rounds} rounds`)
  }
}
