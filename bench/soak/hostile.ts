import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { simpleAccount, type TestAccount } from '../../test/support/accounts.ts'
import type { DevChain } from '../../test/support/devChain.ts'
import { fleet, operation } from '../../test/support/fleet.ts'
import { openContracts } from '../../test/support/open.ts'
import { freshKey, type Trick, tricksters } from '../../test/support/tricksters.ts'
import { gas } from './wallets.ts'

/** What is wrong with an operation. */
export const hostileKinds = [
  'bad signature',
  'no funds',
  'reverting validation',
  'fails in a bundle',
  'fails in company',
  'expires',
] as const
export type HostileKind = (typeof hostileKinds)[number]

/** The next hostile operation of a kind. */
export type Hostiles = (kind: HostileKind, version: EntryPointVersion) => Promise<UserOperation>

/** Accounts of a kind, since an unstaked one may have four operations waiting. */
const accountsOfKind = 8

/** Call it while the chain mines on demand. */
export async function openHostiles(chain: DevChain): Promise<Hostiles> {
  const { account, operation: tricky } = await tricksters(chain)
  const open = await openContracts(chain)
  const refusing = await open.operation('0.7', {}, { refusal: 'not today' })
  const poor = new Map<EntryPointVersion, TestAccount>()
  const thief = privateKeyToAccount(generatePrivateKey())
  const robbed = new Map<EntryPointVersion, TestAccount>()
  for (const version of entryPointVersions) {
    poor.set(version, await simpleAccount(chain, version))
    for (const account of await fleet(chain, version, 1)) robbed.set(version, account)
  }
  const senders = async (trick: Trick) => {
    const all: Address[] = []
    for (let count = 0; count < accountsOfKind; count++) all.push(await account(trick))
    return { next: 0, all }
  }
  const tricks = {
    'fails in a bundle': await senders('Turncoat'),
    'fails in company': await senders('Loner'),
    expires: await senders('Mayfly'),
  }

  return async (kind, version) => {
    const nonce = freshKey() << 64n
    switch (kind) {
      case 'reverting validation':
        return { ...refusing, version, nonce }
      case 'bad signature': {
        return operation(chain, { ...known(robbed.get(version)), owner: thief }, { ...gas, nonce })
      }
      case 'no funds': {
        const sender = known(poor.get(version))
        const { factory, factoryData } = sender
        const changes = { ...gas, verificationGasLimit: 500_000n, nonce, factory, factoryData }
        return operation(chain, sender, changes)
      }
      default: {
        const kin = tricks[kind]
        return tricky(version, known(kin.all[kin.next++ % kin.all.length]), gas)
      }
    }
  }
}

function known<Account>(account: Account | undefined): Account {
  if (account === undefined) throw new Error('no account')
  return account
}
