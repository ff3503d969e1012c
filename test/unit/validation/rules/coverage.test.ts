import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '../../../..')
const read = (path: string): Promise<string> => Bun.file(join(root, path)).text()

type Row = { rule: string; kind: string; about: string; code: string; test: string }

const rows: readonly Row[] = (await read('docs/erc-7562.md'))
  .split('\n')
  .filter((line) => /^\| [A-Z]+-\d{3} \|/.test(line))
  .map((line) => {
    const [rule = '', kind = '', about = '', code = '', test = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    return { rule, kind, about, code, test }
  })

/** Every rule that the ERC has or had. */
const inErc = {
  OP: [
    '011',
    '012',
    '013',
    '020',
    '031',
    '032',
    '041',
    '042',
    '051',
    '052',
    '053',
    '054',
    '061',
    '062',
    '070',
    '080',
  ],
  COD: ['010'],
  STO: ['010', '021', '022', '031', '032', '033', '040', '041'],
  GREP: ['010', '020', '030', '040', '050'],
  SREP: ['010', '020', '030', '040', '050'],
  EREP: ['010', '011', '015', '016', '020', '030', '040', '050', '055', '060', '061', '070'],
  UREP: ['010', '011', '020', '030'],
  AUTH: ['010', '020', '030', '040'],
  LIM: ['010', '020', '030', '040', '050', '060', '070'],
  ALT: ['010', '020', '021', '030', '040'],
  AREP: ['010', '020', '030'],
}

test('the table has every rule of the ERC once, in order', () => {
  const all = Object.entries(inErc).flatMap(([family, numbers]) =>
    numbers.map((number) => `${family}-${number}`),
  )
  expect(rows.map(({ rule }) => rule)).toEqual(all)
})

test('every rule that the code names is in the table, and does something', async () => {
  const named = new Set<string>()
  for (const path of new Glob('src/**/*.ts').scanSync(root)) {
    for (const [id] of (await read(path)).matchAll(/\b(?:[A-Z]?REP|OP|COD|STO|AUTH|LIM|ALT)-\d{3}\b/g))
      named.add(id)
  }
  const working = rows.filter(({ code }) => code !== 'none').map(({ rule }) => rule)
  expect([...named].sort()).toEqual(working.sort())
})

describe.each(rows.map((row) => [row.rule, row] as const))('%s', (rule, row) => {
  test('has no empty cell', () => {
    expect(['prohibition', 'permission', 'pool rule', 'not applicable']).toContain(row.kind)
    expect(Object.values(row).every((cell) => cell !== '')).toBe(true)
    expect([row.kind === 'not applicable', row.code !== 'none'], 'code, or a reason for none').toContain(true)
    expect(row.code === 'none').toBe(row.test === 'none')
  })

  test('is named by its code and by its test', async () => {
    for (const path of [row.code, row.test]) if (path !== 'none') expect(await read(path)).toContain(rule)
  })
})
