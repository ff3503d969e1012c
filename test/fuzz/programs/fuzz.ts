import { randomCase } from './case.ts'
import { compare } from './compare.ts'
import { minimise } from './minimise.ts'
import { printed } from './print.ts'

type Options = {
  /** The first case; each further one has the next seed. */
  seed: number
  programs: number
  report(line: string): void
}

/** @returns the seeds of the cases that @ethereumjs/evm and we judge differently */
export async function fuzzPrograms({ seed, programs, report }: Options): Promise<number[]> {
  const differing: number[] = []
  for (let number = seed; number < seed + programs; number++) {
    const given = randomCase(number)
    const difference = await compare(given)
    if (difference === undefined) continue
    differing.push(number)
    const smaller = await minimise(given, async (candidate) => (await compare(candidate)) !== undefined)
    report(`seed ${number} differs:\n${printed(smaller, (await compare(smaller)) ?? difference)}`)
  }
  return differing
}
