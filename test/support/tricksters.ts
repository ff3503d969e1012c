import type { Address, Hex } from 'viem'
import { bytesToBigInt } from 'viem'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { type AccountChain, fund, signedOperation, simpleAccount } from './accounts.ts'
import { deploy } from './bundles.ts'
import { compileOnce } from './compileOnce.ts'

/**
 * Accounts that do not mean well (contracts/Tricksters.sol): a turncoat passes validation and fails in a bundle, a
 * loner fails in a bundle with another one, a mayfly expires in half a minute.
 */
export type Trick = 'Turncoat' | 'Loner' | 'Mayfly'

export type Tricksters = {
  /** A funded account of its own. */
  account(trick: Trick): Promise<Address>
  /** An operation of such an account with a nonce key of its own. */
  operation(
    version: EntryPointVersion,
    sender: Address,
    changes?: Partial<UserOperation>,
  ): Promise<UserOperation>
}

export async function tricksters(chain: AccountChain): Promise<Tricksters> {
  const contracts = await compileOnce(`${import.meta.dir}/contracts/Tricksters.sol`)
  const stranger = await simpleAccount(chain, '0.7')
  const template = await signedOperation(chain, stranger, { factory: undefined, factoryData: '0x' })
  return {
    async account(trick) {
      const account = await deploy(chain, contracts[trick]?.bytecode as Hex)
      await fund(chain, account, 10n ** 20n)
      return account
    },
    async operation(version, sender, changes = {}) {
      return { ...template, version, sender, nonce: freshKey() << 64n, callData: '0x', ...changes }
    },
  }
}

/** A nonce key that nobody has used. */
export const freshKey = (): bigint => bytesToBigInt(crypto.getRandomValues(new Uint8Array(24)))
