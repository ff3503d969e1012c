import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
} from 'viem'
import { paymasterDeployment } from '../../../src/contracts/paymaster/deployment.ts'
import { operatorPaymasters } from '../../../src/service/paymaster/operators.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../../src/types/rpc-userop.ts'
import { execute } from '../accounts.ts'
import { address } from '../builders.ts'
import { transact } from '../bundles.ts'
import type { DevChain } from '../devChain.ts'
import { fleet, operation } from '../fleet.ts'
import { type PaymasterHome, paymasterKey, type TestKey } from '../paymasterService.ts'
import type { Owned } from './left.ts'
import type { Template, Values } from './template.ts'

/** A tenant that walks the table, and what is known to it. */
export type Walker = { key: TestKey; owned: Owned; values: Values }

const suffixes = { '0.6': '06', '0.7': '07', '0.8': '08' } as const
const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
])
/** A sender without a wallet. */
const other = getAddress(address(0x52))

/** A new tenant, and wallets of its own that it may sponsor or have pay. */
export async function newWalker(name: string, chain: DevChain, home: PaymasterHome): Promise<Walker> {
  const key = await home.createKey(name)
  const owner = key.wallet
  const ownOf = (version: EntryPointVersion) =>
    paymasterDeployment({ kind: 'verifying', version, owner, signer: owner }).address
  const own = { EPV_06: ownOf('0.6'), EPV_07: ownOf('0.7'), EPV_08: ownOf('0.8') }
  const values: Values = {
    ...{ chain: chain.chainId, chainHex: numberToHex(chain.chainId), other, ...(await known(chain, home)) },
    ...{ wallet: owner, own06: own.EPV_06, own07: own.EPV_07, own08: own.EPV_08 },
  }
  const senders = [String(values.sender06) as Address, other]
  return { key, values, owned: { wallet: owner, own, shared: planned('sponsor', '0.6', home), senders } }
}

/** The operator's paymasters, and for each version a wallet of somebody who has tokens, with what it wants to do. */
async function known(chain: DevChain, home: PaymasterHome): Promise<Values> {
  const [usdx, gld] = home.money.tokens
  const values: Record<string, Template> = { usdx: usdx.address }
  for (const version of entryPointVersions) {
    const suffix = suffixes[version]
    const [account] = await fleet(chain, version, 1)
    if (account === undefined) throw new Error('an account')
    const paymasterAddress = planned('token', version, home)
    const mint = { functionName: 'mint', args: [account.address, 10n ** 12n] } as const
    await transact(chain, usdx.address, encodeFunctionData({ abi: tokenAbi, ...mint }))
    const approve = { functionName: 'approve', args: [paymasterAddress, maxUint256] } as const
    const approval = execute(usdx.address, 0n, encodeFunctionData({ abi: tokenAbi, ...approve }))
    const wire = async (callData: Hex) =>
      formatUserOperation(await operation(chain, account, { callData })) as Template
    const { chainId } = chain
    const entries = [usdx, gld].map(({ address: gasToken, decimals }) => ({
      ...{ paymasterAddress, gasToken, chainId, decimals },
    }))
    Object.assign(values, {
      [`sender${suffix}`]: account.address,
      [`entryPoint${suffix}`]: entryPoints[version].address,
      [`tokens${suffix}`]: paymasterAddress,
      [`common${suffix}`]: JSON.stringify(entries),
      [`op${suffix}`]: await wire('0x'),
      [`payingOp${suffix}`]: await wire(approval),
    })
  }
  return values
}

function planned(
  kind: 'sponsor' | 'token',
  of: EntryPointVersion,
  { money: { tokens } }: PaymasterHome,
): Address {
  const all = operatorPaymasters({ paymasterKey, versions: entryPointVersions, tokens })
  const found = all.find(({ plan }) => plan.kind === kind && plan.version === of)
  if (found === undefined) throw new Error(`no ${kind} paymaster of ${of}`)
  return found.deployment.address
}
