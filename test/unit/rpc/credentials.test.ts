import { describe, expect, test } from 'bun:test'
import { readCredentials, type Sources } from '../../../src/rpc/paymaster/credentials.ts'

const sources = (changes: Partial<Sources> & { search?: string } = {}): Sources => ({
  query: new URLSearchParams(changes.search),
  headers: new Headers(),
  body: {},
  params: [],
  ...changes,
})
const nothing = { apiKey: undefined, chainId: undefined, useVp: false }

test('none is sent', () => {
  expect(readCredentials(sources(), undefined)).toEqual(nothing)
})

test('the query comes before the body, the body before the header, the header before the params', () => {
  const positions = { chainId: 0, apiKey: 1 }
  const everywhere = {
    search: 'apiKey=query&chainId=1',
    body: { apiKey: 'body', chainId: '2' },
    headers: new Headers({ apikey: 'header', chainid: '3' }),
    params: ['4', 'params'],
  }
  const read = (changes: object) => {
    const { apiKey, chainId } = readCredentials(sources({ ...everywhere, ...changes }), positions)
    return `${apiKey} ${chainId}`
  }
  expect(read({})).toBe('query 1')
  expect(read({ search: '' })).toBe('body 2')
  expect(read({ search: '', body: { apiKey: null, chainId: '' } })).toBe('header 3')
  expect(read({ search: '', body: {}, headers: new Headers({ 'x-api-key': 'other' }) })).toBe('other 4')
  expect(read({ search: '', body: {}, headers: new Headers() })).toBe('params 4')
})

test('params hold none where the call has no place for them', () => {
  expect(readCredentials(sources({ params: ['4', 'params'] }), undefined)).toEqual(nothing)
  expect(readCredentials(sources({ params: ['a', '5', 'b'] }), { chainId: 1 })).toEqual({
    ...nothing,
    chainId: 5,
  })
})

test('where ERC-7677 has the chain, it comes first', () => {
  const given = sources({ search: 'chainId=1', params: [{}, 'entryPoint', '0xa'] })
  expect(readCredentials(given, { chainId: 2, chainIdFirst: true }).chainId).toBe(10)
  expect(readCredentials({ ...given, params: [] }, { chainId: 2, chainIdFirst: true }).chainId).toBe(1)
})

describe('chain ids', () => {
  test.each([
    ['1', 1],
    ['0xaa36a7', 11155111],
    [31337, 31337],
  ])('%p', (given, chainId) => {
    expect(readCredentials(sources({ body: { chainId: given } }), undefined).chainId).toBe(chainId)
  })
  test.each(['x', '-1', '1.5', '0', 0, 1.5, 2 ** 60, {}, [['1']], true, '0x', '1; drop table tenants'])(
    '%p is none',
    (given) => {
      expect(() => readCredentials(sources({ body: { chainId: given } }), undefined)).toThrow(
        'Invalid chainId',
      )
    },
  )
})

describe('useVp', () => {
  test.each([
    ['true', true],
    ['1', true],
    ['YES', true],
    ['false', false],
    ['0', false],
    ['no', false],
  ])('%s', (given, useVp) => {
    expect(readCredentials(sources({ search: `useVp=${given}` }), undefined).useVp).toBe(useVp)
    expect(readCredentials(sources({ body: { useVp: given } }), undefined).useVp).toBe(useVp)
  })
  test('as JSON has it', () => {
    expect(readCredentials(sources({ body: { useVp: true } }), undefined).useVp).toBe(true)
    expect(readCredentials(sources({ body: { useVp: false } }), undefined).useVp).toBe(false)
  })
  test.each(['maybe', '2', {}, -1])('%p is refused', (given) => {
    expect(() => readCredentials(sources({ body: { useVp: given } }), undefined)).toThrow('Invalid useVp')
  })
})

test('an API key that is no text is none', () => {
  expect(readCredentials(sources({ body: { apiKey: { $ne: null } } }), undefined).apiKey).toBeUndefined()
})
