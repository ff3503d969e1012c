import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../src/base/errors.ts'
import {
  ConditionsFailed,
  outcomeOf,
  RelayRefusal,
  type SendOutcome,
} from '../../../src/bundler/submitter/outcome.ts'
import { NodeError } from '../../../src/chain/node-error.ts'

type Kind = Exclude<SendOutcome['kind'], 'unknown' | 'stale'>

/** What each client says when it refuses a transaction, and where its source says so. */
const clients: Record<string, { sources: readonly string[]; says: readonly (readonly [string, Kind])[] }> = {
  geth: {
    sources: [
      'ethereum/go-ethereum core/txpool/errors.go',
      'ethereum/go-ethereum core/txpool/validation.go',
      'ethereum/go-ethereum core/error.go',
      'ethereum/go-ethereum internal/ethapi/api.go (checkTxFee)',
    ],
    says: [
      ['already known', 'accepted'],
      ['nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
      ['replacement transaction underpriced', 'underpriced'],
      ['transaction underpriced: gas tip cap 1, minimum needed 2', 'underpriced'],
      ['transaction gas price below minimum: gas tip cap 1, minimum needed 2', 'underpriced'],
      ['max fee per gas less than block base fee: address 0x…', 'underpriced'],
      ['insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000', 'unfunded'],
      ['insufficient funds for transfer', 'unfunded'],
      ['intrinsic gas too low: gas 20000, minimum needed 21000', 'refused'],
      ['insufficient gas for floor data gas cost: gas 20000, minimum needed 21000', 'refused'],
      ['exceeds block gas limit', 'refused'],
      ['transaction gas limit too high (cap: 16777216, tx: 20000000)', 'refused'],
      ['oversized data: transaction size 140000, limit 131072', 'refused'],
      ['invalid sender: invalid chain id for signer: have 1 want 5', 'refused'],
      ['transaction type not supported: tx type 4 not supported by this pool', 'refused'],
      ['sender not an eoa: address 0x…, codehash: 0x…', 'refused'],
      ['tx fee (2.00 ether) exceeds the configured cap (1.00 ether)', 'refused'],
      ['authority nonce too low', 'refused'],
      ['nonce too high: tx nonce 9, gapped nonce 7', 'unclear'],
      ['authority already reserved', 'unclear'],
      ['address already reserved', 'unclear'],
      ['account limit exceeded: pooled 16 txs', 'unclear'],
      ['future transaction tries to replace pending', 'unclear'],
    ],
  },
  reth: {
    sources: ['paradigmxyz/reth crates/rpc/rpc-eth-types/src/error/mod.rs'],
    says: [
      ['already known', 'accepted'],
      ['nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
      ['transaction underpriced', 'underpriced'],
      ['replacement transaction underpriced', 'underpriced'],
      ['max fee per gas less than block base fee', 'underpriced'],
      ['transaction priority fee below minimum required priority fee 25000000000', 'underpriced'],
      ['insufficient funds for gas * price + value: have 0 want 21000', 'unfunded'],
      ['intrinsic gas too low', 'refused'],
      ['intrinsic gas too high', 'refused'],
      ['gas limit too high', 'refused'],
      ['exceeds block gas limit', 'refused'],
      ['exceeds max transaction gas limit', 'refused'],
      ['tx fee (2000 wei) exceeds the configured cap (1000 wei)', 'refused'],
      ['oversized data: transaction size 140000, limit 131072', 'refused'],
      ['invalid sender', 'refused'],
      ['invalid chain ID', 'refused'],
      ['sender is not an EOA', 'refused'],
      ['transaction type not supported', 'refused'],
      ['EIP-7702 authorization list not supported', 'refused'],
      ['txpool is full', 'unclear'],
    ],
  },
  erigon: {
    sources: ['erigontech/erigon txnprovider/txpool/txpoolcfg/txpoolcfg.go (DiscardReason)'],
    says: [
      ['already known', 'accepted'],
      ['existing txn with same hash', 'accepted'],
      ['nonce too low', 'nonce-used'],
      ['underpriced', 'underpriced'],
      ['replacement transaction underpriced', 'underpriced'],
      ['could not replace existing tx', 'underpriced'],
      ['fee too low', 'underpriced'],
      ['insufficient funds', 'unfunded'],
      ['IntrinsicGas', 'refused'],
      ['RLPTooLong', 'refused'],
      ['oversized data', 'refused'],
      ['invalid sender', 'refused'],
      ['gas limit is too high', 'refused'],
      ['fork supporting this transaction type is not activated yet', 'refused'],
      ['pending sub-pool is full', 'unclear'],
      ['EIP-7702 transaction with authority already reserved', 'unclear'],
    ],
  },
  nethermind: {
    sources: [
      'NethermindEth/nethermind src/Nethermind/Nethermind.TxPool/TxPoolErrorMessages.cs',
      'NethermindEth/nethermind src/Nethermind/Nethermind.TxPool/AcceptTxResult.cs, and its names up to 1.31',
    ],
    says: [
      ['already known', 'accepted'],
      ['AlreadyKnown', 'accepted'],
      ['nonce too low, Current nonce: 5, nonce of rejected tx: 4.', 'nonce-used'],
      ['OldNonce, Current nonce: 5, nonce of rejected tx: 4.', 'nonce-used'],
      ['transaction underpriced, MaxFeePerGas too low.', 'underpriced'],
      ['FeeTooLow, MaxFeePerGas too low.', 'underpriced'],
      ['replacement transaction underpriced', 'underpriced'],
      ['insufficient funds for gas * price + value', 'unfunded'],
      ['InsufficientFunds, Account balance: 0', 'unfunded'],
      ['gas limit reached', 'refused'],
      ['GasLimitExceeded', 'refused'],
      ['transaction too large', 'refused'],
      ['failed to recover sender', 'refused'],
      ['sender not an eoa', 'refused'],
      ['unsupported transaction type', 'refused'],
      ['nonce too far in future', 'unclear'],
      ['delegation authority has pending transaction', 'unclear'],
      ['pending transaction type conflict', 'unclear'],
    ],
  },
  besu: {
    sources: [
      'hyperledger/besu ethereum/api/src/main/java/org/hyperledger/besu/ethereum/api/jsonrpc/internal/response/RpcErrorType.java',
    ],
    says: [
      ['Known transaction', 'accepted'],
      ['Nonce too low', 'nonce-used'],
      ['Replacement transaction underpriced', 'underpriced'],
      ['Gas price below configured minimum gas price', 'underpriced'],
      ['Gas price below current base fee', 'underpriced'],
      ['Upfront cost exceeds account balance', 'unfunded'],
      ['Intrinsic gas exceeds gas limit', 'refused'],
      ['Transaction gas limit exceeds block gas limit', 'refused'],
      ['Transaction fee cap exceeded', 'refused'],
      ['Invalid signature', 'refused'],
      ['Invalid transaction type', 'refused'],
      ['Wrong chainId', 'refused'],
      ['ChainId not supported', 'refused'],
      ['Nonce too high', 'unclear'],
      ['An invalid transaction with a lower nonce exists', 'unclear'],
    ],
  },
  anvil: {
    sources: ['foundry-rs/foundry crates/anvil/src/eth/error.rs'],
    says: [
      ['transaction already imported', 'accepted'],
      ['Tx: [0x…] already Imported', 'accepted'],
      ['nonce too low', 'nonce-used'],
      ['replacement transaction underpriced', 'underpriced'],
      ['Tx: [0x…] insufficient gas price to replace existing transaction', 'underpriced'],
      ['max fee per gas less than block base fee', 'underpriced'],
      ['Insufficient funds for gas * price + value', 'unfunded'],
      ['intrinsic gas too low', 'refused'],
      ['Transaction gas limit is greater than the block gas limit, gas_limit: 9, cap: 8', 'refused'],
      ['invalid chain id for signer', 'refused'],
      ['Incompatible EIP-155 transaction, signed for another chain', 'refused'],
      ['EIP-7702 authorization lists are not supported before the Prague hardfork', 'refused'],
      ['Nonce too high', 'unclear'],
    ],
  },
  'nobody we know': {
    sources: [],
    says: [['the moon is in the wrong phase', 'unclear']],
  },
}

for (const [client, { sources, says }] of Object.entries(clients)) {
  describe(`${client} (${sources.join('; ')})`, () => {
    test.each(says.map(([message, kind]) => ({ message, kind })))(
      '"$message" is $kind',
      ({ message, kind }) => {
        expect(outcomeOf(new NodeError(-32000, message)).kind).toBe(kind)
      },
    )
  })
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

test.each([
  ['already known', 'accepted'],
  ['nonce too low', 'nonce-used'],
  ['replacement transaction underpriced', 'underpriced'],
  ['insufficient funds for gas * price + value', 'unclear'],
  ['intrinsic gas too low', 'unclear'],
  ['sanctioned', 'unclear'],
] as const)('a relay that says "%s" is believed as far as %s', (message, kind) => {
  expect(outcomeOf(new RelayRefusal(message)).kind).toBe(kind)
})

test.each([
  ['failed state check: storage slot value mismatch', 'stale'],
  ['nonce too low: next nonce 5, tx nonce 4', 'nonce-used'],
  ['insufficient funds for gas * price + value', 'unfunded'],
] as const)('a sequencer that rejects conditions with "%s" means %s', (message, kind) => {
  expect(outcomeOf(new ConditionsFailed(-32003, message)).kind).toBe(kind)
})
