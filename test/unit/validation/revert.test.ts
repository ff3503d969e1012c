import { expect, test } from 'bun:test'
import { encodeErrorResult, type Hex, parseAbi } from 'viem'
import { decodeRevert } from '../../../src/validation/revert.ts'

const abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  'error ExecuteError(uint256 index, bytes reason)',
  'error Unheard(uint256 value)',
])
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

test.each([
  [
    'Error(string)',
    encodeErrorResult({ abi, errorName: 'Error', args: ['no'] }),
    { name: 'Error', args: ['no'], text: 'no' },
  ],
  [
    'an empty Error(string)',
    encodeErrorResult({ abi, errorName: 'Error', args: [''] }),
    { name: 'Error', args: [''], text: 'reverted without a reason' },
  ],
  [
    'Panic',
    encodeErrorResult({ abi, errorName: 'Panic', args: [0x11n] }),
    { name: 'Panic', args: ['0x11'], text: 'panic: arithmetic overflow (0x11)' },
  ],
  [
    'a custom error of OpenZeppelin',
    encodeErrorResult({ abi, errorName: 'ERC20InsufficientBalance', args: [account, 5n, 10n] }),
    {
      name: 'ERC20InsufficientBalance',
      args: [account, '0x5', '0xa'],
      text: `ERC20InsufficientBalance(${account}, 5, 10)`,
    },
  ],
  [
    'FailedOpWithRevert, with the reason inside',
    encodeErrorResult({
      abi,
      errorName: 'FailedOpWithRevert',
      args: [1n, 'AA23 reverted', encodeErrorResult({ abi, errorName: 'Error', args: ['closed'] })],
    }),
    {
      name: 'FailedOpWithRevert',
      args: ['0x1', 'AA23 reverted', encodeErrorResult({ abi, errorName: 'Error', args: ['closed'] })],
      text: 'FailedOpWithRevert(1, AA23 reverted): closed',
    },
  ],
  [
    'a batch whose call failed',
    encodeErrorResult({
      abi,
      errorName: 'ExecuteError',
      args: [2n, encodeErrorResult({ abi, errorName: 'Panic', args: [0x12n] })],
    }),
    {
      name: 'ExecuteError',
      args: ['0x2', encodeErrorResult({ abi, errorName: 'Panic', args: [0x12n] })],
      text: 'ExecuteError(2): panic: division by zero (0x12)',
    },
  ],
  [
    'an error that nobody knows',
    encodeErrorResult({ abi, errorName: 'Unheard', args: [1n] }),
    { name: undefined, args: [], text: 'reverted with 0xf1c95f7a… (36 bytes)' },
  ],
  ['nothing', '0x', { name: undefined, args: [], text: 'reverted without a reason' }],
  ['less than a selector', '0x0102', { name: undefined, args: [], text: 'reverted with 0x0102 (2 bytes)' }],
  [
    'an Error(string) cut off',
    encodeErrorResult({ abi, errorName: 'Error', args: ['no'] }).slice(0, 40),
    { name: undefined, args: [], text: 'reverted with 0x08c379a0… (19 bytes)' },
  ],
] as [string, Hex, object][])('%s', (_name, raw, expected) => {
  expect(decodeRevert(raw)).toEqual({ raw, ...expected } as never)
})

test('any bytes are decoded or kept, and never an exception', () => {
  for (let length = 0; length < 300; length++) {
    const raw: Hex = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString('hex')}`
    expect(decodeRevert(raw).raw).toBe(raw)
    const failedOp: Hex = `0x220266b6${raw.slice(2)}`
    expect(decodeRevert(failedOp).raw).toBe(failedOp)
  }
})
