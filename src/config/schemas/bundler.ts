import { Type } from '@sinclair/typebox'
import { hardforks } from '../../evm/hardfork.ts'
import { dataFeeKinds } from '../../types/ports/data-fee.ts'
import { validationLevels } from '../../types/verdict.ts'
import {
  address,
  addresses,
  bool,
  count,
  gas,
  hostNames,
  oneOf,
  privateKey,
  privateKeys,
  share,
  text,
  url,
  urls,
  wei,
} from '../kinds.ts'

const strict = { additionalProperties: false }

/** ms; no wait of this kind makes sense beyond it, and timers end at 2^31. */
const hour = 3_600_000

/** Settings of a chain's bundler. At the top level they are the defaults of all chains. */
export const bundlerSchema = Type.Object(
  {
    chainId: Type.Optional(
      count({
        minimum: 1,
        defaultText: 'asked from the node',
        description: 'the chain that the nodes must be of',
      }),
    ),
    rpcUrl: urls(['http', 'https', 'ws', 'wss'], {
      secret: 'url',
      description: 'nodes of the chain, the preferred one first',
    }),
    relayerKeys: privateKeys({
      secret: 'always',
      description: 'private keys of the accounts that send bundles, each with a nonce line of its own',
    }),
    hosts: hostNames({ default: [], description: 'Host headers for which POST / means this chain' }),
    entryPoints: Type.Optional(
      addresses({
        defaultText: 'those of 0.8, 0.7, 0.6 that have code',
        description: 'EntryPoints to serve; the chain must have them',
      }),
    ),
    beneficiary: Type.Optional(
      address({
        defaultText: 'the relayer that sends the bundle',
        description: 'who receives the fees of the operations',
      }),
    ),
    minInclusionDenominator: count({
      minimum: 1,
      default: 10,
      description: 'ERC-7562 reputation: one in so many operations seen must be included',
    }),
    throttlingSlack: count({
      default: 10,
      unit: 'operations',
      description: 'ERC-7562 reputation: missing inclusions before an entity is throttled',
    }),
    banSlack: count({
      default: 50,
      unit: 'operations',
      description: 'ERC-7562 reputation: missing inclusions before an entity is banned',
    }),
    minStake: wei({ default: '1 eth', description: 'stake that makes an entity a staked one' }),
    minUnstakeDelay: count({
      default: 86_400,
      unit: 's',
      description: 'unstake delay that makes an entity a staked one (ERC-7562: one day)',
    }),
    minSignerBalance: wei({
      default: '0.1 eth',
      description: 'a relayer with less than this sends no bundle',
    }),
    fundingKey: Type.Optional(
      privateKey({
        secret: 'always',
        defaultText: 'nobody tops relayers up',
        description: 'private key of an account that tops up the relayers, and is none of them',
      }),
    ),
    topUpBelow: Type.Optional(
      wei({
        defaultText: '2 × minSignerBalance',
        description: 'a relayer with less is topped up from the account of fundingKey',
      }),
    ),
    topUpTo: Type.Optional(
      wei({ defaultText: '2 × topUpBelow', description: 'what a relayer has after it was topped up' }),
    ),
    topUpDailyLimit: Type.Optional(
      wei({
        defaultText: '10 × minSignerBalance',
        description: 'most that all relayers of the chain get in any 24 hours, restarts included',
      }),
    ),
    watchedPaymasters: addresses({
      default: [],
      description: 'paymasters of yours: an alert tells when their deposits run low',
    }),
    minPaymasterDeposit: wei({
      default: '0.1 eth',
      description: 'a watched paymaster with less than this at its EntryPoint is low',
    }),
    multicall: address({
      default: '0xcA11bde05977b3631167028862bE2a173976CA11',
      description: 'Multicall3, for reading balances and topping up relayers at once; used where it has code',
    }),
    estimationStaticBuffer: gas({ default: 0, description: 'added to an estimated callGasLimit' }),
    validationGasLimit: gas({
      default: 5_000_000,
      description: "most verification gas that an operation may ask for, its paymaster's included",
    }),
    validationEngine: oneOf(['local', 'node'], {
      default: 'local',
      description:
        'who runs validation: our own EVM, which checks all rules of ERC-7562 and leaves to the node what it cannot run; or always the node',
    }),
    lowestValidation: oneOf(validationLevels, {
      default: 'traced-by-node',
      description:
        "least that validation must be: full is all rules of ERC-7562 in our own EVM; traced-by-node is all rules on what a node's tracer tells; basic is what the EntryPoint checks, without a trace",
    }),
    validationCrossCheck: share({
      default: 0,
      description:
        'share of operations that the other engine judges too, with all rules; the metrics count whether it agrees',
    }),
    hardfork: Type.Optional(
      oneOf(hardforks, {
        defaultText: 'looked up on the chain',
        description: "whose rules the chain's EVM has, for validation in our own",
      }),
    ),
    p256Verify: Type.Optional(
      bool({
        defaultText: 'looked up on the chain',
        description: 'the chain has the precompile P256VERIFY at 0x100 (RIP-7212); with Osaka it has anyway',
      }),
    ),
    ownPrecompiles: addresses({
      default: [],
      description: 'precompiles that no hardfork has: our own EVM leaves what calls them to the node',
    }),
    ownOpcodes: bool({
      default: false,
      description: 'the chain runs code that no hardfork knows: our own EVM leaves it to the node',
    }),
    receiptLookupRange: count({
      default: 1024,
      unit: 'blocks',
      description: 'how far logs are searched for what the index does not have, and the widest fee history',
    }),
    explorerApiKey: Type.Optional(
      text({
        expected: 'a key',
        secret: 'always',
        defaultText: 'no explorer',
        description:
          'key of an Etherscan-shaped explorer: a second gas oracle, and history beyond receiptLookupRange',
      }),
    ),
    explorerUrl: Type.Optional(
      url(['http', 'https'], {
        secret: 'url',
        defaultText: "Etherscan's, with a key",
        description: 'address of the explorer (Etherscan API v2); some need no key',
      }),
    ),
    conditionalTransactions: bool({
      default: false,
      description:
        'send bundles with the storage that their validation reads, so that a sequencer leaves out what would revert (ERC-7796)',
    }),
    rpcEndpointSubmit: Type.Optional(
      url(['http', 'https'], {
        secret: 'url',
        defaultText: 'the nodes',
        description: 'where signed bundles are sent; with a relay as relayingMode, the URL of that relay',
      }),
    ),
    gasPriceMarkup: count({ default: 0, unit: 'bp', description: 'added to the recommended fees' }),
    enforceGasPrice: bool({
      default: false,
      description: 'refuse operations that offer less than the recommended fees, less the threshold',
    }),
    enforceGasPriceThreshold: count({
      maximum: 10_000,
      default: 1000,
      unit: 'bp',
      description:
        'how far below the recommended fees is still accepted, as fees move between quote and send',
    }),
    eip2930: bool({
      default: false,
      description:
        'attach an access list to bundles, where the node makes one; they stay EIP-1559 or EIP-7702 transactions',
    }),
    useropsTTL: count({
      default: 300,
      unit: 's',
      description:
        'after this a pending operation may be replaced without a fee bump, and a nonce gap is given up',
    }),
    whitelistedEntities: Type.Object(
      {
        paymaster: addresses({ default: [], description: 'paymasters' }),
        account: addresses({ default: [], description: 'accounts' }),
        factory: addresses({ default: [], description: 'factories' }),
      },
      {
        ...strict,
        default: { paymaster: [], account: [], factory: [] },
        expected: 'an object of address lists: paymaster, account, factory',
        description: 'entities that are never throttled, banned or limited',
      },
    ),
    bundleGasLimitMarkup: gas({
      default: 0,
      description: "added to a bundle's gas limit, which is computed from its operations' limits",
    }),
    relayingMode: oneOf(['classic', 'flashbots', 'merkle', 'kolibri'], {
      default: 'classic',
      description:
        'how bundles reach the chain: eth_sendRawTransaction, or a relay that hands them to block builders in private',
    }),
    relayAuthKey: Type.Optional(
      privateKey({
        secret: 'always',
        defaultText: 'a new one for each process',
        description: 'key that signs requests to a flashbots relay, which knows you by it; it holds no funds',
      }),
    ),
    relayApiKey: Type.Optional(
      text({ expected: 'a key', secret: 'always', defaultText: 'none', description: 'API key of kolibri' }),
    ),
    relayFallbackBlocks: Type.Optional(
      count({
        minimum: 1,
        unit: 'blocks',
        defaultText: 'never',
        description: 'blocks without inclusion after which a bundle goes from its relay to the nodes as well',
      }),
    ),
    bundleInterval: count({
      default: 10_000,
      unit: 'ms',
      description: 'longest wait for a bundle to fill; most leave earlier, in time for the next block',
    }),
    bundleSize: count({
      minimum: 1,
      default: 500,
      unit: 'operations',
      description: 'most operations in a bundle; the caps on gas and bytes bind first',
    }),
    pvgMarkup: gas({ default: 0, description: 'added to the preVerificationGas that is asked for' }),
    expectedBundleSize: count({
      minimum: 1,
      default: 1,
      unit: 'operations',
      description:
        'how many operations share what a bundle costs once; 1 never loses, busy chains can ask for less',
    }),
    skipBundleValidation: bool({
      default: false,
      description: 'leave out the check of the whole bundle: it may revert at your cost',
    }),
    redirectRpc: bool({
      default: true,
      description: 'pass standard methods (eth_call…) through to the node',
    }),
    maxNonceGap: count({
      default: 10,
      unit: 'nonces',
      description: 'how far ahead of its turn an operation is accepted and held',
    }),
    maxPoolAge: count({
      minimum: 1,
      default: 3600,
      unit: 's',
      description: 'longest stay in the pool, after which an operation is dropped',
    }),
    maxPoolSize: count({
      minimum: 1,
      default: 50_000,
      unit: 'operations',
      description: 'size of the pool of an EntryPoint; beyond it the lowest fee is evicted',
    }),
    reorgDepth: count({
      minimum: 1,
      default: 64,
      unit: 'blocks',
      description: 'depth to which reorganisations are followed (two epochs of Ethereum)',
    }),
    transactionGasCap: gas({
      minimum: 100_000,
      default: 16_777_216,
      description: 'most gas of a bundle transaction (EIP-7825)',
    }),
    transactionBytesCap: count({
      minimum: 1024,
      // ERC-7562 LIM-040, MAX_BUNDLE_SIZE
      maximum: 262_144,
      default: 131_072,
      unit: 'bytes',
      description: 'most calldata of a bundle transaction (what most nodes take)',
    }),
    maxUserOperationSize: count({
      minimum: 512,
      default: 8192,
      unit: 'bytes',
      description: 'largest packed operation (ERC-7562)',
    }),
    blockTime: Type.Optional(
      count({
        minimum: 10,
        maximum: hour,
        unit: 'ms',
        defaultText: 'not expected',
        description: 'time between blocks that is expected until it is learned',
      }),
    ),
    pollInterval: Type.Optional(
      count({
        minimum: 10,
        maximum: hour,
        unit: 'ms',
        defaultText: 'from the block time',
        description: 'time between polls for a new head',
      }),
    ),
    nodeTimeout: count({
      minimum: 100,
      maximum: hour,
      default: 10_000,
      unit: 'ms',
      description: 'longest wait for an answer of a node',
    }),
    maxHeadAge: Type.Optional(
      count({
        unit: 's',
        defaultText: '20 block times, at least 60; none where blocks come on demand',
        description: 'age of the newest block beyond which the chain is not ready; 0 is never',
      }),
    ),
    maxNodeLag: count({
      minimum: 100,
      default: 10_000,
      unit: 'ms',
      description: 'how long the others may have a newer block before a node is left out until it catches up',
    }),
    replaceAfterBlocks: count({
      minimum: 1,
      default: 3,
      unit: 'blocks',
      description: 'blocks without inclusion after which a bundle is sent again with higher fees',
    }),
    maxFeeCeiling: Type.Optional(
      wei({
        defaultText: 'none',
        description:
          'highest maxFeePerGas that a replacement may offer; what its operations pay is the limit anyway',
      }),
    ),
    eip7623: bool({
      default: true,
      description: 'the chain has the calldata floor price of EIP-7623 (Ethereum since Prague)',
    }),
    dataFee: Type.Optional(
      oneOf(dataFeeKinds, {
        defaultText: 'looked up on the chain',
        description:
          'how the chain takes fees for data on another layer; part of what operations pay in preVerificationGas',
      }),
    ),
    quoteValidity: count({
      default: 120,
      unit: 's',
      description:
        'how long an operation may be sent with the fees and the preVerificationGas that it was quoted, although they rose since',
    }),
    minPriorityFee: wei({
      default: 0,
      description:
        'least priority fee per gas to recommend and to accept, for chains whose nodes ask for one',
    }),
  },
  strict,
)
