import {
  type Address,
  getAddress,
  type Hash,
  type Hex,
  isAddressEqual,
  numberToHex,
  parseEventLogs,
} from 'viem'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import { rpc } from './devChain.ts'

type NodeLog = {
  address: Address
  topics: [Hex, ...Hex[]]
  data: Hex
  blockHash: Hash
  blockNumber: Hex
  transactionHash: Hash
  transactionIndex: Hex
  logIndex: Hex
}
type NodeReceipt = {
  to: Address
  from: Address
  contractAddress: Address | null
  transactionIndex: Hex
  gasUsed: Hex
  logsBloom: Hex
  blockHash: Hash
  transactionHash: Hash
  logs: NodeLog[]
  blockNumber: Hex
  cumulativeGasUsed: Hex
  effectiveGasPrice: Hex
  status: Hex
  type: Hex
}
type OperationEvent = {
  address: Address
  logIndex: number
  args: {
    userOpHash: Hash
    sender: Address
    paymaster: Address
    nonce: bigint
    success: boolean
    actualGasCost: bigint
    actualGasUsed: bigint
  }
}

/** keccak-256 of `BeforeExecution()` */
const beforeExecution = '0xbb47ee3e183a558b1a2ff0874b079f3fc5478b7454eacf2bfc5af2ff5878f972'

/**
 * The answer of eth_getUserOperationReceipt as interface.md and answers.md document it, made from nothing but what
 * the node says about the transaction. Without `paymaster` and `reason`, which `further` may add.
 */
export async function documentedReceipt(
  chain: { url: string },
  version: EntryPointVersion,
  mined: { transaction: Hash; operation: Hash },
  further: { paymaster?: Address; reason?: string } = {},
): Promise<object> {
  const [receipt, head] = await Promise.all([
    rpc<NodeReceipt>(chain.url, 'eth_getTransactionReceipt', [mined.transaction]),
    rpc<Hex>(chain.url, 'eth_blockNumber'),
  ])
  const entryPoint = entryPoints[version]
  const logs = receipt.logs as unknown as Parameters<typeof parseEventLogs>[0]['logs']
  const events = parseEventLogs({
    abi: entryPoint.abi,
    logs,
    eventName: 'UserOperationEvent',
  }) as unknown as OperationEvent[]
  const own = events.find(({ args }) => args.userOpHash === mined.operation)
  if (own === undefined) throw new Error('the transaction has no such operation')
  const end = Number(own.logIndex)
  const boundaries = receipt.logs.filter(
    ({ address, topics, logIndex }) =>
      isAddressEqual(address, entryPoint.address) &&
      Number(logIndex) < end &&
      (topics[0] === beforeExecution || events.some((event) => Number(event.logIndex) === Number(logIndex))),
  )
  const start = Number(boundaries.at(-1)?.logIndex ?? -1)
  return {
    userOpHash: mined.operation,
    entryPoint: entryPoint.address,
    sender: getAddress(own.args.sender),
    nonce: numberToHex(own.args.nonce),
    actualGasCost: numberToHex(own.args.actualGasCost),
    actualGasUsed: numberToHex(own.args.actualGasUsed),
    success: own.args.success,
    ...further,
    logs: receipt.logs
      .filter(({ logIndex }) => Number(logIndex) > start && Number(logIndex) <= end)
      .map(documentedLog),
    receipt: {
      to: getAddress(receipt.to),
      from: getAddress(receipt.from),
      contractAddress: receipt.contractAddress,
      transactionIndex: receipt.transactionIndex,
      gasUsed: receipt.gasUsed,
      logsBloom: receipt.logsBloom,
      blockHash: receipt.blockHash,
      transactionHash: receipt.transactionHash,
      logs: receipt.logs.map(documentedLog),
      blockNumber: receipt.blockNumber,
      confirmations: numberToHex(BigInt(head) - BigInt(receipt.blockNumber) + 1n),
      cumulativeGasUsed: receipt.cumulativeGasUsed,
      effectiveGasPrice: receipt.effectiveGasPrice,
      status: '0x1',
      type: receipt.type,
      byzantium: true,
    },
  }
}

const documentedLog = (log: NodeLog) => ({
  transactionIndex: log.transactionIndex,
  blockNumber: log.blockNumber,
  transactionHash: log.transactionHash,
  address: getAddress(log.address),
  topics: log.topics,
  data: log.data,
  logIndex: log.logIndex,
  blockHash: log.blockHash,
})
