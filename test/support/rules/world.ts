import {
  type Address,
  concatHex,
  createWalletClient,
  getContractAddress,
  type Hash,
  type Hex,
  http,
  numberToHex,
  type PrivateKeyAccount,
  padHex,
  parseEther,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  withRetry,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Compiled } from '../../../src/contracts/compile.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../../src/types/entrypoint-version.ts'
import { compileOnce } from '../compileOnce.ts'
import { type Action, call, depositTo, factoryProgram, initCodeOf, perform, stake } from './actions.ts'

/** A node and somebody with coins there: anvil or geth. No cheats are used. */
export type RuleChain = { url: string; chainId: number; funder: PrivateKeyAccount }

/** A contract of contracts/Rules.sol in two: one with a stake, one without. */
export type Pair = { unstaked: Address; staked: Address }

/** All that the rule suite needs on a chain, for one EntryPoint. */
export type RuleWorld = {
  chain: RuleChain
  version: EntryPointVersion
  entryPoint: Address
  /** Storage for others. */
  registry: Address
  /** Does for others what they tell it. */
  utility: Address
  factory: Pair
  paymaster: Pair
  /** Code that is one unassigned opcode. */
  unassigned: Address
  /** Code that never ends. */
  endless: Address
  /** Code that does nothing. */
  idle: Address
  /** EIP-7702 accounts: with an account's code, with a paymaster's, with a factory's. */
  delegated: Record<'account' | 'paymaster' | 'factory', Address>
  /** Has the delegated account delegate to other code that does the same. */
  changeDelegate(): Promise<void>
  /** A new account with coins; deployed, and staked if so asked. */
  newAccount(options?: { isStaked?: boolean }): Promise<Address>
  /** The address that a factory will make, with coins. */
  futureAccount(factory: Address): Promise<FutureAccount>
}

/** Where a factory will make an account, and with what salt. */
export type FutureAccount = { address: Address; salt: bigint }

const unstakeDelaySec = 86_400
/** wei; what the default settings ask of a staked entity */
export const ruleStake = parseEther('1')
const pocketMoney = parseEther('0.2')
const paymasterDeposit = parseEther('2')
/** accounts that a block has room for many times over */
const stockSize = 12

type RuleContracts = Record<
  'Performer' | 'Registry' | 'RuleAccount' | 'RulePaymaster' | 'RuleFactory',
  Compiled
>

let compiled: Promise<RuleContracts> | undefined

/** Compiled once a process: it takes seconds. */
function ruleContracts(): Promise<RuleContracts> {
  compiled ??= compileOnce(`${import.meta.dir}/../contracts/Rules.sol`, { evmVersion: 'cancun' }).then(
    ({ Performer, Registry, RuleAccount, RulePaymaster, RuleFactory }) => {
      if (!Performer || !Registry || !RuleAccount || !RulePaymaster || !RuleFactory)
        throw new Error('a contract is missing')
      return { Performer, Registry, RuleAccount, RulePaymaster, RuleFactory }
    },
  )
  return compiled
}

