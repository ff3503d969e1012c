import { describe, expect, test } from 'bun:test'
import { bytesToHex, type Hex, keccak256, numberToHex, zeroAddress, zeroHash } from 'viem'
import { describe as describeError, Unavailable } from '../../../../src/base/errors.ts'
import { createTurns } from '../../../../src/base/turns.ts'
import type { StateSource } from '../../../../src/evm/state-source.ts'
import type { BlockRef } from '../../../../src/types/block.ts'
import { type ChainState, createChainState } from '../../../../src/validation/state/chain-state.ts'
import { createCodeCache } from '../../../../src/validation/state/code-cache.ts'
import type { Foreseen } from '../../../../src/validation/state/foresight/foreseen.ts'
import { addSlot, noKeys } from '../../../../src/validation/state/keys.ts'
import { blockAt, type FakeNode, type FakeState, fakeNode } from '../../../support/fakeNode.ts'
import { silentContext } from '../../../support/simulation.ts'

const keccak = (bytes: Uint8Array) => BigInt(keccak256(bytes))
const at = (address: bigint) => numberToHex(address, { size: 20 })
const codeOf = (name: number): Hex => `0x60${numberToHex(name, { size: 1 }).slice(2)}`
const nothing: Foreseen = { known: noKeys() }

const block = blockAt(1)
const next = blockAt(2)
const later = blockAt(3)

type World = { node: FakeNode; state: ChainState }

function world(
  blocks: Record<Hex, FakeState>,
  options: { now?: () => number; codeBytes?: number } = {},
): World {
  const node = fakeNode(blocks)
  const codes = createCodeCache({ capacity: options.codeBytes ?? 1_000_000 })
  const state = createChainState(
    { chainId: 1, hardfork: 'prague' },
    { ...silentContext(), node, codes, keccak, now: options.now ?? (() => 0) },
  )
  return { node, state }
}

/** Runs `attempt` at `block` on nothing but the source. */
function runAt<Result>(
  { state }: World,
  where: BlockRef & { parentHash?: Hex },
  attempt: (source: StateSource) => Result,
  foreseen = nothing,
): Promise<Result> {
  return state.run(
    state.viewAt(where),
    () => foreseen,
    ({ source }) => attempt(source),
  )
}

/** What it was asked, besides whether it lets code of ours read: it does not. */
const plainlyAsked = ({ node }: World): string[][] => node.asked.filter(([first]) => first !== 'eth_call')

const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: Error) => error,
  )

const account = { balance: 5n, nonce: 1, code: codeOf(7), storage: { '0x1': '0x2a', '0x2': '0x2b' } } as const

