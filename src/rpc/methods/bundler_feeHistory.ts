import { servedVersion } from '../entry-point.ts'
import { FeeHistorySchema, formatFeeHistory } from '../format/fees.ts'
import { defineMethod } from '../method.ts'
import { BlockParam, CountParam, EntryPointParam, toBlock, toNumber } from '../params.ts'

/** One element for each UserOperationEvent of the last `blockCount` blocks up to `newestBlock`. */
export const bundler_feeHistory = defineMethod({
  name: 'bundler_feeHistory',
  price: 20,
  params: { entryPoint: EntryPointParam, blockCount: CountParam, newestBlock: BlockParam },
  result: FeeHistorySchema,
  async handler({ entryPoint, blockCount, newestBlock }, { chain: { bundler } }) {
    const version = servedVersion(entryPoint, bundler, 'params[0]')
    return formatFeeHistory(await bundler.feeHistory(version, toNumber(blockCount), toBlock(newestBlock)))
  },
})