export async function createRuleWorld(chain: RuleChain, version: EntryPointVersion): Promise<RuleWorld> {
  const code = await ruleContracts()
  const send = senderOf(chain)
  const entryPoint = entryPoints[version].address
  let salt = 0n

  async function deploy(initCode: Hex): Promise<Address> {
    const { contractAddress } = await send({ data: initCode })
    if (!contractAddress) throw new Error('nothing was deployed')
    return contractAddress
  }

  async function pairOf(initCode: Hex): Promise<Pair> {
    const pair = { unstaked: await deploy(initCode), staked: await deploy(initCode) }
    await stakeIt(pair.staked)
    return pair
  }

  const stakeIt = (to: Address) => send({ to, data: stake(entryPoint, unstakeDelaySec), value: ruleStake })

  const implementation = await deploy(code.RuleAccount.bytecode)
  const factory = await pairOf(concatHex([code.RuleFactory.bytecode, padHex(implementation, { size: 32 })]))
  const paymaster = await pairOf(code.RulePaymaster.bytecode)
  const owner = newKey()
  const delegated = {
    account: await delegatedTo(implementation, send, owner),
    paymaster: await delegatedTo(paymaster.unstaked, send),
    factory: await delegatedTo(factory.unstaked, send),
  }
  await send({ to: delegated.account, value: pocketMoney })
  for (const payer of [paymaster.unstaked, paymaster.staked, delegated.paymaster])
    await send({ to: entryPoint, data: depositTo(payer), value: paymasterDeposit })

  const utility = await deploy(code.Performer.bytecode)

  /** The next address of a factory's, and what pays for its first operations. */
  function nextAccount(maker: Address) {
    salt += 1n
    const address = getContractAddress({
      ...{ opcode: 'CREATE2', from: maker, bytecode: proxyOf(implementation) },
      salt: numberToHex(salt, { size: 32 }),
    })
    return { account: { address, salt }, actions: [call(address, { value: pocketMoney })] }
  }

  function deployedAccount(isStaked: boolean) {
    const { account, actions } = nextAccount(factory.unstaked)
    const staking = call(account.address, { value: ruleStake, data: stake(entryPoint, unstakeDelaySec) })
    return {
      account: account.address,
      actions: [
        call(factory.unstaked, { data: factoryProgram(account.salt) }),
        ...actions,
        ...(isStaked ? [staking] : []),
      ],
    }
  }

  /** Made by the dozen, in one transaction. */
  function stockOf<Account>(make: () => { account: Account; actions: readonly Action[] }) {
    const stock: Account[] = []
    return async (): Promise<Account> => {
      if (stock.length === 0) {
        const made = Array.from({ length: stockSize }, make)
        const actions = made.flatMap((each) => each.actions)
        const value = actions.reduce((sum, each) => sum + each.value, 0n)
        await send({ to: utility, data: perform(...actions), value })
        stock.push(...made.map(({ account }) => account))
      }
      const next = stock.pop()
      if (next === undefined) throw new Error('nothing was made')
      return next
    }
  }

  const unstakedAccount = stockOf(() => deployedAccount(false))
  const stakedAccount = stockOf(() => deployedAccount(true))
  const futures = new Map<Address, () => Promise<FutureAccount>>()

  return {
    ...{ chain, version, entryPoint, factory, paymaster, delegated, utility },
    registry: await deploy(code.Registry.bytecode),
    unassigned: await deploy(initCodeOf('0x0c')),
    // JUMPDEST PUSH1 0 JUMP
    endless: await deploy(initCodeOf('0x5b600056')),
    idle: await deploy(initCodeOf('0x00')),
    async changeDelegate() {
      const delegate = await deploy(code.RuleAccount.bytecode)
      await send({ to: owner.address, authorization: { authority: owner, delegate, nonce: 1 } })
    },
    newAccount: ({ isStaked = false } = {}) => (isStaked ? stakedAccount() : unstakedAccount()),
    futureAccount(maker) {
      const take = futures.get(maker) ?? stockOf(() => nextAccount(maker))
      futures.set(maker, take)
      return take()
    },
  }
}

/** Init code of a minimal proxy (ERC-1167). */
const proxyOf = (implementation: Address): Hex =>
  concatHex([
    '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
  ])

type Delegating = { authority: PrivateKeyAccount; delegate: Address; nonce: number }
type Transaction = { to?: Address; data?: Hex; value?: bigint; authorization?: Delegating }
type Send = (transaction: Transaction) => Promise<TransactionReceipt>

/** Waits until it is mined. */
function senderOf({ url, chainId, funder }: RuleChain): Send {
  const wallet = createWalletClient({
    account: funder,
    transport: http(url),
    pollingInterval: 10,
  }).extend(publicActions)
  return async ({ authorization, ...transaction }) => {
    const authorizationList = authorization === undefined ? undefined : [await signed(authorization, chainId)]
    const hash = await wallet.sendTransaction({
      ...{ chain: null, gas: 4_000_000n, ...transaction },
      ...(authorizationList === undefined ? {} : { authorizationList }),
    })
    const receipt = await mined(wallet, hash)
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`)
    return receipt
  }
}

const signed = ({ authority, delegate, nonce }: Delegating, chainId: number) =>
  authority.signAuthorization({ address: delegate, chainId, nonce })

const newKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** An account that delegates (EIP-7702). */
async function delegatedTo(delegate: Address, send: Send, authority = newKey()): Promise<Address> {
  await send({ to: authority.address, authorization: { authority, delegate, nonce: 0 } })
  return authority.address
}

function mined(
  wallet: { getTransactionReceipt(options: { hash: Hash }): Promise<TransactionReceipt> },
  hash: Hash,
): Promise<TransactionReceipt> {
  return withRetry(() => wallet.getTransactionReceipt({ hash }), {
    delay: 10,
    retryCount: 3_000,
    shouldRetry: ({ error }) =>
      error instanceof TransactionReceiptNotFoundError || error.message.includes('indexing is in progress'),
  })
}
