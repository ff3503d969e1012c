import { type StaticDecode, Type } from '@sinclair/typebox'
import { scopes } from '../../types/paymaster/tenant.ts'
import { bool, count, someOf, text, wei } from '../kinds.ts'
import { chainSchema } from './chain.ts'
import { serviceSchema } from './service.ts'

const strict = { additionalProperties: false }

/** Where the other settings are. */
export const sourceSchema = Type.Object(
  {
    config: Type.Optional(
      text({ expected: 'a path', defaultText: 'no file', description: 'JSON file with settings' }),
    ),
  },
  strict,
)

/** Settings of `tandem dev` besides those of the service. */
export const devSchema = Type.Object(
  {
    once: bool({ default: false, description: 'exit after the demo operations are included' }),
    chainPort: count({
      maximum: 65535,
      default: 8545,
      description: 'port of the development chain; 0 picks a free one',
    }),
    anvil: Type.Optional(
      text({
        expected: 'a path',
        defaultText: 'the one that npm installed',
        description: 'the anvil executable',
      }),
    ),
  },
  strict,
)

/** Settings of `tandem backup` besides where the database is. */
export const backupSchema = Type.Object(
  {
    to: text({ expected: 'a path', description: 'file that the copy is written to; it must not exist yet' }),
  },
  strict,
)

/** Where the database is. */
export const databaseSchema = Type.Pick(serviceSchema, ['database', 'databaseAuthToken'], strict)

/** Where API keys are, and what opens their owners' wallets. */
export const keysSchema = Type.Composite(
  [databaseSchema, Type.Required(Type.Pick(serviceSchema, ['masterKey']))],
  strict,
)

/** Where the operator's paymasters are, and whose they are. */
export const operatorSchema = Type.Composite(
  [
    Type.Pick(chainSchema, [
      'chainId',
      'rpcUrl',
      'nodeTimeout',
      'entryPoints',
      'nativePrice',
      'tokens',
      'paymasterUnstakeDelay',
    ]),
    Type.Required(Type.Pick(chainSchema, ['paymasterKey'])),
  ],
  strict,
)

/** What a simulation depends on. */
export const simulationSchema = Type.Pick(
  chainSchema,
  [
    ...([
      'chainId',
      'rpcUrl',
      'nodeTimeout',
      'maxNodeLag',
      'entryPoints',
      'minStake',
      'minUnstakeDelay',
    ] as const),
    ...(['validationEngine', 'lowestValidation'] as const),
    ...(['hardfork', 'p256Verify', 'ownPrecompiles', 'ownOpcodes'] as const),
  ],
  strict,
)

/** Settings of `tandem paymaster` besides. */
export const fundsSchema = Type.Object(
  {
    stake: wei({ default: '1 eth', description: "what each of the operator's paymasters has as a stake" }),
    deposit: wei({
      default: '0.1 eth',
      description: 'what each token paymaster has at its EntryPoint, at least, to pay for operations',
    }),
  },
  strict,
)

/** Settings of `tandem keys create`. */
export const newKeySchema = Type.Object(
  {
    name: text({
      pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$',
      expected: 'a text of up to 100 characters',
      description: 'who the key is for',
    }),
    scopes: someOf(scopes, {
      default: [...scopes],
      description: 'what the key may do: read, ask for sponsorship, change and spend',
    }),
    creditsPerMonth: Type.Optional(
      count({
        minimum: 1,
        unit: 'credits',
        defaultText: 'no limit',
        description: 'what the key may spend in a calendar month (UTC)',
      }),
    ),
    creditsPerSecond: Type.Optional(
      count({
        minimum: 1,
        unit: 'credits',
        defaultText: 'no limit',
        description:
          'what the key may spend in a second on average; it may owe the rest of a call that costs more',
      }),
    ),
  },
  strict,
)

/** The development chain lives as long as the process, and so does its database, and what encrypts it. */
export const devServiceSchema = Type.Omit(
  serviceSchema,
  ['database', 'databaseAuthToken', 'masterKey'],
  strict,
)
/** The development chain brings its own node, and relayers who never run out of money. */
export const devChainSchema = Type.Omit(
  chainSchema,
  [
    'chainId',
    'rpcUrl',
    'relayerKeys',
    'hosts',
    'entryPoints',
    'fundingKey',
    'topUpBelow',
    'topUpTo',
    'topUpDailyLimit',
    'paymasterKey',
    'nativePrice',
    'tokens',
  ],
  strict,
)

export type SimulationSettings = StaticDecode<typeof simulationSchema>
export type DevSettings = StaticDecode<typeof devSchema>
