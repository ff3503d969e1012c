import { type Address, parseAbi, parseUnits } from 'viem'
import { foundry } from 'viem/chains'
import { apiKey, tandemUrl } from './settings.ts'
import { account, bundler, paymaster } from './wallet.ts'

const token = process.env.TOKEN as Address
const decimals = 6

const answer = await fetch(`${tandemUrl}/paymaster/getAllCommonERC20PaymasterAddress?apiKey=${apiKey}`, {
  method: 'POST',
  body: JSON.stringify({ params: [account.entryPoint.address] }),
})
const { message } = (await answer.json()) as { message: string }
const entries: { paymasterAddress: Address; gasToken: Address; chainId: number }[] = JSON.parse(message)
const entry = entries.find(({ chainId, gasToken }) => chainId === foundry.id && gasToken === token)
if (entry === undefined) throw new Error(`no paymaster takes ${token}`)

const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
])
const hash = await bundler.sendUserOperation({
  calls: [
    // On the development chain anybody may.
    { to: token, abi, functionName: 'mint', args: [account.address, parseUnits('100', decimals)] },
    { to: token, abi, functionName: 'approve', args: [entry.paymasterAddress, parseUnits('10', decimals)] },
  ],
  paymaster,
  paymasterContext: { mode: 'multitoken', token },
})
const { success, receipt } = await bundler.waitForUserOperationReceipt({ hash })
console.log(success, receipt.transactionHash)
