import { expect, test } from 'bun:test'
import { type Hex, keccak256, zeroHash } from 'viem'
import type { UserOperation } from '../../../../src/types/userop.ts'
import type { ValidationScope } from '../../../../src/types/verdict.ts'
import { checkCodesAtNode } from '../../../../src/validation/traced/check-codes-at-node.ts'
import { address, userOp } from '../../../support/builders.ts'
import { blockAt, fakeNode } from '../../../support/fakeNode.ts'

const block = blockAt(7)
const helper = address(0xc0)
const asked = { required: { minStake: 1n, minUnstakeDelay: 1 } }

/** What was used, with the code that it had. */
const scopeWith = (codes: Record<Hex, Hex>): ValidationScope => ({
  ...{ associated: [], contextSize: 0, gasByPhase: [] },
  codes: Object.entries(codes).map(([used, code]) => ({ address: used as Hex, hash: keccak256(code) })),
})

/** The codes that there are now. */
function check(ops: readonly UserOperation[], scopes: ValidationScope[], codes: Record<Hex, Hex>) {
  const state = Object.entries(codes).map(([used, code]) => [used, { code }] as const)
  const node = fakeNode({ [block.hash]: Object.fromEntries(state) })
  const verdict = checkCodesAtNode({ ops, scopes, block }, asked, { node })
  return { node, verdict }
}

test('code that is what it was', async () => {
  const op = userOp()
  const { verdict } = check([op], [scopeWith({ [op.sender]: '0x01', [helper]: '0x02' })], {
    [op.sender]: '0x01',
    [helper]: '0x02',
  })
  expect(await verdict).toEqual({ kind: 'passes', authorizations: [] })
})

test('code that is not: the operation is named, whoever it belongs to', async () => {
  const ops = [userOp(), userOp({ sender: address(2) })]
  const { verdict } = check(ops, [scopeWith({}), scopeWith({ [helper]: '0x02' })], { [helper]: '0x03' })
  expect(await verdict).toMatchObject({
    ...{ kind: 'fails', index: 1 },
    error: { code: -32502, data: { rule: 'COD-010', entity: 'account', address: address(2) } },
  })
})

test('code that many used is read once', async () => {
  const ops = [userOp(), userOp({ sender: address(2) })]
  const scope = scopeWith({ [helper]: '0x02' })
  const { node, verdict } = check(ops, [scope, scope], { [helper]: '0x02' })
  await verdict
  expect(node.asked.flat()).toEqual([`eth_getCode ${BigInt(helper)}`])
})

test.each([
  ['deploys', userOp({ factory: address(0xf0), factoryData: '0x01' })],
  [
    'delegates',
    userOp({
      eip7702Auth: { address: helper, chainId: 1, nonce: 0, r: zeroHash, s: zeroHash, yParity: 0 },
    }),
  ],
])('the code of an account that its operation %s comes with the bundle', async (_, op) => {
  const { verdict } = check([op], [scopeWith({ [op.sender]: '0x01' })], {})
  expect(await verdict).toMatchObject({ kind: 'passes' })
})

test('a node that does not say leaves it unknown', async () => {
  const op = userOp()
  const node = fakeNode({})
  const scopes = [scopeWith({ [helper]: '0x02' })]
  expect(await checkCodesAtNode({ ops: [op], scopes, block }, asked, { node })).toMatchObject({
    kind: 'unknown',
  })
})
