import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, type Hex, parseEther, toFunctionSelector } from 'viem'
import { encodeTokenData, encodeWindowData, type TokenTerms } from '../../src/contracts/paymaster/terms.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { execute, type TestAccount } from '../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  handleOps,
  newKey,
  paidOperation,
  pennilessAccount,
  type TestPaymaster,
  testPaymaster,
} from '../support/paymasters.ts'
import { type Access, isAssociated, type Trace, traceCall } from '../support/rules.ts'
import { type TestContract, tokenMaker } from '../support/tokens.ts'

/** OP-011, and OP-080 for those that only staked entities may use: ours use none. */
const forbidden = [
  ...['ORIGIN', 'GASPRICE', 'BLOCKHASH', 'COINBASE', 'TIMESTAMP', 'NUMBER', 'PREVRANDAO', 'DIFFICULTY'],
  ...['GASLIMIT', 'BASEFEE', 'BLOBHASH', 'BLOBBASEFEE', 'CREATE', 'CREATE2', 'SELFDESTRUCT', 'INVALID'],
  ...['GAS', 'BALANCE', 'SELFBALANCE', 'TLOAD', 'TSTORE'],
]
const validation = {
  '0.6': toFunctionSelector(
    'validatePaymasterUserOp((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes),bytes32,uint256)',
  ),
  '0.7': toFunctionSelector(
    'validatePaymasterUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32,uint256)',
  ),
}

let chain: DevChain
let make: Awaited<ReturnType<typeof tokenMaker>>
beforeAll(async () => {
  chain = await startDevChain({ extraArguments: ['--steps-tracing'] })
  make = await tokenMaker(chain)
})
afterAll(() => chain.stop())

/** The rule by which a staked paymaster may touch the slot, or `undefined`. */
function ruleFor(access: Access, trace: Trace, paymaster: Address, sender: Address): string | undefined {
  if (access.contract === sender) return 'STO-010'
  if (isAssociated(access, sender, trace.preimages)) return 'STO-021'
  if (access.contract === paymaster) return 'STO-032'
  if (isAssociated(access, paymaster, trace.preimages)) return 'STO-031'
  return access.kind === 'read' ? 'STO-033' : undefined
}

async function rulesUsed(paymaster: TestPaymaster, account: TestAccount, data: Hex, callData: Hex = '0x') {
  const op = await paidOperation(chain, account, paymaster, data, { callData })
  const { receipt, operations } = await handleOps(chain, [op])
  expect(operations[0]?.success).toBe(true)
  const trace = await traceCall(chain.url, receipt.transactionHash, {
    callee: paymaster.address,
    selector: validation[account.version === '0.6' ? '0.6' : '0.7'],
  })
  expect(trace.opcodes).toContain('KECCAK256')
  expect(forbidden.filter((opcode) => trace.opcodes.has(opcode))).toEqual([])
  const rules = trace.accesses.map((access) => ruleFor(access, trace, paymaster.address, account.address))
  expect(rules).not.toContain(undefined)
  return new Set(rules)
}

describe.each([...entryPointVersions])('validation by a paymaster of %s', (version) => {
  let account: TestAccount
  beforeAll(async () => {
    account = await pennilessAccount(chain, version)
  })

  test('that verifies reads its own storage', async () => {
    const paymaster = await testPaymaster(chain, 'verifying', version)
    const data = encodeWindowData({ validUntil: 0, validAfter: 0 })
    expect(await rulesUsed(paymaster, account, data)).toEqual(new Set(['STO-032']))
  })

  describe('that takes tokens', () => {
    let paymaster: TestPaymaster
    let token: TestContract
    const terms = (price: TokenTerms['price'], exchangeRate = parseEther('3000')) =>
      encodeTokenData({
        ...{ validUntil: 0, validAfter: 0, price, token: token.address },
        ...{ exchangeRate, priceMarkup: 1_000_000 },
      })
    beforeAll(async () => {
      paymaster = await testPaymaster(chain, 'token', version)
      token = await make('ProxiedToken')
      await token.write('mint', [account.address, 2n ** 200n])
    })
    const approval = () =>
      execute(token.address, 0n, token.call('approve', [paymaster.address, 2n ** 256n - 1n]))

    test('writes what is associated with itself and the sender, and reads what it likes', async () => {
      const before = await rulesUsed(paymaster, account, terms('signed'), approval())
      expect(before).toEqual(new Set(['STO-031', 'STO-032', 'STO-033']))
      const after = await rulesUsed(paymaster, account, terms('signed'))
      expect(after).toEqual(new Set(['STO-021', 'STO-031', 'STO-032', 'STO-033']))
    })

    test('reads feeds, but no clock', async () => {
      const feed = await make('TestFeed', 8)
      const { timestamp } = await rpc<{ timestamp: Hex }>(chain.url, 'eth_getBlockByNumber', [
        'latest',
        false,
      ])
      await feed.write('set', [100_000_000n, BigInt(timestamp)])
      await paymaster.write('setNativeFeed', [feed.address, 86_400])
      await paymaster.write('setTokenFeed', [token.address, feed.address, 86_400])
      expect(await rulesUsed(paymaster, account, terms('feed'), approval())).toContain('STO-033')
    })
  })
})

test('validation by the shared sponsor paymaster touches its own storage only', async () => {
  const account = await pennilessAccount(chain, '0.6')
  const paymaster = await testPaymaster(chain, 'sponsor', '0.6')
  await paymaster.write('addToWhitelist', [account.address], { as: paymaster.signer.address })
  const data = encodeWindowData({ validUntil: 0, validAfter: 0 })
  const rules = await rulesUsed(paymaster, account, data)
  expect([...rules].every((rule) => rule === 'STO-032' || rule === 'STO-021')).toBe(true)
})

test('what writes to anybody else’s slots has no rule on its side', async () => {
  const account = await pennilessAccount(chain, '0.7')
  const paymaster = await testPaymaster(chain, 'verifying', '0.7')
  const token = await make('PlainToken', 18)
  await token.write('mint', [account.address, 1n])
  const callData = execute(token.address, 0n, token.call('transfer', [newKey().address, 1n]))
  const data = encodeWindowData({ validUntil: 0, validAfter: 0 })
  const { receipt } = await handleOps(chain, [
    await paidOperation(chain, account, paymaster, data, { callData }),
  ])
  const trace = await traceCall(chain.url, receipt.transactionHash, {
    callee: token.address,
    selector: toFunctionSelector('transfer(address,uint256)'),
  })
  const writes = trace.accesses.filter(({ kind }) => kind === 'write')
  const rules = writes.map((access) => ruleFor(access, trace, paymaster.address, account.address))
  expect(new Set(rules)).toEqual(new Set(['STO-021', undefined]))
})
