import { entryPointVersions } from '../src/types/entrypoint-version.ts'
import { measureEstimates } from './estimate/measure.ts'
import { formatEstimates } from './estimate/report.ts'
import { alto } from './load/alto.ts'
import { tandem } from './load/tandem.ts'

/** `bun bench/estimate.ts`: the estimates alone, of every EntryPoint, beside alto's. */
await alto.prepare()
for (const version of entryPointVersions) {
  const figures = await measureEstimates([tandem, alto], version)
  process.stdout.write(`EntryPoint ${version}\n\n${formatEstimates(figures)}\n`)
}