describe('one block', () => {
  test('tells an account, its code and its storage as the block has them', async () => {
    const it = world({ [block.hash]: { [at(10n)]: account } })
    const found = await runAt(it, block, (source) => {
      const { balance, codeHash } = source.account(10n) ?? {}
      const code = bytesToHex(source.code(codeHash ?? 0n, 10n))
      return {
        balance,
        nonce: source.nonce(10n),
        code,
        slots: [source.storage(10n, 1n), source.storage(10n, 9n)],
      }
    })
    expect(found).toEqual({ balance: 5n, nonce: 1n, code: codeOf(7), slots: [42n, 0n] })
  })

  test('asks for all slots that are missing in one request', async () => {
    const it = world({ [block.hash]: { [at(10n)]: account } })
    await runAt(it, block, (source) => [1n, 2n, 3n].map((slot) => source.storage(10n, slot)))
    expect(plainlyAsked(it)).toEqual([
      ['eth_getStorageAt 10 1', 'eth_getStorageAt 10 2', 'eth_getStorageAt 10 3'],
    ])
  })

  test('asks nothing twice: accounts that do not exist and slots of zero are known too', async () => {
    const it = world({ [block.hash]: {} })
    const read = (source: StateSource) => [source.account(11n), source.storage(11n, 1n)]
    expect(await runAt(it, block, read)).toEqual([undefined, 0n])
    it.node.asked.length = 0
    expect(await runAt(it, block, read)).toEqual([undefined, 0n])
    expect(it.node.asked).toEqual([])
  })

  test('what two runs miss at the same time is asked for once', async () => {
    const it = world({ [block.hash]: { [at(10n)]: account } })
    const read = (source: StateSource) => source.account(10n)?.balance
    expect(await Promise.all([runAt(it, block, read), runAt(it, block, read)])).toEqual([5n, 5n])
    expect(it.node.asked).toEqual([['eth_getBalance 10', 'eth_getCode 10', 'eth_getTransactionCount 10']])
  })

  test('an attempt on guesses counts for nothing, whatever it throws', async () => {
    const it = world({ [block.hash]: { [at(10n)]: account } })
    const result = await runAt(it, block, (source) => {
      if (source.storage(10n, 1n) === 0n) throw new Error('a guess was believed')
      return 'complete'
    })
    expect(result).toBe('complete')
  })

  test('what a complete attempt throws is thrown', async () => {
    const it = world({ [block.hash]: {} })
    const error = await failureOf(
      runAt(it, block, (source) => {
        source.account(10n)
        throw new Error('the end')
      }),
    )
    expect(error.message).toBe('the end')
  })

  test('code that chases pointers through storage is refused after eight rounds', async () => {
    const it = world({ [block.hash]: {} })
    const error = await failureOf(
      runAt(it, block, (source) => {
        for (let address = 1n; ; address += 1n) source.account(address)
      }),
    )
    expect(error).toMatchObject({
      name: 'ScatteredState',
      message: 'the operation follows pointers through storage: its state was not complete after 8 rounds',
    })
    expect(it.node.asked).toHaveLength(8)
  })

  test('seven pointers in a row are followed', async () => {
    const storage = Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7].map((slot) => [numberToHex(slot), numberToHex(slot + 1)]),
    )
    const it = world({ [block.hash]: { [at(10n)]: { storage } } })
    const end = await runAt(it, block, (source) => {
      let slot = 1n
      for (let step = 0; step < 7; step += 1) slot = source.storage(10n, slot)
      return slot
    })
    expect(end).toBe(8n)
  })

  test.each(['eth_getBalance', 'eth_getCode', 'eth_getStorageAt'])(
    'a node that fails at %s leaves the run unknown',
    async (method) => {
      const it = world({ [block.hash]: { [at(10n)]: account } })
      it.node.answer(method, () => {
        throw new Unavailable('the node is down')
      })
      const error = await failureOf(
        runAt(it, block, (source) => [source.account(10n), source.storage(10n, 1n)]),
      )
      expect(error).toBeInstanceOf(Unavailable)
    },
  )

  test('an error that a node answers to a plain read is no verdict either', async () => {
    const it = world({ [block.hash]: {} })
    it.node.answer('eth_getBalance', () => it.node.request('no_such_method', []))
    const error = await failureOf(runAt(it, block, (source) => source.account(10n)))
    expect(error).toBeInstanceOf(Unavailable)
  })

  test('after a failure the next run asks again', async () => {
    const it = world({ [block.hash]: { [at(10n)]: account } })
    it.node.answer('eth_getStorageAt', () => {
      throw new Unavailable('the node is down')
    })
    await failureOf(runAt(it, block, (source) => source.storage(10n, 1n)))
    it.node.answer('eth_getStorageAt', undefined)
    expect(await runAt(it, block, (source) => source.storage(10n, 1n))).toBe(42n)
  })
})

