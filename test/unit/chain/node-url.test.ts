import { expect, test } from 'bun:test'
import { httpTarget, requestUrls } from '../../../src/chain/node-url.ts'

test('user info becomes a header', () => {
  expect(httpTarget('https://us%40er:p%C3%A4ss@node.example/key')).toEqual({
    url: 'https://node.example/key',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('us@er:päss').toString('base64')}`,
    },
  })
})

test('a WebSocket URL is asked over its HTTP twin', () => {
  expect(httpTarget('wss://node.example/key').url).toBe('https://node.example/key')
  expect(httpTarget('ws://127.0.0.1:8545').url).toBe('http://127.0.0.1:8545/')
})

test('requests go over HTTP URLs, over twins only when there are none', () => {
  expect(requestUrls(['wss://a', 'https://b', 'http://c'])).toEqual(['https://b', 'http://c'])
  expect(requestUrls(['wss://a'])).toEqual(['wss://a'])
})
