import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import {
  type Address,
  createPublicClient,
  formatEther,
  getAddress,
  http,
  type PublicClient,
  parseAbi,
} from 'viem'
import { versionNames } from '../../../src/paymaster/policies/wire.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'

/** What a tenant has on the chain and in the database, read from there and not through the service. Coins as decimal text. */
export type Left = {
  /** Verifying paymasters that have code. */
  own: Record<string, { owner: Address; deposit: string; stake: string; unstakeDelay: number }>
  /** At the shared paymaster; of the senders that were asked for. */
  shared: { deposit: string; senders: readonly Address[] }
  /** As the database has them. */
  deployments: Record<string, Address>
  /** `<policy id, 0 for none> <address>` */
  lists: readonly string[]
  policies: readonly string[]
  /** Actions, the oldest first. */
  audit: readonly string[]
}

/** Whose, and where to look. */
export type Owned = {
  wallet: Address
  own: Readonly<Record<keyof typeof versionNames, Address>>
  shared: Address
  senders: readonly Address[]
}

const depositAbi = parseAbi([
  'function getDepositInfo(address account) view returns ((uint256 deposit, bool staked, uint112 stake, uint32 unstakeDelaySec, uint48 withdrawTime) info)',
])
const ownAbi = parseAbi(['function owner() view returns (address)'])
const sharedAbi = parseAbi([
  'function balanceOf(address sponsor) view returns (uint256)',
  'function isWhitelisted(address sponsor, address account) view returns (bool)',
])

export async function readLeft(
  { url, directory }: { url: string; directory: string },
  owned: Owned,
): Promise<Left> {
  const client = createPublicClient({ transport: http(url, { batch: true }) })
  return { ...(await onChain(client, owned)), ...stored(directory, owned.wallet) }
}

async function onChain(
  client: PublicClient,
  { wallet, own, shared, senders }: Owned,
): Promise<Pick<Left, 'own' | 'shared'>> {
  const names = Object.keys(versionNames) as (keyof typeof versionNames)[]
  const owns = names.map(async (name) => {
    const address = own[name]
    if ((await client.getCode({ address })) === undefined) return []
    const info = await client.readContract({
      ...{ address: entryPoints[versionNames[name]].address, abi: depositAbi },
      ...{ functionName: 'getDepositInfo', args: [address] },
    })
    const owner = await client.readContract({ address, abi: ownAbi, functionName: 'owner' })
    const { deposit, stake, unstakeDelaySec: unstakeDelay } = info
    return [
      [name, { owner, deposit: formatEther(deposit), stake: formatEther(stake), unstakeDelay }],
    ] as const
  })
  const contract = { address: shared, abi: sharedAbi }
  const deposit = await client.readContract({ ...contract, functionName: 'balanceOf', args: [wallet] })
  const listed = await Promise.all(
    senders.map((sender) =>
      client.readContract({ ...contract, functionName: 'isWhitelisted', args: [wallet, sender] }),
    ),
  )
  return {
    own: Object.fromEntries((await Promise.all(owns)).flat()),
    shared: { deposit: formatEther(deposit), senders: senders.filter((_sender, index) => listed[index]) },
  }
}

type Stored = Omit<Left, 'own' | 'shared'>

function stored(directory: string, wallet: Address): Stored {
  const database = new Database(join(directory, 'tandem.db'), { readonly: true })
  const rows = <Row>(sql: string, argument: string) => database.query<Row, [string]>(sql).all(argument)
  const [tenant] = rows<{ id: string }>(
    'select id from tenants where wallet_address = ?',
    wallet.toLowerCase(),
  )
  const id = tenant?.id ?? ''
  const left: Stored = {
    deployments: Object.fromEntries(
      rows<{ version: string; address: Address }>(
        'select version, address from deployments where tenant_id = ?',
        id,
      ).map(({ version, address }) => [nameOf(version), getAddress(address)]),
    ),
    lists: inOrder(
      rows<{ policy_id: number; address: Address }>(
        'select policy_id, address from whitelist where tenant_id = ?',
        id,
      ).map(({ policy_id, address }) => `${policy_id} ${getAddress(address)}`),
    ),
    policies: rows<{ id: number; policy: string }>(
      "select id, policy from policies where policy ->> 'tenantId' = ? and deleted_at is null order by id",
      id,
    ).map((row) => described(row.id, row.policy)),
    audit: rows<{ action: string }>(
      'select action from audit where tenant_id = ? and key_id is not null order by id',
      id,
    ).map(({ action }) => action),
  }
  database.close()
  return left
}

function described(id: number, policy: string): string {
  const { name, isEnabled, perUser } = JSON.parse(policy)
  const limit = perUser.applicable ? `, ${perUser.count} a user` : ''
  return `${id} ${name} ${isEnabled ? 'enabled' : 'disabled'}${limit}`
}

/** Lists have no order of their own. */
export const inOrder = (list: readonly string[]): readonly string[] => [...list].sort()

const nameOf = (version: string): string =>
  Object.entries(versionNames).find(([, known]) => known === version)?.[0] ?? version