describe('several blocks', () => {
  const blocks = {
    [block.hash]: { [at(10n)]: { balance: 1n, storage: { '0x1': '0x1', '0x2': '0x1' } as const } },
    [next.hash]: { [at(10n)]: { balance: 2n, storage: { '0x1': '0x2', '0x2': '0x2' } as const } },
  }

  test('a new head has state of its own', async () => {
    const it = world(blocks)
    const read = (source: StateSource) => [source.account(10n)?.balance, source.storage(10n, 1n)]
    expect(await runAt(it, block, read)).toEqual([1n, 1n])
    expect(await runAt(it, next, read)).toEqual([2n, 2n])
  })

  test('a head in the middle of a run does not reach it', async () => {
    const it = world(blocks)
    const read = (source: StateSource) => {
      const first = source.storage(10n, 1n)
      return first === 0n ? [first] : [first, source.storage(10n, 2n)]
    }
    const release = it.node.hold()
    const run = runAt(it, block, read)
    const beside = runAt(it, next, read)
    const third = runAt(it, later, () => 'nothing to read')
    release()
    expect(await Promise.all([run, beside, third])).toEqual([[1n, 1n], [2n, 2n], 'nothing to read'])
  })

  test('of a block that is gone nothing is remembered', async () => {
    const it = world({ ...blocks, [later.hash]: {}, [blockAt(4).hash]: {} })
    const read = (source: StateSource) => source.storage(10n, 1n)
    for (const where of [block, next, later, blockAt(4), block]) await runAt(it, where, read)
    expect(it.node.asked).toHaveLength(5)
  })

  test('code is read once for good', async () => {
    const contract = { ...account, storage: {} }
    const it = world({
      [block.hash]: { [at(10n)]: contract },
      [next.hash]: { [at(10n)]: { ...contract, balance: 6n } },
    })
    const read = (source: StateSource) => {
      const { balance, codeHash } = source.account(10n) ?? {}
      return [balance, bytesToHex(source.code(codeHash ?? 0n, 10n))]
    }
    expect(await runAt(it, block, read)).toEqual([5n, codeOf(7)])
    expect(await runAt(it, next, read)).toEqual([6n, codeOf(7)])
    expect(it.node.asked[1]).toEqual(['eth_getBalance 10'])
  })

  test.each([
    ['an account without code', '0x', codeOf(7)],
    ['a delegated account', `0xef0100${'11'.repeat(20)}`, `0xef0100${'22'.repeat(20)}`],
  ] as const)('%s may have other code in the next block', async (_name, before, after) => {
    const it = world({
      [block.hash]: { [at(10n)]: { nonce: 1, code: before } },
      [next.hash]: { [at(10n)]: { nonce: 1, code: after } },
    })
    const read = (source: StateSource) => source.account(10n)?.codeHash
    expect(await runAt(it, block, read)).toBe(BigInt(keccak256(before)))
    expect(await runAt(it, next, read)).toBe(BigInt(keccak256(after)))
  })

  test('after a reorg no code is taken for granted', async () => {
    const it = world({
      [block.hash]: { [at(10n)]: { code: codeOf(1) } },
      [next.hash]: { [at(10n)]: { code: codeOf(2) } },
    })
    const read = (source: StateSource) => source.account(10n)?.codeHash
    await runAt(it, block, read)
    it.state.forgetCode()
    expect(await runAt(it, next, read)).toBe(BigInt(keccak256(codeOf(2))))
  })

  describe('a reorg that nobody has told of', () => {
    const other = { number: next.number, hash: keccak256('0x07') }
    const states = {
      [block.hash]: {},
      [next.hash]: { [at(10n)]: { code: codeOf(1) } },
      [other.hash]: { [at(10n)]: { code: codeOf(2) } },
      [later.hash]: { [at(10n)]: { code: codeOf(2) } },
    }
    const read = (source: StateSource) => source.account(10n)?.codeHash

    test('shows by another block of the same number', async () => {
      const it = world(states)
      await runAt(it, next, read)
      expect(await runAt(it, other, read)).toBe(BigInt(keccak256(codeOf(2))))
    })

    test('shows by a block with another parent', async () => {
      const it = world(states)
      await runAt(it, next, read)
      const where = { ...later, parentHash: other.hash }
      expect(await runAt(it, where, read)).toBe(BigInt(keccak256(codeOf(2))))
    })

    test('is none where the parent is the one that was seen', async () => {
      const it = world(states)
      await runAt(it, next, read)
      await runAt(it, { ...later, parentHash: next.hash }, read)
      expect(it.node.asked[1]).not.toContain('eth_getCode 10')
    })

    test('is not undone by what a run on the old block reads yet', async () => {
      const it = world(states)
      const release = it.node.hold()
      const before = runAt(it, next, read)
      it.state.viewAt(other)
      release()
      expect(await before).toBe(BigInt(keccak256(codeOf(1))))
      expect(await runAt(it, other, read)).toBe(BigInt(keccak256(codeOf(2))))
    })
  })

  test('a block hash of a chain that the block is not of any more is unknown', async () => {
    const it = world({ [next.hash]: {} })
    const told =
      (ofNext: Hex) =>
      ([number]: readonly unknown[]) => ({
        hash: BigInt(number as Hex) === 1n ? block.hash : ofNext,
      })
    const read = (source: StateSource) => source.blockHash(1n)
    it.node.answer('eth_getBlockByNumber', told(later.hash))
    expect(await failureOf(runAt(it, next, read))).toBeInstanceOf(Unavailable)
    it.node.answer('eth_getBlockByNumber', told(next.hash))
    expect(await runAt(it, next, read)).toBe(BigInt(block.hash))
  })

  test('code that is not what the account had is unknown, whoever is right', async () => {
    const it = world(
      { [block.hash]: { [at(10n)]: { code: codeOf(1) }, [at(11n)]: { code: codeOf(2) } } },
      { codeBytes: 3 },
    )
    const codeAt = (address: bigint) => (source: StateSource) =>
      source.code(source.account(address)?.codeHash ?? 0n, address)
    for (const address of [10n, 11n]) await runAt(it, block, codeAt(address))
    it.node.answer('eth_getCode', () => codeOf(3))
    const error = await failureOf(runAt(it, block, codeAt(10n)))
    expect(error).toBeInstanceOf(Unavailable)
    expect(describeError(error)).toContain('gave other code')
  })

  test('code that had to make room is read again', async () => {
    const it = world(
      { [block.hash]: { [at(10n)]: { code: codeOf(1) }, [at(11n)]: { code: codeOf(2) } } },
      { codeBytes: 3 },
    )
    const codeAt = (address: bigint) => (source: StateSource) =>
      bytesToHex(source.code(source.account(address)?.codeHash ?? 0n, address))
    const codes = []
    for (const address of [10n, 11n, 10n]) codes.push(await runAt(it, block, codeAt(address)))
    expect(codes).toEqual([codeOf(1), codeOf(2), codeOf(1)])
    expect(it.node.asked[2]).toEqual(['eth_getCode 10'])
  })
})

