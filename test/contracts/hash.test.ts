import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Hash, hashMessage } from 'viem'
import { paymasterHash, signedHash } from '../../src/contracts/paymaster/hash.ts'
import { encodeTokenData, encodeWindowData } from '../../src/contracts/paymaster/terms.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { testPaymaster } from '../support/paymasters.ts'
import { random, randomOperation } from '../support/random.ts'

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain({ chainId: 4_242_424_242 })
})
afterAll(() => chain.stop())

test.each([
  ['sponsor', '0.6'],
  ['verifying', '0.6'],
  ['verifying', '0.7'],
  ['verifying', '0.8'],
  ['token', '0.6'],
  ['token', '0.7'],
  ['token', '0.8'],
] as const)('what is signed is what the %s paymaster of %s hashes', async (kind, version) => {
  const paymaster = await testPaymaster(chain, kind, version)
  const source = random(20)
  for (let i = 0; i < 25; i++) {
    const window = { validUntil: Number(source.uint(48)), validAfter: Number(source.uint(48)) }
    const price = { price: 'signed', token: source.address(), exchangeRate: source.uint(256) } as const
    const op = {
      ...randomOperation(source, version),
      paymaster: paymaster.address,
      paymasterVerificationGasLimit: version === '0.6' ? 0n : source.uint(120),
      paymasterPostOpGasLimit: version === '0.6' ? 0n : source.uint(120),
      paymasterData:
        kind === 'token'
          ? encodeTokenData({ ...window, ...price, priceMarkup: 1_000_000 }, source.bytes(65))
          : encodeWindowData(window, source.bytes(65)),
    }
    const onChain = await paymaster.read<Hash>('getHash', [entryPoints[version].pack(op)])
    expect(paymasterHash(op, chain.chainId)).toBe(onChain)
    expect(signedHash(op, chain.chainId)).toBe(hashMessage({ raw: onChain }))
  }
})
