import {
  type Address,
  concatHex,
  createWalletClient,
  getCreate2Address,
  type Hex,
  http,
  keccak256,
  publicActions,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { deterministicDeployer } from '../contracts/paymaster/deployment.ts'
import { anvilKeys } from './anvil.ts'

/** Puts code on a development chain at the address that it has everywhere; skips what is there. */
export type Deploy = (initCode: Hex, salt?: Hex) => Promise<Address>

export function createDeployer(url: string): Deploy {
  const wallet = createWalletClient({
    account: privateKeyToAccount(anvilKeys[0]),
    transport: http(url),
    pollingInterval: 50,
  }).extend(publicActions)

  return async (initCode, salt = zeroHash) => {
    const address = getCreate2Address({
      from: deterministicDeployer,
      salt,
      bytecodeHash: keccak256(initCode),
    })
    if ((await wallet.getCode({ address })) !== undefined) return address
    const hash = await wallet.sendTransaction({
      chain: null,
      to: deterministicDeployer,
      data: concatHex([salt, initCode]),
      gas: 16_000_000n,
    })
    const { status } = await wallet.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`deployment of ${address} failed`)
    return address
  }
}
