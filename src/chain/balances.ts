import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  parseAbi,
  size,
} from 'viem'
import { describe, Unavailable } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'
import { NodeError, revertData } from './node-error.ts'

/** Native coins of an account, or what it has deposited at an EntryPoint. */
export type Holding = { account: Address; at?: Address }

/** Reads balances, many at once. */
export type BalanceReader = {
  /** wei, in the order asked; `undefined` for what the chain does not tell. @throws Unavailable */
  read(holdings: readonly Holding[], at: ReadAt): Promise<readonly (bigint | undefined)[]>
  /** Whether there is a Multicall3 at the configured address. @throws Unavailable */
  hasMulticall(): Promise<boolean>
}

/** Holdings in one call: about 5,000 gas each, well below what nodes let a call use. */
const callSize = 500

const depositAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
/** bytes */
const wordSize = 32

/** One `eth_call` through `multicall` where it has code; else a call for each, in one batch. */
export function createBalanceReader(
  { multicall }: { multicall: Address },
  { node, log }: { node: NodeClient; log: Log },
): BalanceReader {
  let code: Promise<boolean> | undefined
  return { read, hasMulticall }

  async function read(holdings: readonly Holding[], at: ReadAt): Promise<readonly (bigint | undefined)[]> {
    const isAlone = holdings.length < 2
    if (isAlone || !(await hasMulticall()))
      return Promise.all(holdings.map((holding) => readOne(holding, at)))
    const parts = Array.from({ length: Math.ceil(holdings.length / callSize) }, (_, part) =>
      holdings.slice(part * callSize, (part + 1) * callSize),
    )
    try {
      return (await Promise.all(parts.map((part) => readTogether(part, at)))).flat()
    } catch (error) {
      if (error instanceof Unavailable) throw error
      if (isForeign(error)) {
        log.warn('multicall is no Multicall3: balances are read one by one', { error: describe(error) })
        code = Promise.resolve(false)
      }
      return Promise.all(holdings.map((holding) => readOne(holding, at)))
    }
  }

  /** Asked once; a contract that comes later is found by the next start. */
  function hasMulticall(): Promise<boolean> {
    code ??= node.request<Hex>('eth_getCode', [multicall, 'latest']).then(
      (found) => size(found) > 0,
      (error) => {
        code = undefined
        throw error
      },
    )
    return code
  }

  async function readTogether(holdings: readonly Holding[], at: ReadAt) {
    const calls = holdings.map((holding) => ({ ...callOf(holding, multicall), allowFailure: true }))
    const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
    const answer = await node.requestAt<Hex>('eth_call', [{ to: multicall, data }], at)
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
    if (results.length !== holdings.length) throw new Error('an answer of another length')
    return results.map(({ success, returnData }) => (success ? amountOf(returnData) : undefined))
  }

  async function readOne(holding: Holding, at: ReadAt): Promise<bigint | undefined> {
    const { account } = holding
    if (holding.at === undefined) return BigInt(await node.requestAt<Hex>('eth_getBalance', [account], at))
    const { target: to, callData: data } = callOf(holding, multicall)
    try {
      return amountOf(await node.requestAt<Hex>('eth_call', [{ to, data }], at))
    } catch (error) {
      if (error instanceof Unavailable) throw error
      return undefined
    }
  }
}

/** It reverted, or answered something else; any other refusal of a node may be a passing one. */
function isForeign(error: unknown): boolean {
  return !(error instanceof NodeError) || revertData(error) !== undefined
}

function callOf({ account, at }: Holding, multicall: Address): { target: Address; callData: Hex } {
  return at === undefined
    ? {
        target: multicall,
        callData: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [account] }),
      }
    : {
        target: at,
        callData: encodeFunctionData({ abi: depositAbi, functionName: 'balanceOf', args: [account] }),
      }
}

const amountOf = (answer: Hex): bigint | undefined => (size(answer) === wordSize ? BigInt(answer) : undefined)
