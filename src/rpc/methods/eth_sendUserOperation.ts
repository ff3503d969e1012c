import type { Static } from '@sinclair/typebox'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { aboutOperation } from '../about-operation.ts'
import { servedVersion } from '../entry-point.ts'
import { Word } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'

/** ERC-7769. The same operation again gives its hash again. */
export const eth_sendUserOperation = defineMethod({
  name: 'eth_sendUserOperation',
  price: 600,
  params: { userOperation: UserOperationParam, entryPoint: EntryPointParam },
  result: Word,
  handler({ userOperation, entryPoint }, call): Promise<Static<typeof Word>> {
    const { bundler } = call.chain
    const op = parseUserOperation(userOperation, servedVersion(entryPoint, bundler, 'params[1]'), 'complete')
    call.about = () => aboutOperation(op, bundler)
    return bundler.send(op)
  },
})
