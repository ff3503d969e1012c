import { concatHex, type Hex, type SignedAuthorization, size, slice } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import { execute } from '../../support/accounts.ts'
import type { Random } from '../../support/random.ts'
import { pick, weighted } from '../programs/choices.ts'
import type { Sent } from './chain.ts'
import type { Mirror } from './mirror.ts'
import { randomBundle } from './operations.ts'
import type { Scene } from './scene.ts'
import { type Names, randomCall } from './values.ts'

type Call = Pick<Sent, 'to' | 'data' | 'value'>

/** A transaction of `from`, whose nonce the mirror knows. */
export async function randomTransaction(
  source: Random,
  scene: Scene,
  mirror: Mirror,
  from: PrivateKeyAccount,
): Promise<Sent> {
  const names = namesOf(scene)
  const write = weighted(source, kinds)
  const { to, data, value } = await write(source, scene, names, from)
  const nonce = mirror.nonce(BigInt(from.address))
  const sent: Sent = {
    from: from.address,
    to,
    data: source.chance(0.1) ? mangled(source, data) : data,
    value,
    gas: source.chance(0.12) ? BigInt(60_000 + source.int(300_000)) : 6_000_000n,
    nonce,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: BigInt(source.int(3_000_000_000)),
    accessList: source.chance(0.1) ? accessList(source, names) : [],
    authorizations: [],
  }
  if (to === undefined || source.chance(0.85)) return sent
  return { ...sent, authorizations: await authorizations(source, scene, mirror, from) }
}

const kinds: readonly (readonly [
  weight: number,
  write: (source: Random, scene: Scene, names: Names, from: PrivateKeyAccount) => Promise<Call> | Call,
])[] = [
  [
    14,
    async (source, scene, names) => {
      const { version, data } = await randomBundle(source, scene, names)
      return { to: entryPoints[version].address, data, value: 0n }
    },
  ],
  [
    8,
    (source, { callables }, names) => {
      const { address, abi } = pick(source, callables)
      const value = source.chance(0.7) ? 0n : BigInt(source.int(1_000_000))
      return { to: address, data: randomCall(source, abi, names), value }
    },
  ],
  [
    3,
    (source, { accounts }, names, from) => {
      const own = accounts.filter(({ owner }) => owner.address === from.address)
      const { address } = pick(source, own.length > 0 ? own : accounts)
      const data = execute(pick(source, names.addresses), BigInt(source.int(100)), names.nested(source))
      return { to: address, data, value: 0n }
    },
  ],
  [
    1,
    (source, { initCodes }) => ({
      to: undefined,
      data: source.chance(0.5) ? pick(source, initCodes) : source.bytes(source.int(40)),
      value: 0n,
    }),
  ],
  [
    1,
    (source, _scene, { addresses }) => ({
      to: pick(source, addresses),
      data: source.bytes(source.int(40)),
      value: BigInt(source.int(1000)),
    }),
  ],
]

function namesOf(scene: Scene): Names {
  const addresses = [
    ...scene.callables.map(({ address }) => address),
    ...scene.senders.map(({ address }) => address),
    '0x000000000000000000000000000000000000dEaD',
    '0x0000000000000000000000000000000000000001',
  ] as const
  const plain: Names = { addresses, nested: (source) => source.bytes(4) }
  return { addresses, nested: (source) => randomCall(source, pick(source, scene.callables).abi, plain) }
}

/** Cut, lengthened, or with a byte changed. */
function mangled(source: Random, data: Hex): Hex {
  const length = size(data)
  if (length === 0) return data
  const kind = source.int(3)
  const at = source.int(length)
  if (kind === 0) return at === 0 ? '0x' : slice(data, 0, at)
  if (kind === 1) return concatHex([data, source.bytes(1 + source.int(40))])
  const before = at === 0 ? '0x' : slice(data, 0, at)
  const after = at === length - 1 ? '0x' : slice(data, at + 1)
  return concatHex([before, source.bytes(1), after])
}

function accessList(source: Random, { addresses }: Names): Sent['accessList'] {
  return Array.from({ length: 1 + source.int(3) }, () => ({
    address: pick(source, addresses),
    storageKeys: Array.from(
      { length: source.int(3) },
      (): Hex => `0x${String(source.int(4)).padStart(64, '0')}`,
    ),
  }))
}

/** Of owners that may, at the nonce that they have or another, for this chain or another. */
async function authorizations(
  source: Random,
  { senders, delegates, chain }: Scene,
  mirror: Mirror,
  from: PrivateKeyAccount,
): Promise<SignedAuthorization[]> {
  const list: SignedAuthorization[] = []
  const count = 1 + source.int(2)
  for (let index = 0; index < count; index++) {
    // The last ones send nothing themselves.
    const authority = pick(source, [...senders.slice(-3), from])
    const known = Number(mirror.nonce(BigInt(authority.address)))
    const isSender = authority.address === from.address
    list.push(
      await authority.signAuthorization({
        address: source.chance(0.2) ? '0x0000000000000000000000000000000000000000' : pick(source, delegates),
        chainId: pick(source, [chain.chainId, chain.chainId, 0, 5]),
        nonce: known + (isSender ? 1 : 0) + (source.chance(0.15) ? 1 : 0),
      }),
    )
  }
  return list
}
