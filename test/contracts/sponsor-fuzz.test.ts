import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Address, parseEther } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { encodeWindowData } from '../../src/contracts/paymaster/terms.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { execute, sign, type TestAccount } from '../support/accounts.ts'
import { minedBundle } from '../support/bundles.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  approve,
  newKey,
  pennilessAccount,
  type TestPaymaster,
  testPaymaster,
  unsignedOperation,
} from '../support/paymasters.ts'
import { random } from '../support/random.ts'

const steps = 120

let chain: DevChain
let paymaster: TestPaymaster
let accounts: TestAccount[]
let sponsors: PrivateKeyAccount[]

beforeAll(async () => {
  chain = await startDevChain()
  paymaster = await testPaymaster(chain, 'sponsor', '0.6', 0n)
  accounts = [await pennilessAccount(chain, '0.6'), await pennilessAccount(chain, '0.6')]
  sponsors = [newKey(), newKey(), newKey()]
  const addresses = accounts.map(({ address }) => address)
  for (const { address } of sponsors) {
    await rpc(chain.url, 'anvil_setBalance', [address, '0x56bc75e2d63100000'])
    await paymaster.write('depositFor', [address], { value: parseEther('0.05'), as: address })
    await paymaster.write('addManyToWhitelist', [addresses], { as: address })
  }
})
afterAll(() => chain.stop())

const always = encodeWindowData({ validUntil: 0, validAfter: 0 })
const balanceOf = (sponsor: Address) => paymaster.read<bigint>('balanceOf', [sponsor])

test(`after each of ${steps} random acts the sponsors' balances are in the deposit`, async () => {
  const source = random(2026)
  const pick = <Item>(items: readonly Item[]): Item => items[source.int(items.length)] as Item
  const done = { bundles: 0, refused: 0, withdrawals: 0 }

  async function operation(account: TestAccount): Promise<UserOperation> {
    const unsigned = await unsignedOperation(chain, account, paymaster, always, {
      callData: source.chance(0.3) ? execute(account.address, parseEther('1')) : '0x',
      callGasLimit: 30_000n + source.uint(20),
      verificationGasLimit: 90_000n + source.uint(18),
      preVerificationGas: 21_000n + source.uint(18),
      maxFeePerGas: 3_000_000_000n + source.uint(34),
      maxPriorityFeePerGas: source.uint(31),
    })
    const approved = await approve(unsigned, pick(sponsors), chain.chainId)
    return sign(chain, account, approved)
  }

  const acts = [
    async () => {
      const value = source.uint(56)
      await paymaster.write('depositFor', [pick(sponsors).address], { value, as: pick(sponsors).address })
    },
    async () => {
      const { address } = pick(sponsors)
      const amount = source.chance(0.2) ? await balanceOf(address) : source.uint(57)
      const to = newKey().address
      const refused = await paymaster.refusal('withdraw', [to, amount], address)
      expect(refused === undefined).toBe(amount <= (await balanceOf(address)))
      if (refused === undefined) await paymaster.write('withdraw', [to, amount], { as: address })
      if (refused === undefined && amount > 0n) done.withdrawals += 1
    },
    async () => {
      const name = source.chance(0.8) ? 'addToWhitelist' : 'removeFromWhitelist'
      await paymaster.write(name, [pick(accounts).address], { as: pick(sponsors).address })
    },
    async () => {
      const ops = source.chance(0.5)
        ? [await operation(pick(accounts))]
        : await Promise.all(accounts.map(operation))
      const { status } = await minedBundle(chain, ops)
      if (status === 'success') done.bundles += 1
      else done.refused += 1
    },
  ]

  for (let step = 0; step < steps; step++) {
    await (source.chance(0.5) ? (acts[3] as (typeof acts)[number]) : pick(acts))()
    const balances = await Promise.all(sponsors.map(({ address }) => balanceOf(address)))
    const total = balances.reduce((sum, balance) => sum + balance, 0n)
    expect(await paymaster.read<bigint>('totalBalance')).toBe(total)
    expect(total).toBeLessThanOrEqual(await paymaster.deposit())
  }
  expect(Math.min(...Object.values(done))).toBeGreaterThan(5)
})
