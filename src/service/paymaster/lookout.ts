import { describe } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import { isDeployed, nameOf, type OperatorPaymaster } from './operators.ts'

/** ms between looks: whoever has just deployed does not wait for long, and it is a call for each that is missing */
export const lookInterval = 5_000

/** Those of `planned` that are on the chain. @throws Unavailable */
export async function present(
  planned: readonly OperatorPaymaster[],
  node: NodeClient,
): Promise<readonly OperatorPaymaster[]> {
  const found = await Promise.all(planned.map(({ deployment }) => isDeployed(deployment.address, node)))
  return planned.filter((_, index) => found[index])
}

/** Looks again and again for what is missing, until all of it is there; `onFound` gets what was not there before. */
export function lookOut(
  options: { missing: readonly OperatorPaymaster[] /** ms */; interval: number },
  { node, log, signal }: { node: NodeClient; log: Log; signal: AbortSignal },
  onFound: (found: readonly OperatorPaymaster[]) => Promise<void>,
): void {
  let { missing } = options
  if (missing.length === 0) return
  let isLooking = false
  const timer = setInterval(() => void look(), options.interval)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      const found = await present(missing, node)
      if (found.length > 0 && !signal.aborted) {
        await onFound(found)
        missing = missing.filter((paymaster) => !found.includes(paymaster))
        for (const paymaster of found)
          log.info('paymaster found', { paymaster: nameOf(paymaster), address: paymaster.deployment.address })
      }
      if (missing.length === 0) clearInterval(timer)
    } catch (error) {
      log.warn('not looked for paymasters', { error: describe(error) })
    } finally {
      isLooking = false
    }
  }
}
