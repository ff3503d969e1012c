import { encodeFunctionData, type Hash, type Hex, numberToHex, parseAbi, parseEther } from 'viem'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { fund, signedOperation, simpleAccount, type TestAccount } from './accounts.ts'
import { type DevChain, rpc } from './devChain.ts'

/** Deployed and funded SimpleAccounts, made at full speed: call it while the chain mines on demand. */
export async function fleet(
  chain: DevChain,
  version: EntryPointVersion,
  size: number,
): Promise<TestAccount[]> {
  const accounts = await Promise.all(Array.from({ length: size }, () => simpleAccount(chain, version)))
  await Promise.all(accounts.map((account) => fund(chain, account.address)))
  await deploy(chain, accounts)
  return accounts
}

/** Deploys accounts as the EntryPoint's own helper does, so that factories of 0.8 take it too. */
async function deploy(chain: DevChain, accounts: readonly TestAccount[]): Promise<void> {
  const [first] = accounts
  if (first === undefined) return
  const creator = await senderCreator(chain, first.version)
  await rpc(chain.url, 'anvil_impersonateAccount', [creator])
  await rpc(chain.url, 'anvil_setBalance', [creator, numberToHex(parseEther('100'))])
  for (const { factory, factoryData } of accounts) {
    const transaction = { from: creator, to: factory, data: factoryData, gas: '0x7a120' }
    const hash = await rpc<Hash>(chain.url, 'eth_sendTransaction', [transaction])
    const receipt = await rpc<{ status: Hex } | null>(chain.url, 'eth_getTransactionReceipt', [hash])
    if (receipt !== null && receipt.status !== '0x1') throw new Error('an account was not deployed')
  }
}

async function senderCreator(chain: DevChain, version: EntryPointVersion): Promise<Hex> {
  if (version !== '0.8') return '0x00000000000000000000000000000000000c0de5'
  const data = encodeFunctionData({ abi: parseAbi(['function senderCreator() view returns (address)']) })
  const word = await rpc<Hex>(chain.url, 'eth_call', [{ to: entryPoints[version].address, data }, 'latest'])
  return `0x${word.slice(-40)}`
}

/** An operation of a deployed account, signed; `changes` come before the signature. */
export function operation(
  chain: DevChain,
  account: TestAccount,
  changes: Partial<UserOperation> = {},
): Promise<UserOperation> {
  return signedOperation(chain, account, { factory: undefined, factoryData: '0x', ...changes })
}
