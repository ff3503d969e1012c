import { expect, test } from 'bun:test'
import { createScrubber } from '../../../src/chain/node-url.ts'

const said = (url: string, text: string) => createScrubber(url)(text)

test('what may be a key in a URL is taken out of a text, however it is written', () => {
  const url = 'https://alice:open%20sesame@node.example/v2/abcdef0123456789?token=a%20long%20token'
  expect(said(url, 'bad key abcdef0123456789')).toBe('bad key …')
  expect(said(url, 'token=a%20long%20token, "a long token"')).toBe('token=…, "…"')
  expect(said(url, 'open%20sesame open sesame')).toBe('… …')
  expect(said(url, `Basic ${btoa('alice:open sesame')}`)).toBe('Basic …')
})

test('words of a path stay', () => {
  expect(said('https://node.example/v2/rpc/mainnet', 'v2 rpc mainnet')).toBe('v2 rpc mainnet')
})

test('a URL without anything to hide changes no text', () => {
  expect(said('http://127.0.0.1:8545', 'http://127.0.0.1:8545 :')).toBe('http://127.0.0.1:8545 :')
})
