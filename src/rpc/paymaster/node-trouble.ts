import { Unavailable } from '../../base/errors.ts'
import { NodeError } from '../../chain/node-error.ts'

/** Of what the service asks a node no caller knows: an error that the node answers is trouble of ours. */
export async function withNodeTrouble<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    throw new Unavailable('the node answered with an error', { cause: error })
  }
}
