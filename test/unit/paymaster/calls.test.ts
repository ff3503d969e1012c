import { expect, test } from 'bun:test'
import { concatHex, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, parseAbi } from 'viem'
import { callsOf } from '../../../src/paymaster/policies/calls.ts'
import { address } from '../../support/builders.ts'

const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [address(9), 1n] })
const token = { to: address(7), selector: '0x095ea7b3' as const }
const money = { to: address(8), selector: '0x' as const }
const encode = (signature: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([signature] as never) as never, args } as never)
const calls = [
  { target: address(7), value: 0n, data: approve },
  { target: address(8), value: 5n, data: '0x' },
]
const mode = (first: string): Hex => `0x${first.padEnd(64, '0')}`
const batch = encodeAbiParameters(
  [
    {
      type: 'tuple[]',
      components: [
        { type: 'address', name: 'target' },
        { type: 'uint256', name: 'value' },
        { type: 'bytes', name: 'data' },
      ],
    },
  ],
  [calls as never],
)

test.each([
  ['execute', encode('function execute(address,uint256,bytes)', [address(7), 0n, approve]), [token]],
  ['execute, money only', encode('function execute(address,uint256,bytes)', [address(8), 5n, '0x']), [money]],
  [
    'executeBatch of 0.6',
    encode('function executeBatch(address[],bytes[])', [
      [address(7), address(8)],
      [approve, '0x'],
    ]),
    [token, money],
  ],
  [
    'executeBatch of 0.7',
    encode('function executeBatch(address[],uint256[],bytes[])', [
      [address(7), address(8)],
      [0n, 5n],
      [approve, '0x'],
    ]),
    [token, money],
  ],
  [
    'executeBatch of 0.8',
    encode('function executeBatch((address target,uint256 value,bytes data)[])', [calls]),
    [token, money],
  ],
  [
    'ERC-7579, one call',
    encode('function execute(bytes32,bytes)', [mode(''), concatHex([address(7), mode(''), approve])]),
    [token],
  ],
  [
    'ERC-7579, one transfer of money',
    encode('function execute(bytes32,bytes)', [mode(''), concatHex([address(8), mode('')])]),
    [money],
  ],
  ['ERC-7579, a batch', encode('function execute(bytes32,bytes)', [mode('01'), batch]), [token, money]],
  [
    'Safe',
    encode('function executeUserOp(address,uint256,bytes,uint8)', [address(7), 0n, approve, 0]),
    [token],
  ],
] as const)('%s', (_name, callData, expected) => {
  expect(callsOf(callData)).toEqual(expected as never)
})

test.each([
  ['nothing', '0x'],
  ['no known selector', '0x12345678'],
  [
    'an execute cut short',
    encode('function execute(address,uint256,bytes)', [address(7), 0n, approve]).slice(0, 100) as Hex,
  ],
  [
    'a batch with more targets than data',
    encode('function executeBatch(address[],bytes[])', [[address(7), address(8)], [approve]]),
  ],
  ['ERC-7579, a delegate call', encode('function execute(bytes32,bytes)', [mode('ff'), batch])],
  [
    'Safe, a delegate call',
    encode('function executeUserOp(address,uint256,bytes,uint8)', [address(7), 0n, approve, 1]),
  ],
] as const)('%s is of unknown form', (_name, callData) => {
  expect(callsOf(callData)).toBeUndefined()
})
