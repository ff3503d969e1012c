import { parseHeader, type RpcHeader } from '../../src/chain/header.ts'
import type { Head } from '../../src/types/block.ts'
import type { ValidateJob } from '../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { TestAccount } from '../../test/support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../../test/support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../../test/support/faultyProxy.ts'
import { fleet, operation } from '../../test/support/fleet.ts'

/** A chain that stands still, and operations of deployed SimpleAccounts 0.7 on it, one each. */
export type Setting = {
  chain: DevChain
  /** The chain behind a counter of calls. */
  counted: FaultyProxy & { chainId: number }
  ops: readonly UserOperation[]
  stop(): Promise<void>
}

export async function validationSetting(size: number): Promise<Setting> {
  const chain = await startDevChain({ extraArguments: ['--gas-limit', '60000000'] })
  const accounts = await fleet(chain, '0.7', size)
  await deployed(chain, accounts)
  const ops = await Promise.all(accounts.map((account) => operation(chain, account)))
  const proxy = startFaultyProxy(chain.url)
  return {
    chain,
    counted: Object.assign(proxy, { chainId: chain.chainId }),
    ops,
    async stop() {
      await proxy.stop()
      await chain.stop()
    },
  }
}

/** ms between looks at the chain */
const lookEvery = 20

/** anvil answers before it mines, and the chain shall stand still. */
async function deployed({ url }: DevChain, accounts: readonly TestAccount[]): Promise<void> {
  for (const { address } of accounts)
    while ((await rpc(url, 'eth_getCode', [address, 'latest'])) === '0x') await Bun.sleep(lookEvery)
}

/** The newest block, with all that the head follower tells of one. */
export async function headOf({ url }: { url: string }): Promise<Head> {
  return parseHeader(await rpc<RpcHeader>(url, 'eth_getBlockByNumber', ['latest', false]))
}

export function jobOf(chainId: number, op: UserOperation, block: Head): ValidateJob {
  return { chainId, op, block, nonceSequence: undefined }
}
