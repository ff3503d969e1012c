import { parseArgs } from 'node:util'
import { type EntryPointVersion, entryPointVersions } from '../src/types/entrypoint-version.ts'
import { benchmarkCrypto } from './crypto.ts'
import { benchmarkEncoding } from './encode.ts'
import { measureEstimates } from './estimate/measure.ts'
import { formatEstimates } from './estimate/report.ts'
import { benchmarkEstimates } from './estimate/warm.ts'
import { benchmarkEvm } from './evm.ts'
import { benchmarkHash } from './hash.ts'
import { alto } from './load/alto.ts'
import { measureLoad } from './load/measure.ts'
import { formatLoad } from './load/report.ts'
import { tandem } from './load/tandem.ts'
import { measurePaymaster } from './paymaster/measure.ts'
import { formatPaymaster } from './paymaster/report.ts'
import { formatTable } from './table.ts'
import { measureValidation } from './validation/measure.ts'
import { formatValidation } from './validation/report.ts'

/**
 * `bun run bench [--against alto] [--operations 300] [--rate 30] [--entrypoint 0.7]`: the load on a development chain
 * and what a sponsorship costs, measured from outside, a validation beside its goals, and what is written by hand beside
 * the library that it replaces.
 */
const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    operations: { type: 'string', default: '300' },
    rate: { type: 'string', default: '30' },
    entrypoint: { type: 'string', default: '0.7' },
  },
})
const peers = { alto }
const version = entryPointVersions.find((known) => known === values.entrypoint)
const peer = values.against === undefined ? undefined : peers[values.against as keyof typeof peers]
if (version === undefined) throw new Error(`--entrypoint: one of ${entryPointVersions.join(', ')}`)
if (values.against !== undefined && peer === undefined)
  throw new Error(`--against: one of ${Object.keys(peers)}`)

const options = {
  version: version as EntryPointVersion,
  operations: Number(values.operations),
  rate: Number(values.rate),
}
await peer?.prepare()
const ours = await measureLoad(tandem, options)
const theirs = peer && { name: peer.name, figures: await measureLoad(peer, options) }
process.stdout.write(
  `EntryPoint ${version}, ${options.operations} operations at ${options.rate}/s, then as many at once\n\n`,
)
const estimates = await measureEstimates(peer === undefined ? [tandem] : [tandem, peer], options.version)
process.stdout.write(`${formatLoad(ours, theirs)}\n${formatEstimates(estimates)}\n`)
process.stdout.write(`${formatValidation(await measureValidation())}\n`)
process.stdout.write(`${formatPaymaster(await measurePaymaster())}\n`)
process.stdout.write(
  formatTable([
    ...benchmarkHash(),
    ...benchmarkEncoding(),
    ...(await benchmarkEvm()),
    ...(await benchmarkEstimates()),
    ...(await benchmarkCrypto()),
  ]),
)
