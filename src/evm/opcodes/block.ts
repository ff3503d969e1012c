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

/** The transaction, its block and its chain. */
export const block: readonly Operation[] = [
  operation(
    0x32,
    'ORIGIN',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.transaction.origin),
  ),
  operation(
    0x3a,
    'GASPRICE',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.transaction.gasPrice),
  ),
  operation(0x40, 'BLOCKHASH', gas.blockHash, 1, 1, blockHash),
  operation(
    0x41,
    'COINBASE',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.block.coinbase),
  ),
  operation(
    0x42,
    'TIMESTAMP',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.block.timestamp),
  ),
  operation(
    0x43,
    'NUMBER',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.block.number),
  ),
  operation(
    0x44,
    'PREVRANDAO',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.block.prevRandao),
  ),
  operation(
    0x45,
    'GASLIMIT',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.block.gasLimit),
  ),
  operation(
    0x46,
    'CHAINID',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.chain.chainId),
  ),
  operation(
    0x48,
    'BASEFEE',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.block.baseFee),
  ),
  operation(0x49, 'BLOBHASH', gas.veryLow, 1, 1, blobHash, 'cancun'),
  operation(
    0x4a,
    'BLOBBASEFEE',
    gas.base,
    0,
    1,
    pushes(({ environment }) => environment.block.blobBaseFee),
    'cancun',
  ),
]
