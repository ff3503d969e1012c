import { expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { Unavailable } from '../../../../src/base/errors.ts'
import { NodeError } from '../../../../src/chain/node-error.ts'
import type { CallRequest } from '../../../../src/validation/eth-call.ts'
import { createNodeTracer } from '../../../../src/validation/traced/node-tracer.ts'
import { type FakeNode, fakeNode, methodMissing } from '../../../support/fakeNode.ts'

const request: CallRequest = { to: '0x00000000000000000000000000000000000000e0', data: '0x12345678' }
const slot = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`

/** What either tracer says of a call that reads slot 0 and writes slot 2, as the probe does. */
const answer = {
  ...{ type: 'CALL', from: request.to, to: request.to, input: '0x', gasUsed: '0x0', outOfGas: false },
  accessedSlots: {
    reads: { [slot(0)]: [] },
    writes: { [slot(2)]: 1 },
    transientReads: {},
    transientWrites: {},
  },
  ...{ extCodeAccessInfo: [], usedOpcodes: {}, contractSize: {} },
}

type Kind = 'native' | 'script'
type Call = { kind: Kind; isProbe: boolean }

/** A node with what `behave` says: an answer, or an error thrown. */
function tracingNode(behave: (call: Call) => unknown): { node: FakeNode; calls: string[] } {
  const node = fakeNode({})
  const calls: string[] = []
  node.answer('debug_traceCall', ([asked, options]) => {
    const { tracer } = options as { tracer: string }
    const kind = tracer === 'erc7562Tracer' ? 'native' : 'script'
    const isProbe = (asked as CallRequest).data !== request.data
    calls.push(isProbe ? `probe ${kind}` : kind)
    return behave({ kind, isProbe })
  })
  return { node, calls }
}

function tracerOf(node: FakeNode) {
  const clock = { now: 0 }
  const tracer = createNodeTracer({ timeoutMs: 5000 }, { node, now: () => clock.now })
  return { clock, trace: () => tracer.trace(request, 'latest', {}) }
}

const unsupported = () => {
  throw new NodeError(-32000, 'tracer not found')
}

test('the native tracer is looked for once and used from then on', async () => {
  const { node, calls } = tracingNode(() => answer)
  const { trace } = tracerOf(node)
  expect((await trace())?.root.reads).toEqual([0n])
  await trace()
  expect(calls).toEqual(['probe native', 'native', 'native'])
})

test('those who ask at once share the look', async () => {
  const { node, calls } = tracingNode(() => answer)
  const { trace } = tracerOf(node)
  await Promise.all([trace(), trace()])
  expect(calls).toEqual(['probe native', 'native', 'native'])
})

test('a node without the native tracer runs our script', async () => {
  const { node, calls } = tracingNode(({ kind }) => (kind === 'native' ? unsupported() : answer))
  const { trace } = tracerOf(node)
  await trace()
  await trace()
  expect(calls).toEqual(['probe native', 'probe script', 'script', 'script'])
})

test('a node without debug methods has no tracer, which is asked again after half a minute', async () => {
  const { node, calls } = tracingNode(methodMissing)
  const { trace, clock } = tracerOf(node)
  expect(await trace()).toBeUndefined()
  clock.now = 29_999
  expect(await trace()).toBeUndefined()
  expect(calls).toEqual(['probe native', 'probe script'])
  clock.now = 30_000
  await trace()
  expect(calls.length).toBe(4)
})

test('a tracer that ignores overrides, and so sees nothing, is none', async () => {
  const { node } = tracingNode(() => ({ ...answer, accessedSlots: { ...answer.accessedSlots, reads: {} } }))
  expect(await tracerOf(node).trace()).toBeUndefined()
})

test('a call that the native tracer cannot bear is traced by the script, and the next one natively', async () => {
  const bears = { all: false }
  const { node, calls } = tracingNode(({ kind, isProbe }) => {
    if (kind === 'native' && !isProbe && !bears.all) throw new NodeError(-32000, 'method handler crashed')
    return answer
  })
  const { trace } = tracerOf(node)
  expect(await trace()).toBeDefined()
  bears.all = true
  await trace()
  expect(calls).toEqual(['probe native', 'native', 'probe script', 'script', 'probe native', 'native'])
})

test('a call that no tracer can bear is unknown, not untraced', async () => {
  const { node } = tracingNode(({ isProbe }) => (isProbe ? answer : unsupported()))
  const { trace } = tracerOf(node)
  expect(await trace().catch((error) => error)).toBeInstanceOf(Unavailable)
  expect(await trace().catch((error) => error)).toBeInstanceOf(Unavailable)
})

test('a node that cannot be asked is unknown, and left alone for half a minute', async () => {
  const { node, calls } = tracingNode(() => {
    throw new Unavailable('down')
  })
  const { trace, clock } = tracerOf(node)
  expect(await trace().catch((error) => error)).toBeInstanceOf(Unavailable)
  expect(await trace().catch((error) => error)).toBeInstanceOf(Unavailable)
  expect(calls).toEqual(['probe native', 'probe script'])
  node.answer('debug_traceCall', () => answer)
  clock.now = 30_000
  expect(await trace()).toBeDefined()
})

test('a node that has lost its state may have a tracer all the same', async () => {
  const { node } = tracingNode(() => {
    throw new NodeError(-32000, 'missing trie node')
  })
  expect(
    await tracerOf(node)
      .trace()
      .catch((error) => error),
  ).toBeInstanceOf(Unavailable)
})

test('a node that does not say whether it has the one may still use the other', async () => {
  const { node } = tracingNode(({ kind }) => {
    if (kind === 'native') throw new Unavailable('timed out')
    return answer
  })
  expect(await tracerOf(node).trace()).toBeDefined()
})
