/** Transactions of tenants' wallets are journaled as bundles without operations; their names tell them apart. */
const prefix = 'wallet-'

export const newWalletId = (): string => `${prefix}${crypto.randomUUID()}`

export const isWalletId = (bundleId: string): boolean => bundleId.startsWith(prefix)
