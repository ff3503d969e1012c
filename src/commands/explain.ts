import { describe } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { loadExplainConfiguration } from '../config/load.ts'
import { explainOnChain } from '../service/explain/explain-on-chain.ts'
import { explanationText } from '../service/explain/text.ts'
import { configured } from './configured.ts'

/** What bundler_explainUserOperation tells, for people. Gives the exit code: 1 when the operation is not accepted. */
export async function run(args: readonly string[]): Promise<number> {
  const [path = '', ...rest] = args
  if (path === '' || path.startsWith('--')) {
    process.stderr.write(
      'tandem: explain needs the file with the operation: tandem explain op.json --rpc-url …\n',
    )
    return 2
  }
  const configuration = configured(() => loadExplainConfiguration({ args: rest, env: process.env }))
  if (configuration === undefined) return 2
  const [chain, another] = configuration.chains
  if (chain === undefined || another !== undefined) {
    process.stderr.write('tandem: the file has several chains: name one by --rpc-url, without --config\n')
    return 2
  }
  try {
    const json: unknown = await Bun.file(path).json()
    const context = { log: createLog({ level: 'silent' }), metrics: createMetrics() }
    const explained = await explainOnChain({ json, configured: chain }, context)
    process.stdout.write(explanationText(explained))
    return explained.explanation.verdict.kind === 'accepted' ? 0 : 1
  } catch (error) {
    process.stderr.write(`tandem: ${describe(error)}\n`)
    return 2
  }
}
