import { type Address, type Hash, type Hex, size, zeroHash } from 'viem'
import { KeyedMutex } from '../../base/queue.ts'
import { createLogScan } from '../../chain/log-scan.ts'
import { paymasterDeployment } from '../../contracts/paymaster/deployment.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Caller } from '../../types/paymaster/tenant.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'
import type { Deployment } from '../../types/ports/paymaster-store.ts'
import type { Deployments } from '../deployments.ts'
import { alreadyDeployed } from './refusals.ts'
import type { WalletSending } from './sending.ts'

/** Blocks that are searched for the deployment of a paymaster which stands there and is not stored: about a week. */
const searchDepth = 50_000

type Modules = {
  node: NodeClient
  sending: WalletSending
  deployments: Deployments
  now: () => number
}

/** Deploys tenants' verifying paymasters, one for each tenant and version. The wallet is owner and signer. */
export function createDeploy({ chainId }: { chainId: number }, modules: Modules): PaymasterPort['deploy'] {
  const { node, sending, deployments } = modules
  const exclusive = new KeyedMutex()
  const scan = createLogScan(node)
  return (caller, version) => exclusive.run(`${caller.tenant.id} ${version}`, () => deploy(caller, version))

  async function deploy(caller: Caller, version: EntryPointVersion) {
    const { tenant } = caller
    const { walletAddress: wallet } = tenant
    const stored = await deployments.find(tenant.id, chainId, version)
    if (stored !== undefined && !(await hasFailed(stored))) throw alreadyDeployed(stored.address)
    const { address, to, data } = paymasterDeployment({
      kind: 'verifying',
      version,
      owner: wallet,
      signer: wallet,
    })
    // Anyone may send the plan, and an earlier process may have ended before it stored what it had sent.
    const transactionHash = (await hasCode(address))
      ? await whereDeployed(address)
      : await sending.send(caller, {
          ...{ to, data, value: 0n, whileOpen: 'join', action: 'wallet.deploy' },
          subject: `verifying paymaster ${address} of ${version}`,
        })
    if (stored === undefined)
      await store(caller, { tenantId: tenant.id, chainId, version, address, transactionHash })
    return { verifyingPaymaster: address, txHash: transactionHash }
  }

  async function store({ key, tenant }: Caller, deployment: Deployment): Promise<void> {
    const { address, transactionHash, version } = deployment
    await deployments.add(deployment, {
      ...{ at: modules.now(), tenantId: tenant.id, keyId: key.id, action: 'paymaster.deploy' },
      subject: `chain ${chainId}, ${address} of ${version}, transaction ${transactionHash}`,
    })
  }

  /** Then it may be sent again: the plan's address is the same. */
  async function hasFailed({ address, transactionHash }: Deployment): Promise<boolean> {
    const receipt = await node.request<{ status: Hex } | null>('eth_getTransactionReceipt', [transactionHash])
    return receipt !== null && BigInt(receipt.status) === 0n && !(await hasCode(address))
  }

  async function hasCode(address: Address): Promise<boolean> {
    return size(await node.request<Hex>('eth_getCode', [address, 'latest'])) > 0
  }

  /** By the first event of its own, which its constructor emits; zero where that is too long ago. */
  async function whereDeployed(address: Address): Promise<Hash> {
    const head = Number(await node.request<Hex>('eth_blockNumber', []))
    const logs = await scan({ from: Math.max(0, head - searchDepth), to: head, address, topics: [] })
    return logs[0]?.transactionHash ?? zeroHash
  }
}
