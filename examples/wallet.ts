import { toSimpleSmartAccount } from 'permissionless/accounts'
import { createPublicClient, http } from 'viem'
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
} from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { apiKey, nodeUrl, tandemUrl, useVp, version } from './settings.ts'

const addresses = { '0.6': entryPoint06Address, '0.7': entryPoint07Address, '0.8': entryPoint08Address }
/** A key of nobody's: its account begins with nothing, and is deployed by its first operation. */
const owner = privateKeyToAccount('0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba')
const client = createPublicClient({ chain: foundry, transport: http(nodeUrl) })

export const account = await toSimpleSmartAccount({
  client,
  owner,
  entryPoint: { address: addresses[version], version },
})
export const bundler = createBundlerClient({
  account,
  client,
  transport: http(`${tandemUrl}/v1/${foundry.id}/`),
  pollingInterval: 200,
})
export const paymaster = createPaymasterClient({
  transport: http(`${tandemUrl}/paymaster?apiKey=${apiKey}&chainId=${foundry.id}&useVp=${useVp}`),
})

if (import.meta.main) console.log(account.address)
