import { Unavailable } from '../../base/errors.ts'
import type { WalletPart } from '../../paymaster/paymaster.ts'

const notServed = async (): Promise<never> => {
  throw new Unavailable('transactions of sponsor wallets are not served yet')
}

/** The half of the port that sends transactions of the tenants' wallets. */
export const noTransactions: WalletPart = {
  ...{ whitelist: notServed, removeFromWhitelist: notServed, isWhitelisted: notServed },
  ...{ whitelisted: notServed, deposit: notServed, withdraw: notServed, addStake: notServed },
  ...{ deploy: notServed, mined: notServed },
}
