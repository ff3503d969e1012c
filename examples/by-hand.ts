import { formatUserOperationRequest, type UserOperation } from 'viem/account-abstraction'
import { account, bundler } from './wallet.ts'

const op = (await bundler.prepareUserOperation({
  calls: [{ to: '0x000000000000000000000000000000000000dEaD', value: 1n }],
})) as UserOperation
const signature = await account.signUserOperation(op)
console.log(JSON.stringify([formatUserOperationRequest({ ...op, signature }), account.entryPoint.address]))
