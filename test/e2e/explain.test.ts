import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import type { Json } from '../../src/base/errors.ts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import { fund, signedOperation, simpleAccount } from '../support/accounts.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { opcode, touch } from '../support/rules/actions.ts'
import { buildOperation } from '../support/rules/suite.ts'
import { createRuleWorld } from '../support/rules/world.ts'
import { scratchDirectory, startTandem } from '../support/service.ts'

let chain: DevChain
let directory: string

beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())
beforeEach(() => {
  directory = scratchDirectory()
})
afterEach(() => rmSync(directory, { recursive: true }))

/** `tandem explain` of a file with `content`. */
async function explain(content: Json | string, ...flags: string[]) {
  const path = join(directory, 'op.json')
  await Bun.write(path, typeof content === 'string' ? content : JSON.stringify(content))
  const tandem = startTandem(['explain', path, '--rpc-url', chain.url, ...flags], directory)
  return { code: await tandem.exited, text: tandem.output(), errors: tandem.log() }
}

async function goodOperation(version: '0.6' | '0.7') {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return signedOperation(chain, account)
}

test('explain prints what an accepted operation does', async () => {
  const op = await goodOperation('0.7')
  const { code, text } = await explain([formatUserOperation(op), entryPoints['0.7'].address])
  expect(code).toBe(0)
  const lines = text.split('\n')
  expect(lines).toContain(`account   ${op.sender}`)
  expect(lines).toContain('accepted, at level full')
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}create +\d+,\d{3} +\d+,\d{3} +480,000$/))
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {2}├─ \[validate\] account\.validateUserOp\(.*\) {2}\d+,\d{3} gas$/),
  )
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {2}rw {2}account 0x0 {2}0x0 → 0x[0-9a-f]+ {2}in create, validate$/),
  )
})

test('an operation of 0.6 needs no EntryPoint, and the call that sends it may be the file', async () => {
  const op = formatUserOperation(await goodOperation('0.6'))
  expect((await explain(op)).text).toStartWith('EntryPoint 0.6 on chain 31337')
  const sending = {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_sendUserOperation',
    params: [op, entryPoints['0.6'].address],
  }
  expect((await explain(sending)).code).toBe(0)
})

test('explain tells why an operation is refused, and which rules it breaks', async () => {
  const funder = privateKeyToAccount(anvilKeys[1])
  const world = await createRuleWorld({ url: chain.url, chainId: chain.chainId, funder }, '0.7')
  const op = await buildOperation(world, {
    paymaster: 'unstaked',
    account: () => [opcode('NUMBER')],
    inPaymaster: () => [touch('load', 5n)],
  })
  const { code, text } = await explain([formatUserOperation(op), entryPoints['0.7'].address])
  expect(code).toBe(1)
  expect(text).toContain('rejected: account used opcode NUMBER (-32502)\n')
  expect(text).toContain('\n  ✗  OP-011   account used opcode NUMBER\n')
  expect(text).toMatch(/\n {2}✗ {2}STO-031 {2}paymaster read slot .*; allowed if the paymaster were staked\n/)
})

test.each([
  ['no JSON', '{', /^tandem: /],
  ['no operation', { sender: '0x1' }, /^tandem: /],
  ['no EntryPoint where two fit', { sender: `0x${'11'.repeat(20)}` }, /entryPoint is missing/],
  ['an EntryPoint that is not served', [{}, `0x${'11'.repeat(20)}`], /is not served; served: /],
] as const)('what is %s is said to be so', async (_, content, message) => {
  const { code, text, errors } = await explain(content as Json)
  expect({ code, text }).toEqual({ code: 2, text: '' })
  expect(errors).toMatch(message)
})

test('a file that is not named, or not there', async () => {
  const unnamed = startTandem(['explain', '--rpc-url', chain.url], directory)
  expect(await unnamed.exited).toBe(2)
  expect(unnamed.log()).toStartWith('tandem: explain needs the file with the operation')
  const missing = startTandem(['explain', join(directory, 'none.json'), '--rpc-url', chain.url], directory)
  expect(await missing.exited).toBe(2)
})
