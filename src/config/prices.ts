import { FormatRegistry, type StaticDecode, type TSchema, Type } from '@sinclair/typebox'
import { parseAmount } from '../paymaster/policies/amounts.ts'
import type { PriceSettings } from '../paymaster/prices/open-price.ts'
import { priceDecimals } from '../paymaster/prices/price-source.ts'
import type { TokenSettings } from '../paymaster/tokens/token.ts'
import { type About, address, bool, count, text, url } from './kinds.ts'

const strict = { additionalProperties: false }

/** A kind that is decoded to something else; settings are never written. */
function read<Schema extends TSchema, Value>(schema: Schema, decode: (given: StaticDecode<Schema>) => Value) {
  return Type.Transform(schema)
    .Decode(decode)
    .Encode(() => {
      throw new Error('settings are only read')
    })
}

/** ms that an HTTP price source has for an answer; a wallet waits for it */
const priceTimeout = 5_000

const digits = { shown: priceDecimals, kept: priceDecimals }
FormatRegistry.Set('price', (value) => fixed(value) > 0n)

/** 10⁻⁸ US dollars; 0 for what is no price */
function fixed(text: string): bigint {
  const parsed = parseAmount(text, digits)
  return 'value' in parsed ? parsed.value : 0n
}

const maxAge = count({ minimum: 1, unit: 's', description: 'age beyond which a price is none' })

const fixedPrice = read(
  Type.String({ format: 'price' }),
  (usd): PriceSettings => ({ kind: 'fixed', usd: fixed(usd) }),
)
const chainlinkPrice = read(
  Type.Object({ chainlink: address({ description: 'the feed' }), maxAge }, strict),
  ({ chainlink: feed, maxAge }): PriceSettings => ({ kind: 'chainlink', feed, maxAge }),
)
const httpPrice = read(
  Type.Object(
    {
      http: url(['http', 'https'], { secret: 'url', description: 'where to ask' }),
      id: text({ expected: 'a name', description: 'under which the answer has it' }),
      maxAge,
    },
    strict,
  ),
  ({ http, ...rest }): PriceSettings => ({ kind: 'http', url: http, ...rest, timeoutMs: priceTimeout }),
)

/** Where a price in US dollars comes from. */
export function price(about: About) {
  const expected =
    'US dollars for one as text ("2500.5"), {"chainlink": feed, "maxAge": s}, or {"http": URL, "id": name, "maxAge": s}'
  return Type.Union([fixedPrice, chainlinkPrice, httpPrice], { ...about, expected })
}

/** Decimals of the largest unit that any token has. */
const mostDecimals = 36

/** Tokens that operations can be paid in. */
export function tokens(about: About) {
  const token = read(
    Type.Object(
      {
        symbol: text({ pattern: '^[\\x21-\\x7e]{1,32}$', expected: 'a symbol', description: 'its name' }),
        address: address({ description: 'its contract' }),
        decimals: count({ maximum: mostDecimals, description: 'fraction digits of its amounts' }),
        price: price({ description: 'of one token' }),
        onChainFeed: Type.Optional(bool({ description: 'the token paymasters have price feeds for it' })),
      },
      strict,
    ),
    ({ onChainFeed = false, ...rest }): TokenSettings => ({ ...rest, onChainFeed }),
  )
  return Type.Array(token, {
    ...about,
    expected:
      'a list of {"symbol", "address", "decimals", "price": as nativePrice, "onChainFeed": true or false}',
  })
}
