import { Type } from '@sinclair/typebox'
import { formatReceipt, ReceiptSchema } from '../format/receipt.ts'
import { defineMethod } from '../method.ts'
import { toHash, UserOpHashParam } from '../params.ts'

/** ERC-7769. Null until the operation is in a block. */
export const eth_getUserOperationReceipt = defineMethod({
  name: 'eth_getUserOperationReceipt',
  price: 25,
  params: { userOpHash: UserOpHashParam },
  result: Type.Union([ReceiptSchema, Type.Null()]),
  async handler({ userOpHash }, { chain }) {
    const found = await chain.bundler.receipt(toHash(userOpHash))
    return found === undefined ? null : formatReceipt(found)
  },
})
