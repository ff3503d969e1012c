import { expect, test } from 'bun:test'
import { createLog, type LogLevel, redactUrl } from '../../../src/base/log.ts'

function logAt(level: LogLevel) {
  const lines: string[] = []
  const log = createLog({ level, write: (line) => lines.push(line) })
  return { log, lines, records: () => lines.map((line) => JSON.parse(line) as { [key: string]: unknown }) }
}

test('a line is one JSON object with time, level, message and fields', () => {
  const { log, lines, records } = logAt('info')
  log.info('bundle\nsubmitted', { chainId: 1, hash: '0x1', gas: 10n ** 20n, missing: undefined })
  const { time, ...rest } = records()[0] ?? {}
  expect(rest).toEqual({
    level: 'info',
    message: 'bundle\nsubmitted',
    chainId: 1,
    hash: '0x1',
    gas: '100000000000000000000',
  })
  expect(new Date(String(time)).toISOString()).toBe(String(time))
  expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1)
})

const written: [LogLevel, string[]][] = [
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
  ['silent', []],
]
test.each(written)('at level %s', (level, expected) => {
  const { log, records } = logAt(level)
  for (const at of ['debug', 'info', 'warn', 'error'] as const) log[at]('message')
  expect(records().map((record) => record.level)).toEqual(expected)
})

test('fields of a child log are on each of its lines and on no others', () => {
  const { log, records } = logAt('info')
  const child = log.with({ chainId: 1 }).with({ operation: '0xab' })
  child.warn('one', { chainId: 2 })
  log.warn('two')
  expect(records().map(({ time, ...rest }) => rest)).toEqual([
    { level: 'warn', message: 'one', chainId: 2, operation: '0xab' },
    { level: 'warn', message: 'two' },
  ])
})

test.each([
  ['https://node.example/v2/sesame', 'https://node.example/…'],
  ['https://node.example/?key=sesame', 'https://node.example/…'],
  ['wss://user:sesame@node.example:8546', 'wss://node.example:8546'],
  ['http://127.0.0.1:8545', 'http://127.0.0.1:8545'],
  ['https://node.example/#sesame', 'https://node.example'],
  ['sesame', '<url>'],
])('%s is logged as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown)
})
