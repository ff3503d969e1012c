import { availableParallelism } from 'node:os'
import { type StaticDecode, Type } from '@sinclair/typebox'
import { bool, bytes32, count, hostNames, ipRanges, oneOf, portOrNone, text, url } from '../kinds.ts'

/** More simulator threads than this wait for the node rather than for a core; the main thread needs one itself. */
const mostSimulators = 4

/** s; more than any supervisor waits, and timers end at 2^31 ms. */
const day = 86_400

const strict = { additionalProperties: false }

/** Settings of the process. */
export const serviceSchema = Type.Object(
  {
    port: count({
      maximum: 65535,
      default: 4337,
      description: 'port of the public listener; 0 picks a free one',
    }),
    host: text({
      expected: 'a host name or an IP address',
      default: '127.0.0.1',
      description: 'address of the public listener; 0.0.0.0 is every interface',
    }),
    database: text({
      pattern: '^(file:.+|(libsql|https?)://\\S+)$',
      expected: 'a libSQL URL (file:…, libsql://…, https://…)',
      secret: 'url',
      default: 'file:./tandem.db',
      description: 'libSQL database: a file, or the URL of a server',
    }),
    databaseAuthToken: Type.Optional(
      text({ expected: 'a token', secret: 'always', description: 'token for a libSQL server' }),
    ),
    masterKey: Type.Optional(
      bytes32({
        secret: 'always',
        defaultText: 'no paymaster: a bundler only',
        description:
          "encrypts the wallets of API keys' owners in the database; with it the paymaster service is on, and a lost one is lost with the wallets",
      }),
    ),
    requireApiKey: bool({
      default: false,
      description: 'answer no call of the bundler without an API key; the paymaster answers none anyway',
    }),
    paymasterHosts: hostNames({
      default: [],
      description: "Host headers for which the paymaster's paths start at the root, not at /paymaster",
    }),
    paymasterPort: portOrNone({
      default: 'none',
      description: "port of a listener besides, whose root is the paymaster's; 0 picks a free one",
    }),
    leaseDuration: count({
      minimum: 1,
      maximum: 20,
      unit: 's',
      default: 15,
      description:
        'how long the database stays with an instance that has stopped answering; it renews three times as often',
    }),
    historyAge: count({
      minimum: 1,
      unit: 'days',
      default: 30,
      description: 'how long the database remembers operations that have ended, with their receipts',
    }),
    historySize: count({
      minimum: 1,
      unit: 'MiB',
      default: 4096,
      description: 'size of the database beyond which the oldest of them are forgotten before their time',
    }),
    auditAge: count({
      minimum: 1,
      unit: 'days',
      default: 365,
      description: 'how long the database remembers who changed what of keys, policies, lists and deposits',
    }),
    adminPort: portOrNone({
      default: 4338,
      description:
        "port of the operator's listener on 127.0.0.1 (readiness in detail, metrics, pools, relayers); 0 picks a free one",
    }),
    webhookUrl: Type.Optional(
      url(['http', 'https'], {
        secret: 'url',
        defaultText: 'no webhook',
        description: 'who is told by POST when relayers or deposits run low, or something is not ready',
      }),
    ),
    webhookSecret: Type.Optional(
      text({
        expected: 'a text',
        secret: 'always',
        defaultText: 'none',
        description: 'signs the body of every webhook (HMAC-SHA256); webhookUrl needs it',
      }),
    ),
    testing: bool({ default: false, description: 'serve the debug_bundler_* methods; never in production' }),
    logLevel: oneOf(['debug', 'info', 'warn', 'error', 'silent'], {
      default: 'info',
      description: 'least level of the JSON lines on standard error',
    }),
    simulators: count({
      maximum: 64,
      default: Math.min(mostSimulators, Math.max(1, availableParallelism() - 1)),
      defaultText: `cores − 1, from 1 to ${mostSimulators}`,
      unit: 'threads',
      description: 'simulator threads; 0 simulates in the main thread',
    }),
    corsOrigins: Type.Array(Type.String({ pattern: '^(\\*|https?://[^\\s/]+)$' }), {
      expected: 'a list of origins (https://host), or *',
      default: ['*'],
      description: 'browser origins that may call; * is any, since no call relies on cookies',
    }),
    maxBodySize: count({
      minimum: 1024,
      unit: 'bytes',
      default: 1024 * 1024,
      description: 'largest request body',
    }),
    maxBatch: count({
      minimum: 1,
      default: 100,
      unit: 'calls',
      description: 'most calls in a JSON-RPC batch',
    }),
    clientRate: count({
      default: 0,
      unit: 'calls/s',
      description: "each client address's calls a second, an IPv6 network /64 counting as one; 0 is no limit",
    }),
    clientBurst: count({
      minimum: 1,
      default: 200,
      unit: 'calls',
      description: 'calls that a client address has at once after a rest; a batch counts its calls',
    }),
    trustedProxies: ipRanges({
      default: [],
      description: 'proxies that are believed about the address of the client they call for',
    }),
    forwardingHeader: oneOf(['x-forwarded-for', 'forwarded'], {
      default: 'x-forwarded-for',
      description:
        'where trusted proxies say it; the other header is not looked at, since proxies hand it on',
    }),
    maxWebSockets: count({ default: 1000, unit: 'connections', description: 'most WebSockets open at once' }),
    maxSubscriptions: count({
      default: 100,
      unit: 'subscriptions',
      description: 'most subscriptions of one WebSocket',
    }),
    shutdownTimeout: count({
      minimum: 1,
      maximum: day,
      unit: 's',
      default: 30,
      description: 'longest wait for what is under way when asked to stop',
    }),
  },
  strict,
)

export type ServiceSettings = StaticDecode<typeof serviceSchema>