describe('turns', () => {
  test('one attempt of a trial at a time, whatever is at hand', async () => {
    const it = world({ [block.hash]: {} })
    const turn = createTurns()
    const view = it.state.viewAt(block)
    const order: string[] = []
    const trials = [1, 2, 3].map((name) =>
      it.state.run(
        view,
        () => nothing,
        () => order.push(`trial ${name}`),
        { turn },
      ),
    )
    for (const name of [1, 2, 3]) {
      await trials[name - 1]
      await runAt(it, block, () => order.push(`judgement ${name}`))
    }
    expect(order).toEqual(['trial 1', 'judgement 1', 'trial 2', 'judgement 2', 'trial 3', 'judgement 3'])
  })
})

describe('foresight', () => {
  const known = noKeys()
  known.accounts.add(10n)
  const oneSlot = { [at(21n)]: { stateDiff: { [numberToHex(1, { size: 32 })]: '0x5' } } } as const
  const call = {
    request: { to: at(10n), data: '0x' },
    overrides: { ...oneSlot, [at(20n)]: { code: codeOf(9) } },
    coinbase: at(30n),
  } as const
  const read = (source: StateSource) => [
    source.account(10n)?.balance,
    source.storage(10n, 1n),
    source.storage(21n, 1n),
    source.storage(21n, 2n),
  ]
  const state = { [at(10n)]: account, [at(21n)]: { storage: { '0x1': '0x7', '0x2': '0x8' } as const } }
  const prestates = {
    [at(10n)]: {
      balance: '0x5',
      nonce: 1,
      code: codeOf(7),
      storage: { [numberToHex(1, { size: 32 })]: '0x2a' },
    },
    [at(21n)]: {
      balance: '0x0',
      storage: { [numberToHex(1, { size: 32 })]: '0x5', [numberToHex(2, { size: 32 })]: '0x8' },
    },
    [zeroAddress]: { balance: '0x99', nonce: '0xffffffffffffffff' },
    [at(30n)]: { balance: '0x99' },
  }

  test('one trace tells all, but for what an override stands for and who pays and earns the fees', async () => {
    const it = world({ [block.hash]: state })
    it.node.answer('debug_traceCall', () => prestates)
    const foreseen = { known, call: { ...call, overrides: oneSlot } }
    expect(await runAt(it, block, read, foreseen)).toEqual([5n, 42n, 7n, 8n])
    expect(it.node.asked).toEqual([['debug_traceCall'], ['eth_getStorageAt 21 1']])
    it.node.asked.length = 0
    expect(await runAt(it, block, (source) => [source.account(0n), source.account(30n)])).toEqual([
      undefined,
      undefined,
    ])
    expect(it.node.asked.flat()).toContain('eth_getBalance 30')
  })

  test.each([
    ['of the code', keccak256(codeOf(7)), [5n, 42n, 7n, 8n]],
    ['of nothing', zeroHash, [5n, 42n, 7n, 8n]],
    ['of other code', keccak256(codeOf(8)), 'unknown'],
  ] as const)('a trace that tells code with the hash %s', async (_, codeHash, expected) => {
    const it = world({ [block.hash]: state })
    const lying = { ...prestates, [at(10n)]: { ...prestates[at(10n)], codeHash } }
    it.node.answer('debug_traceCall', () => lying)
    const foreseen = { known, call: { ...call, overrides: oneSlot } }
    const told = await runAt(it, block, read, foreseen).catch((error) => {
      expect(error).toBeInstanceOf(Unavailable)
      return 'unknown'
    })
    expect<unknown>(told).toEqual(expected)
  })

  test('an account whose code is replaced is read beside the trace', async () => {
    const it = world({ [block.hash]: { ...state, [at(20n)]: { code: codeOf(3) } } })
    it.node.answer('debug_traceCall', () => ({
      ...prestates,
      [at(20n)]: { balance: '0x1', code: codeOf(9) },
    }))
    const found = await runAt(it, block, (source) => [source.account(20n), source.storage(10n, 1n)], {
      known,
      call,
    })
    expect(found).toEqual([{ balance: 0n, codeHash: BigInt(keccak256(codeOf(3))) }, 42n])
    expect(plainlyAsked(it)).toHaveLength(1)
  })

  test('a node that does not trace is asked for an access list, and then not to trace again for a while', async () => {
    let now = 0
    const it = world({ [block.hash]: state, [next.hash]: state, [later.hash]: state }, { now: () => now })
    it.node.answer('eth_createAccessList', () => ({
      accessList: [{ address: at(21n), storageKeys: [1, 2].map((slot) => numberToHex(slot, { size: 32 })) }],
    }))
    const foreseen = { known, call, alike: call.request }
    expect(await runAt(it, block, read, foreseen)).toEqual([5n, 42n, 7n, 8n])
    expect(await runAt(it, next, read, foreseen)).toEqual([5n, 42n, 7n, 8n])
    const helps = () =>
      it.node.asked.flat().filter((name) => name.startsWith('debug_') || name.startsWith('eth_create'))
    expect(helps()).toEqual(['debug_traceCall', 'eth_createAccessList', 'eth_createAccessList'])
    now = 600_000
    expect(await runAt(it, later, read, foreseen)).toEqual([5n, 42n, 7n, 8n])
    expect(helps()).toEqual([
      'debug_traceCall',
      'eth_createAccessList',
      'eth_createAccessList',
      'debug_traceCall',
      'eth_createAccessList',
    ])
  })

  test('a trace that fails costs the help, not the verdict', async () => {
    const it = world({ [block.hash]: state })
    it.node.answer('debug_traceCall', () => {
      throw new Unavailable('timed out')
    })
    expect(await runAt(it, block, read, { known, call })).toEqual([5n, 42n, 7n, 8n])
  })

  test('a run like an earlier one is read ahead in one request, with its own roles', async () => {
    const entry = (owner: bigint) =>
      BigInt(keccak256(`0x${owner.toString(16).padStart(64, '0')}${'0'.repeat(63)}3`))
    const [ann, bob] = [0xa11ce0000000000000000n, 0xb0b0000000000000000n]
    const token = (owner: bigint) => ({ storage: { [numberToHex(entry(owner) + 1n)]: '0x9' } as const })
    const it = world({
      [block.hash]: { [at(10n)]: token(ann) },
      [next.hash]: { [at(10n)]: token(bob), [at(bob)]: { balance: 3n } },
    })
    const balanceOf = (owner: bigint, where: BlockRef) =>
      it.state.run(
        it.state.viewAt(where),
        () => ({ known: noKeys(), shapes: [{ names: ['transfer'], roles: new Map([['sender', owner]]) }] }),
        ({ source, keccak: hash }) => {
          const coins = source.account(owner)?.balance ?? 0n
          const slot = hash(Uint8Array.fromHex(`${owner.toString(16).padStart(64, '0')}${'0'.repeat(63)}3`))
          return [coins, source.storage(10n, slot + 1n)]
        },
      )
    expect(await balanceOf(ann, block)).toEqual([0n, 9n])
    it.node.asked.length = 0
    expect(await balanceOf(bob, next)).toEqual([3n, 9n])
    expect(plainlyAsked(it)).toEqual([
      expect.arrayContaining([`eth_getBalance ${bob}`, `eth_getStorageAt 10 ${entry(bob) + 1n}`]),
    ])
  })

  test('nothing is attempted while an account is not known that is read in any case', async () => {
    const it = world({ [block.hash]: state })
    const run = async (certain: bigint | undefined) => {
      let attempts = 0
      const attempt = ({ source }: { source: StateSource }) => {
        attempts += 1
        return read(source)
      }
      const view = it.state.viewAt(block)
      const foreseen = { known, call: { ...call, overrides: oneSlot } }
      const told = await it.state.run(view, () => foreseen, attempt, certain === undefined ? {} : { certain })
      return [told, attempts]
    }
    it.node.answer('debug_traceCall', () => prestates)
    // The slot that an override hides takes another.
    expect(await run(10n)).toEqual([[5n, 42n, 7n, 8n], 2])
    expect(await run(10n)).toEqual([[5n, 42n, 7n, 8n], 1])
  })

  describe('with experience', () => {
    const shaped = { known, call, shapes: [{ names: ['like this'], roles: new Map() }] }
    const states = { [block.hash]: state, [next.hash]: state, [later.hash]: state }
    const helps = ({ node }: World) =>
      node.asked.flat().filter((name) => name === 'debug_traceCall' || name === 'eth_call')

    test('no node is asked to trace what reads like an earlier run', async () => {
      const it = world(states)
      it.node.answer('debug_traceCall', () => prestates)
      expect(await runAt(it, block, read, shaped)).toEqual([5n, 42n, 7n, 8n])
      it.node.asked.length = 0
      expect(await runAt(it, next, read, shaped)).toEqual([5n, 42n, 7n, 8n])
      expect(plainlyAsked(it)).toHaveLength(1)
      expect(helps(it)).toEqual(['eth_call'])
    })

    test('what it leaves out the node is asked for, and it is learned', async () => {
      const it = world(states)
      it.node.answer('debug_traceCall', () => ({}))
      await runAt(it, block, (source) => [source.account(10n), source.storage(10n, 1n)], shaped)
      it.node.answer('debug_traceCall', () => prestates)
      it.node.asked.length = 0
      expect(await runAt(it, next, read, shaped)).toEqual([5n, 42n, 7n, 8n])
      expect(helps(it)).toEqual(['eth_call', 'debug_traceCall'])
      it.node.asked.length = 0
      expect(await runAt(it, later, read, shaped)).toEqual([5n, 42n, 7n, 8n])
      expect(helps(it)).toEqual([])
    })
  })

  test('a node that does not let code of ours read is asked again after a while', async () => {
    let now = 0
    const it = world({ [block.hash]: state, [next.hash]: state, [later.hash]: state }, { now: () => now })
    const calls = () => it.node.asked.flat().filter((name) => name === 'eth_call').length
    for (const where of [block, next]) expect(await runAt(it, where, read)).toEqual([5n, 42n, 7n, 8n])
    expect(calls()).toBe(1)
    now = 600_000
    expect(await runAt(it, later, read)).toEqual([5n, 42n, 7n, 8n])
    expect(calls()).toBe(2)
  })

  test('a node that fails at letting code of ours read, and at nothing else, is read plainly for a while', async () => {
    let now = 0
    const it = world({ [block.hash]: state, [next.hash]: state, [later.hash]: state }, { now: () => now })
    it.node.answer('eth_call', () => {
      throw new Unavailable('internal error')
    })
    const calls = () => it.node.asked.flat().filter((name) => name === 'eth_call').length
    for (const where of [block, next]) expect(await runAt(it, where, read)).toEqual([5n, 42n, 7n, 8n])
    expect(calls()).toBe(1)
    now = 30_000
    expect(await runAt(it, later, read)).toEqual([5n, 42n, 7n, 8n])
    expect(calls()).toBe(2)
  })

  test('a node that is down has not refused to let code of ours read', async () => {
    const it = world({ [block.hash]: state })
    const down = () => {
      throw new Unavailable('the node is down')
    }
    const methods = ['eth_call', 'eth_getStorageAt']
    for (const method of methods) it.node.answer(method, down)
    const slots = (source: StateSource) => [source.storage(10n, 1n), source.storage(21n, 1n)]
    expect(await failureOf(runAt(it, block, slots))).toBeInstanceOf(Unavailable)
    for (const method of methods) it.node.answer(method, undefined)
    it.node.asked.length = 0
    expect(await runAt(it, block, slots)).toEqual([42n, 7n])
    expect(it.node.asked.flat()).toContain('eth_call')
  })

  test('state that is prepared costs a run nothing', async () => {
    const it = world({ [block.hash]: state })
    const keys = noKeys()
    keys.accounts.add(10n)
    for (const slot of [1n, 2n]) addSlot(keys, 21n, slot)
    addSlot(keys, 10n, 1n)
    await it.state.prepare(it.state.viewAt(block), [{ known: keys }])
    it.node.asked.length = 0
    expect(await runAt(it, block, read)).toEqual([5n, 42n, 7n, 8n])
    expect(it.node.asked).toEqual([])
  })
})
