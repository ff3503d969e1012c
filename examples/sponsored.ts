import { bundler, paymaster } from './wallet.ts'

const hash = await bundler.sendUserOperation({
  calls: [{ to: '0x000000000000000000000000000000000000dEaD', data: '0x' }],
  paymaster,
  paymasterContext: { mode: 'sponsor' },
})
const { success, receipt } = await bundler.waitForUserOperationReceipt({ hash })
console.log(success, receipt.transactionHash)
