import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import { type AccountChain, signedOperation, simpleAccount } from './accounts.ts'
import { call } from './client.ts'

/** Resolves when the service has seen all that was mined so far: before it refuses, it looks for newer blocks. */
export async function catchUp(url: string, chain: AccountChain): Promise<void> {
  const penniless = formatUserOperation(await signedOperation(chain, await simpleAccount(chain, '0.7')))
  const { address } = entryPoints['0.7']
  const { verdict } = await call<{ verdict: string }>(url, 'bundler_explainUserOperation', penniless, address)
  if (verdict !== 'rejected') throw new Error('an operation that nobody pays for was not refused')
}
