import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  type Address,
  encodeFunctionData,
  type Hex,
} from 'viem'
import type { Random } from '../../support/random.ts'
import { edgeValue, pick } from '../programs/choices.ts'

/** Whom arguments may name, and what may be called inside of bytes. */
export type Names = { readonly addresses: readonly Address[]; nested(source: Random): Hex }

/** A call of one of the functions that change something, views seldom, with arguments that its types allow. */
export function randomCall(source: Random, abi: Abi, names: Names): Hex {
  const functions = abi.filter((item): item is AbiFunction => item.type === 'function')
  const writing = functions.filter(({ stateMutability }) => !isView(stateMutability))
  const item = pick(source, writing.length > 0 && source.chance(0.85) ? writing : functions)
  const args = item.inputs.map((parameter) => randomArgument(source, parameter, names))
  return encodeFunctionData({ abi: [item], functionName: item.name, args })
}

const isView = (mutability: AbiFunction['stateMutability']) => mutability === 'view' || mutability === 'pure'

type Argument =
  | bigint
  | number
  | boolean
  | string
  | readonly Argument[]
  | { readonly [name: string]: Argument }

/** Longest list: what is done for each member is done for two. */
const mostMembers = 3

function randomArgument(source: Random, parameter: AbiParameter, names: Names): Argument {
  const { type } = parameter
  const list = type.match(/^(.*)\[(\d*)\]$/)
  if (list !== null) {
    const [, member = '', length = ''] = list
    const count = length === '' ? source.int(mostMembers + 1) : Number(length)
    return Array.from({ length: count }, () => randomArgument(source, { ...parameter, type: member }, names))
  }
  if ('components' in parameter) {
    const members = parameter.components.map(
      (member) => [member.name ?? '', randomArgument(source, member, names)] as const,
    )
    return Object.fromEntries(members)
  }
  if (type === 'address') return pick(source, names.addresses)
  if (type === 'bool') return source.chance(0.5)
  if (type === 'string') return 'text'.repeat(source.int(12))
  if (type === 'bytes') return source.chance(0.4) ? names.nested(source) : source.bytes(source.int(120))
  const [, kind = '', size = ''] = type.match(/^(bytes|uint|int)(\d+)$/) ?? []
  if (kind === 'bytes') return source.bytes(Number(size))
  return randomInteger(source, kind === 'int', Number(size))
}

function randomInteger(source: Random, isSigned: boolean, bits: number): bigint | number {
  const value = source.chance(0.6) ? BigInt(source.int(2000)) : edgeValue(source)
  const fitting = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)
  // What fits into a number is one in viem.
  return bits <= 48 ? Number(fitting) : fitting
}
