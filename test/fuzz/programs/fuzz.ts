import { type Case, randomCase } from './case.ts'
import { compare } from './compare.ts'
import { minimise } from './minimise.ts'
import { printed } from './print.ts'
import { meetsTheirFlaw } from './their-flaws.ts'

type Options = {
  /** The first case; each further one has the next seed. */
  seed: number
  programs: number
  report(line: string): void
}

/** The seeds of the cases that @ethereumjs/evm and we judge differently, and of those where we know why: it is wrong. */
export type Differing = { differing: number[]; theirFlaws: number[] }

export async function fuzzPrograms({ seed, programs, report }: Options): Promise<Differing> {
  const [differing, theirFlaws]: [number[], number[]] = [[], []]
  for (let number = seed; number < seed + programs; number++) {
    const given = randomCase(number)
    const difference = await compare(given)
    if (difference === undefined) continue
    if (meetsTheirFlaw(given)) {
      theirFlaws.push(number)
      continue
    }
    differing.push(number)
    const isStill = async (candidate: Case) =>
      (await compare(candidate)) !== undefined && !meetsTheirFlaw(candidate)
    const smaller = await minimise(given, isStill)
    report(`seed ${number} differs:\n${printed(smaller, (await compare(smaller)) ?? difference)}`)
  }
  return { differing, theirFlaws }
}
