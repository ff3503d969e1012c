import { type Address, numberToHex, parseGwei } from 'viem'
import type { ChainSettings } from './schemas/chain.ts'

/** What is known of a chain, by the names of its settings. What is not here is as by default, or not known for sure. */
export type Preset = { name: string } & Partial<
  Pick<
    ChainSettings,
    | 'dataFee'
    | 'blockTime'
    | 'minPriorityFee'
    | 'transactionGasCap'
    | 'transactionBytesCap'
    | 'reorgDepth'
    | 'replaceAfterBlocks'
    | 'hardfork'
    | 'p256Verify'
    | 'ownPrecompiles'
    | 'ownOpcodes'
  >
>

/** Addresses in a row, both ends included. */
function range(first: number, last: number): Address[] {
  return Array.from({ length: last - first + 1 }, (_, index) => numberToHex(first + index, { size: 20 }))
}

/** Blocks every two seconds or every second; ten seconds until a bundle is sent again. P256VERIFY since Fjord. */
const opStack = { dataFee: 'op-stack', blockTime: 2000, replaceAfterBlocks: 5, p256Verify: true } as const
const opStackFast = { ...opStack, blockTime: 1000, replaceAfterBlocks: 10 } as const

/** ArbSys and those that follow it, and ArbDebug. */
const ofArbitrum = [...range(0x64, 0x74), ...range(0xff, 0xff)]

/**
 * Sequencers order by arrival, and tips are not taken. They take 95,000 bytes, 5,000 less than a batch has (Nitro's
 * `max-tx-data-size`), and 32 million gas without that for data (ArbOS 50). Stylus runs
 * WebAssembly.
 */
const arbitrum = {
  dataFee: 'arbitrum',
  blockTime: 250,
  replaceAfterBlocks: 40,
  transactionGasCap: 32_000_000n,
  transactionBytesCap: 95_000,
  p256Verify: true,
  ownPrecompiles: ofArbitrum,
  ownOpcodes: true,
} as const

/** 25 gwei of tip are enforced (PIP-35), and 32 million gas a transaction since Madhugiri. */
const polygon = {
  dataFee: 'none',
  blockTime: 2000,
  replaceAfterBlocks: 5,
  minPriorityFee: parseGwei('25'),
  transactionGasCap: 32_000_000n,
  p256Verify: true,
} as const

/** A block is final when it is there; the depth is for nodes of one address that are not equally far. */
const finalAtOnce = { dataFee: 'none', reorgDepth: 16 } as const

const warpMessenger: Address[] = ['0x0200000000000000000000000000000000000005']

/** Cancun's rules; contracts for what validators know (ACP-30), P256VERIFY since Granite (ACP-204). */
const avalanche = {
  ...finalAtOnce,
  replaceAfterBlocks: 6,
  hardfork: 'cancun',
  p256Verify: true,
  ownPrecompiles: warpMessenger,
} as const

const mainnet = { dataFee: 'none', blockTime: 12_000, hardfork: 'osaka' } as const

/** By chain id. Fast chains have more blocks until a bundle is sent again, since that is meant in time. */
export const presets: ReadonlyMap<number, Preset> = new Map<number, Preset>([
  [1, { name: 'Ethereum', ...mainnet }],
  [11155111, { name: 'Sepolia', ...mainnet }],
  [560048, { name: 'Hoodi', ...mainnet }],

  [10, { name: 'OP Mainnet', ...opStack }],
  [11155420, { name: 'OP Sepolia', ...opStack }],
  [8453, { name: 'Base', ...opStack }],
  [84532, { name: 'Base Sepolia', ...opStack }],
  [130, { name: 'Unichain', ...opStackFast }],
  [1301, { name: 'Unichain Sepolia', ...opStackFast }],
  [480, { name: 'World Chain', ...opStack }],
  [4801, { name: 'World Chain Sepolia', ...opStack }],
  [57073, { name: 'Ink', ...opStackFast }],
  [763373, { name: 'Ink Sepolia', ...opStackFast }],
  [1868, { name: 'Soneium', ...opStack }],
  [1946, { name: 'Soneium Minato', ...opStack }],
  [34443, { name: 'Mode', ...opStack }],
  [7777777, { name: 'Zora', ...opStack }],
  [1135, { name: 'Lisk', ...opStack }],
  [
    42220,
    {
      name: 'Celo',
      ...{ blockTime: 1000, replaceAfterBlocks: 10, p256Verify: true },
      ownPrecompiles: range(0xfd, 0xfd),
    },
  ],

  [42161, { name: 'Arbitrum One', ...arbitrum }],
  [42170, { name: 'Arbitrum Nova', ...arbitrum }],
  [421614, { name: 'Arbitrum Sepolia', ...arbitrum }],

  [137, { name: 'Polygon PoS', ...polygon }],
  [80002, { name: 'Polygon Amoy', ...polygon }],
  [
    56,
    {
      name: 'BNB Smart Chain',
      ...{ dataFee: 'none', replaceAfterBlocks: 12, minPriorityFee: parseGwei('0.05') },
      p256Verify: true,
      ownPrecompiles: range(0x64, 0x69),
    },
  ],
  [100, { name: 'Gnosis', dataFee: 'none', blockTime: 5000 }],
  [10200, { name: 'Gnosis Chiado', dataFee: 'none', blockTime: 5000 }],
  [59144, { name: 'Linea', dataFee: 'none', blockTime: 2000, replaceAfterBlocks: 5 }],
  [59141, { name: 'Linea Sepolia', dataFee: 'none', blockTime: 2000, replaceAfterBlocks: 5 }],

  [43114, { name: 'Avalanche C-Chain', ...avalanche }],
  [43113, { name: 'Avalanche Fuji', ...avalanche }],
  [146, { name: 'Sonic', ...finalAtOnce, replaceAfterBlocks: 12 }],
  [80094, { name: 'Berachain', ...finalAtOnce, blockTime: 2000, replaceAfterBlocks: 5 }],
  [80069, { name: 'Berachain Bepolia', ...finalAtOnce, blockTime: 2000, replaceAfterBlocks: 5 }],
])
