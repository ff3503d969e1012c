import { gas } from '../gas.ts'
import { type Handler, type Operation, operation, pushes } from './operation.ts'

/** Blocks back that BLOCKHASH reaches. */
const reach = 256n

const blockHash: Handler = (frame) => {
  const number = frame.pop()
  const current = frame.environment.block.number
  const isInReach = number < current && number + reach >= current
  frame.push(isInReach ? frame.state.blockHash(number) : 0n)
}

/** EIP-4844 */
const blobHash: Handler = (frame) => {
  const index = frame.pop()
  const { blobHashes } = frame.environment.transaction
  frame.push(blobHashes[Number(index)] ?? 0n)
}

const origin = pushes(({ environment }) => environment.transaction.origin)
const gasPrice = pushes(({ environment }) => environment.transaction.gasPrice)
const coinbase = pushes(({ environment }) => environment.block.coinbase)
const timestamp = pushes(({ environment }) => environment.block.timestamp)
const number = pushes(({ environment }) => environment.block.number)
const prevRandao = pushes(({ environment }) => environment.block.prevRandao)
const gasLimit = pushes(({ environment }) => environment.block.gasLimit)
const chainId = pushes(({ environment }) => environment.chain.chainId)
const baseFee = pushes(({ environment }) => environment.block.baseFee)
const blobBaseFee = pushes(({ environment }) => environment.block.blobBaseFee)

/** The transaction, its block and its chain. */
export const block: readonly Operation[] = [
  operation(0x32, 'ORIGIN', gas.base, 0, 1, origin),
  operation(0x3a, 'GASPRICE', gas.base, 0, 1, gasPrice),
  operation(0x40, 'BLOCKHASH', gas.blockHash, 1, 1, blockHash),
  operation(0x41, 'COINBASE', gas.base, 0, 1, coinbase),
  operation(0x42, 'TIMESTAMP', gas.base, 0, 1, timestamp),
  operation(0x43, 'NUMBER', gas.base, 0, 1, number),
  operation(0x44, 'PREVRANDAO', gas.base, 0, 1, prevRandao),
  operation(0x45, 'GASLIMIT', gas.base, 0, 1, gasLimit),
  operation(0x46, 'CHAINID', gas.base, 0, 1, chainId),
  operation(0x48, 'BASEFEE', gas.base, 0, 1, baseFee),
  operation(0x49, 'BLOBHASH', gas.veryLow, 1, 1, blobHash, 'cancun'),
  operation(0x4a, 'BLOBBASEFEE', gas.base, 0, 1, blobBaseFee, 'cancun'),
]
