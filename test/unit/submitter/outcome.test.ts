import { expect, test } from 'bun:test'
import { Unavailable } from '../../../src/base/errors.ts'
import { outcomeOf, type SendOutcome } from '../../../src/bundler/submitter/outcome.ts'
import { NodeError } from '../../../src/chain/node-error.ts'

const answers: Record<Exclude<SendOutcome['kind'], 'unknown' | 'stale'>, readonly string[]> = {
  accepted: [
    'already known',
    'AlreadyKnown',
    'Known transaction',
    'transaction already imported',
    'ALREADY_EXISTS: already known',
  ],
  'nonce-used': ['nonce too low: next nonce 5, tx nonce 4', 'NonceTooLow', 'OldNonce', 'nonce too low'],
  underpriced: [
    'replacement transaction underpriced',
    'transaction underpriced: tip needed 1, tip permitted 0',
    'max fee per gas less than block base fee: address 0x…',
    'could not replace existing tx',
    'FeeTooLow, MaxFeePerGas too low.',
    'Gas price below configured minimum gas price',
  ],
  unfunded: [
    'insufficient funds for gas * price + value: balance 0, tx cost 21000',
    'Insufficient funds for gas * price + value',
    'Upfront cost exceeds account balance',
    'InsufficientFunds, Account balance: 0',
  ],
  refused: [
    'intrinsic gas too low: have 20000, want 21000',
    'exceeds block gas limit',
    'transaction gas limit too high (cap: 16777216, tx: 20000000)',
    'invalid sender',
    'transaction type not supported',
    'tx fee (2.00 ether) exceeds the configured cap (1.00 ether)',
    'oversized data: transaction size 140000, limit 131072',
    'invalid chain id for signer: have 1 want 5',
  ],
  unclear: ['the moon is in the wrong phase', 'authority already reserved', 'nonce too high'],
}

for (const [kind, messages] of Object.entries(answers)) {
  for (const message of messages) {
    test(`"${message}" means ${kind}`, () => {
      expect(outcomeOf(new NodeError(-32000, message)).kind).toBe(kind as SendOutcome['kind'])
    })
  }
}

test('a node that could not be asked says nothing about the transaction', () => {
  expect(outcomeOf(new Unavailable('insufficient funds for a subscription'))).toEqual({
    kind: 'unknown',
    reason: 'insufficient funds for a subscription',
  })
})

test('an error of ours is no verdict of the node', () => {
  expect(outcomeOf(new Error('nonce too low')).kind).toBe('unknown')
})
