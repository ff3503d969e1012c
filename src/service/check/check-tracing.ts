import type { Context } from '../../base/context.ts'
import { describe } from '../../base/errors.ts'
import { redactUrl } from '../../base/log.ts'
import { createNodeClient } from '../../chain/client.ts'
import { requestUrls } from '../../chain/node-url.ts'
import type { ChainSettings } from '../../config/schemas/chain.ts'
import { findTracer, type TracerKind } from '../../validation/traced/tracer-kind.ts'
import type { Finding } from './finding.ts'

const texts: Readonly<Record<TracerKind, string>> = {
  native: 'traces validation by its own tracer (erc7562Tracer)',
  script: 'traces validation by a script of ours',
}

/** How each node traces validation. Where validation is the nodes' alone, and has to be traced, one of them must. */
export async function checkTracing(
  settings: Pick<ChainSettings, 'rpcUrl' | 'nodeTimeout' | 'validationEngine' | 'lowestValidation'> & {
    chainId: number
  },
  context: Context,
): Promise<readonly Finding[]> {
  const { rpcUrl, validationEngine, lowestValidation } = settings
  const found = await Promise.all(requestUrls(rpcUrl).map(lookAt))
  const isNeeded = validationEngine === 'node' && lowestValidation !== 'basic'
  const ok = !isNeeded || found.some(({ traces }) => traces)
  return found.map(({ traces, text }) => ({ ok: ok || traces, text }))

  async function lookAt(url: string): Promise<{ traces: boolean; text: string }> {
    const { chainId, nodeTimeout: timeoutMs } = settings
    const node = createNodeClient({ chainId, urls: [url], timeoutMs }, context)
    const name = `node ${redactUrl(url)}`
    try {
      const kind = await findTracer(node)
      return {
        traces: kind !== undefined,
        text: `${name}: ${kind === undefined ? 'has no tracer for validation' : texts[kind]}`,
      }
    } catch (error) {
      return { traces: false, text: `${name}: tracer for validation: ${describe(error)}` }
    } finally {
      await node.close()
    }
  }
}
