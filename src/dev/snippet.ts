import { anvilKeys } from './anvil.ts'

/** A wallet's first call with viem, ready to paste: an EOA becomes a smart account (EIP-7702) and sends value. */
export function snippet(options: { nodeUrl: string; bundlerUrl: string }): string {
  return `import { createWalletClient, http, parseEther, publicActions } from 'viem'
import { createBundlerClient, toSimple7702SmartAccount } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const owner = privateKeyToAccount('${anvilKeys[3]}')
const client = createWalletClient({
  account: owner,
  chain: foundry,
  transport: http('${options.nodeUrl}'),
}).extend(publicActions)
const account = await toSimple7702SmartAccount({ client, owner })
const bundler = createBundlerClient({ account, client, transport: http('${options.bundlerUrl}') })

const hash = await bundler.sendUserOperation({
  authorization: await client.signAuthorization(account.authorization),
  calls: [{ to: '0x000000000000000000000000000000000000dEaD', value: parseEther('0.1') }],
})
const { success, receipt } = await bundler.waitForUserOperationReceipt({ hash })
console.log(success, receipt.transactionHash)
`
}
