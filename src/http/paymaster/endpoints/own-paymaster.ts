import { Type } from '@sinclair/typebox'
import { versionNames } from '../../../paymaster/policies/wire.ts'
import { paymasterOf } from '../../../rpc/paymaster/chain.ts'
import { ApiKeyParam, ChainIdParam } from '../../../rpc/paymaster/params.ts'
import { type Endpoint, withParams } from '../endpoint.ts'
import { AmountParam, readAmount, VersionParam } from '../fields.ts'
import { awaited, transactionFields } from '../transaction.ts'

/** The tenant's own verifying paymaster of a version. */
export const ownPaymasterEndpoints: readonly Endpoint[] = [
  withParams({
    method: 'POST',
    path: '/deployVerifyingPaymaster',
    summary: "Deploys the tenant's verifying paymaster of a version",
    price: 10,
    scope: 'admin',
    query: ['chainId', 'wait'],
    params: { version: VersionParam, chainId: ChainIdParam, apiKey: ApiKeyParam },
    answer: Type.Object({ verifyingPaymaster: Type.String(), txHash: Type.String(), ...transactionFields }),
    async handler({ version }, { caller, service, chainId, wait }) {
      const paymaster = paymasterOf(service.paymasters, chainId)
      const deployed = await paymaster.deploy(caller, versionNames[version])
      return { ...deployed, ...(await awaited(deployed.txHash, { paymaster, wait })) }
    },
  }),
  withParams({
    method: 'POST',
    path: '/addStake',
    summary: "Stakes the tenant's verifying paymaster of a version",
    price: 10,
    scope: 'admin',
    query: ['chainId', 'wait'],
    params: { version: VersionParam, amount: AmountParam, chainId: ChainIdParam, apiKey: ApiKeyParam },
    answer: Type.Object({ message: Type.String(), ...transactionFields }),
    async handler({ version, amount }, { caller, service, chainId, wait }) {
      const paymaster = paymasterOf(service.paymasters, chainId)
      const hash = await paymaster.addStake(caller, versionNames[version], readAmount(amount))
      return {
        message: `Successfully staked with transaction Hash ${hash}`,
        ...(await awaited(hash, { paymaster, wait })),
      }
    },
  }),
]
