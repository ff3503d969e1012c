import { parseEther } from 'viem'
import { encodeWindowData } from '../../src/contracts/paymaster/terms.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import {
  execute,
  fund,
  sign,
  signedOperation,
  simpleAccount,
  type TestAccount,
} from '../../test/support/accounts.ts'
import type { DevChain } from '../../test/support/devChain.ts'
import { fleet, operation } from '../../test/support/fleet.ts'
import { openContracts } from '../../test/support/open.ts'
import { approve, testPaymaster } from '../../test/support/paymasters.ts'

/** An operation as a wallet has it before its estimate, and how it is signed after. */
export type EstimateCase = {
  name: string
  op: UserOperation
  sign(op: UserOperation): Promise<UserOperation>
}

const unpriced = {
  ...{ callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n },
  ...{ paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n },
}

/** Each time other accounts do the same, so that two bundlers can be asked for the same and both send it. */
export async function makeCases(chain: DevChain, version: EntryPointVersion) {
  const contracts = await openContracts(chain)
  const paymaster = await testPaymaster(chain, 'verifying', version, parseEther('5'))
  await paymaster.write('addStake', [86_400], { value: parseEther('1') })

  return async function next(): Promise<readonly EstimateCase[]> {
    const [first, second, third, fourth] = (await fleet(chain, version, 4)) as Four
    const fresh = await simpleAccount(chain, version)
    await fund(chain, fresh.address)
    const [storing, deep] = [await contracts.deploy('OpenAccount'), await contracts.deploy('Swallower')]
    const words = contracts.call('OpenAccount', 'set', [1n, 2n, 'a text of more than one word: two, or so'])
    const fiveWords = execute(deep, 0n, contracts.call('Swallower', 'run', [5n]))
    const data = encodeWindowData({ validUntil: 0, validAfter: 0 })
    return [
      ownCase('a transfer', first, await operation(chain, first, unpriced)),
      ownCase('a transfer of a new account', fresh, await signedOperation(chain, fresh, unpriced)),
      ownCase(
        'a call that stores',
        second,
        await operation(chain, second, { ...unpriced, callData: execute(storing, 0n, words) }),
      ),
      ownCase(
        'twelve calls deep',
        third,
        await operation(chain, third, { ...unpriced, callData: fiveWords }),
      ),
      {
        name: 'sponsored',
        op: await operation(chain, fourth, {
          ...unpriced,
          paymaster: paymaster.address,
          paymasterData: data,
        }),
        sign: async (op) => sign(chain, fourth, await approve(op, paymaster.signer, chain.chainId)),
      },
    ]
  }

  function ownCase(name: string, account: TestAccount, op: UserOperation): EstimateCase {
    return { name, op, sign: (priced) => sign(chain, account, priced) }
  }
}

type Four = [TestAccount, TestAccount, TestAccount, TestAccount]
