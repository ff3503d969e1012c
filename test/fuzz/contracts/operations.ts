import { type Address, concatHex, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { encodeTokenData, encodeWindowData } from '../../../src/contracts/paymaster/terms.ts'
import { encodeHandleOps } from '../../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { execute, sign, type TestAccount } from '../../support/accounts.ts'
import { approve } from '../../support/paymasters.ts'
import { type Random, randomOperation } from '../../support/random.ts'
import { executeBatch } from '../../support/tokens.ts'
import { pick } from '../programs/choices.ts'
import type { Scene } from './scene.ts'
import type { Names } from './values.ts'

const tokenAbi = parseAbi(['function transfer(address to, uint256 amount)'])

/** handleOps of operations that are signed as they should be, most of them; then some are changed. */
export async function randomBundle(
  source: Random,
  scene: Scene,
  names: Names,
): Promise<{ version: EntryPointVersion; data: Hex }> {
  const version = pick(source, ['0.6', '0.7', '0.7', '0.8', '0.8'] as const)
  const beneficiaries = scene.senders.map(({ address }) => address)
  const ops: UserOperation[] = []
  const count = 1 + source.int(3)
  for (let index = 0; index < count; index++) ops.push(await randomOne(source, scene, names, version))
  return {
    version,
    data: encodeHandleOps(version, ops, pick(source, source.chance(0.9) ? beneficiaries : names.addresses)),
  }
}

async function randomOne(
  source: Random,
  scene: Scene,
  names: Names,
  version: EntryPointVersion,
): Promise<UserOperation> {
  if (source.chance(0.02)) return randomOperation(source, version)
  if (version === '0.7' && source.chance(0.2)) return safeOperation(source, scene, names)
  const account = pick(
    source,
    scene.accounts.filter((known) => known.version === version),
  )
  const payable = scene.paymasters.filter(({ plan }) => plan.version === version)
  const paymaster = source.chance(0.5) ? pick(source, payable) : undefined
  const bare = await unsigned(source, scene, names, account)
  const tokenTerms = {
    ...({ validUntil: 0, validAfter: 0, price: source.chance(0.9) ? 'signed' : 'feed' } as const),
    ...{
      token: pick(source, scene.tokens),
      exchangeRate: BigInt(source.int(3_000_000)),
      priceMarkup: 1_100_000,
    },
  }
  const paid: UserOperation =
    paymaster === undefined
      ? bare
      : {
          ...bare,
          paymaster: paymaster.address,
          paymasterVerificationGasLimit: version === '0.6' ? 0n : gas(source, 200_000),
          paymasterPostOpGasLimit: version === '0.6' ? 0n : gas(source, 100_000),
          paymasterData:
            paymaster.plan.kind === 'token'
              ? encodeTokenData(tokenTerms)
              : encodeWindowData({ validUntil: 0, validAfter: source.chance(0.9) ? 0 : 2_000_000_000 }),
        }
  const approved = paymaster === undefined ? paid : await approve(paid, paymaster.signer, scene.chain.chainId)
  const signed = await sign(scene.chain, account, approved)
  return source.chance(0.08) ? changed(source, signed) : signed
}

async function unsigned(
  source: Random,
  scene: Scene,
  names: Names,
  { version, address, factory, factoryData }: TestAccount,
): Promise<UserOperation> {
  const withFactory = source.chance(0.01)
  return {
    version,
    sender: address,
    nonce: nonce(source),
    factory: withFactory ? factory : undefined,
    factoryData: withFactory ? factoryData : '0x',
    callData: callData(source, scene, names, version),
    ...limits(source),
    ...{ paymaster: undefined, paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n },
    ...{ paymasterData: '0x', signature: '0x', eip7702Auth: undefined },
  }
}

/** A key that was not used before starts at 0. */
const nonce = (source: Random) => BigInt(source.int(2 ** 31)) << 64n

function limits(source: Random) {
  const maxPriorityFeePerGas = BigInt(source.int(2_000_000_000))
  return {
    callGasLimit: gas(source, 150_000),
    verificationGasLimit: gas(source, 300_000),
    preVerificationGas: BigInt(source.int(100_000)),
    maxFeePerGas: maxPriorityFeePerGas + BigInt(source.int(20_000_000_000)),
    maxPriorityFeePerGas,
  }
}

/** Enough as a rule; else any amount up to it. */
function gas(source: Random, enough: number): bigint {
  return BigInt(source.chance(0.93) ? enough : source.int(enough))
}

function callData(source: Random, scene: Scene, names: Names, version: EntryPointVersion): Hex {
  const transfer = (): { target: Address; data: Hex } => ({
    target: pick(source, scene.tokens),
    data: encodeFunctionData({
      abi: tokenAbi,
      functionName: 'transfer',
      args: [pick(source, names.addresses), BigInt(source.int(100))],
    }),
  })
  const kind = source.int(6)
  if (kind === 0) return '0x'
  if (kind === 1) return execute(pick(source, names.addresses), BigInt(source.int(1000)))
  if (kind === 2) return execute(pick(source, names.addresses), 0n, names.nested(source))
  if (kind === 3) {
    const { target, data } = transfer()
    return execute(target, 0n, data)
  }
  if (kind === 4) return executeBatch(version, [transfer(), transfer()])
  return names.nested(source)
}

async function safeOperation(source: Random, { safe, chain }: Scene, names: Names): Promise<UserOperation> {
  const to = pick(source, names.addresses)
  const data = source.chance(0.5) ? names.nested(source) : '0x'
  const fields = {
    ...{
      nonce: nonce(source),
      callData: await safe.encodeCalls([{ to, value: BigInt(source.int(100)), data }]),
    },
    ...limits(source),
  }
  const signature = await safe.signUserOperation({ ...fields, signature: '0x', chainId: chain.chainId })
  return {
    ...{ version: '0.7', sender: safe.address, factory: undefined, factoryData: '0x', signature },
    ...{ paymaster: undefined, paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n },
    ...{ paymasterData: '0x', eip7702Auth: undefined },
    ...fields,
  }
}

/** After it was signed. */
function changed(source: Random, op: UserOperation): UserOperation {
  const changes: readonly Partial<UserOperation>[] = [
    { signature: concatHex([op.signature, '0x00']) },
    { signature: source.bytes(65) },
    { signature: '0x' },
    { callData: source.bytes(source.int(100)) },
    { callGasLimit: op.callGasLimit + 1n },
    { nonce: op.nonce + 1n },
    { sender: source.address() },
    { maxFeePerGas: op.maxPriorityFeePerGas, maxPriorityFeePerGas: op.maxFeePerGas },
    { paymasterData: op.paymaster === undefined ? '0x' : source.bytes(source.int(200)) },
  ]
  return { ...op, ...pick(source, changes) }
}
