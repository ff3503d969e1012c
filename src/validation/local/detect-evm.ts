import type { Address, Hex } from 'viem'
import { NodeError } from '../../chain/node-error.ts'
import type { Hardfork } from '../../evm/hardfork.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { EvmFacts } from './chain-rules.ts'

/** What an EVM shows of itself. */
export type DetectedEvm = Pick<EvmFacts, 'hardfork' | 'p256Verify'>

/** Where nobody knows: what most chains have. */
export const assumedEvm: DetectedEvm = { hardfork: 'prague', p256Verify: false }

/** Addresses without code, where an override puts some. */
const at = (index: number): Address => `0x00000000000000000000000000000000007e570${index.toString(16)}`
const [asking, idle] = [at(0), at(1)]

/** A signature by P-256, from the vectors of EIP-7951: digest, r, s, x and y. */
const signed =
  '4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4d' +
  'a73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac' +
  '36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d60' +
  '4aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff3' +
  '7618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e'

/** Code that runs to its end where the EVM has what it is about. */
const features = {
  /** PUSH0 TLOAD STOP */
  cancun: '0x5f5c00',
  /**
   * EIP-7702: delegates to the idle one. Some nodes follow that before Prague, too, which does no harm: there nobody
   * delegates.
   */
  prague: `0xef0100${idle.slice(2)}`,
  /** PUSH0 CLZ STOP */
  osaka: '0x5f1e00',
  /**
   * PUSH1 160 PUSH1 26 PUSH0 CODECOPY, PUSH0 PUSH0 PUSH1 160 PUSH0 PUSH2 256 GAS STATICCALL POP,
   * RETURNDATASIZE PUSH1 24 JUMPI PUSH0 PUSH0 REVERT, JUMPDEST STOP, and the signature
   */
  p256Verify: `0x60a0601a5f395f5f60a05f6101005afa503d6018575f5ffd5b00${signed}`,
} satisfies Record<string, Hex>

type Feature = keyof typeof features
const names = Object.keys(features) as Feature[]

/** gas for a feature: what lacks it burns all of it */
const gasAFeature = '030d40'

/** PUSH0 four times, PUSH20 address PUSH3 gas STATICCALL PUSH1 place MSTORE8 for each; PUSH1 32 PUSH0 RETURN */
const question: Hex = `0x${names
  .map((_, index) => `5f5f5f5f73${at(2 + index).slice(2)}62${gasAFeature}fa60${hexByte(index)}53`)
  .join('')}60205ff3`

/**
 * Which rules a chain's EVM has, by one `eth_call` that tries them; `undefined` where the node takes no overrides.
 * @throws Unavailable
 */
export async function detectEvm(node: Pick<NodeClient, 'requestAt'>): Promise<DetectedEvm | undefined> {
  const overrides = {
    ...{ [asking]: { code: question }, [idle]: { code: '0x00' } },
    ...Object.fromEntries(names.map((name, index) => [at(2 + index), { code: features[name] }])),
  }
  try {
    const answer = await node.requestAt<Hex>('eth_call', [{ to: asking }], 'latest', [overrides])
    if (answer.length !== 2 + 2 * 32) return undefined
    const has = (name: Feature): boolean => answer.slice(2 + 2 * names.indexOf(name)).startsWith('01')
    return { hardfork: latestOf(has), p256Verify: has('p256Verify') }
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}

function latestOf(has: (name: Feature) => boolean): Hardfork {
  if (!has('cancun')) return 'shanghai'
  if (!has('prague')) return 'cancun'
  return has('osaka') ? 'osaka' : 'prague'
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
