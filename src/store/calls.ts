import type { Store } from './protocol.ts'

/**
 * Every call of the store besides `prune` and `close`, by what it does to the database. The store's thread serves these,
 * and the metrics know them by name.
 */
export const calls = {
  addOperation: 'write',
  changeStates: 'write',
  operation: 'read',
  openOperations: 'read',
  journal: 'write',
  settleBundle: 'write',
  openBundles: 'read',
  fundings: 'read',
  indexBlock: 'write',
  removeBlocks: 'write',
  indexedBlocks: 'read',
  event: 'read',
  receipt: 'read',
  eventsBetween: 'read',
  saveReputation: 'write',
  reputation: 'read',
  ping: 'read',
  addTenant: 'write',
  tenants: 'read',
  addApiKey: 'write',
  revokeApiKey: 'write',
  apiKey: 'read',
  apiKeys: 'read',
  putPolicy: 'write',
  deletePolicy: 'write',
  policies: 'read',
  addToWhitelist: 'write',
  removeFromWhitelist: 'write',
  isWhitelisted: 'read',
  whitelist: 'read',
  whitelistSize: 'read',
  addDeployment: 'write',
  deployments: 'read',
  saveLedger: 'write',
  sponsorships: 'read',
  totals: 'read',
  ledgerPosition: 'read',
  saveCredits: 'write',
  credits: 'read',
  addDebtors: 'write',
  debtors: 'read',
  audit: 'write',
  auditLog: 'read',
} as const satisfies Readonly<Record<keyof CountedCalls, 'read' | 'write'>>

/** Those of the store that are alike: one argument, one answer. */
export type CountedCalls = Omit<Store, 'prune' | 'close'>

/** The same calls, each made by `make` of its name. */
export function eachCall(
  make: (name: keyof CountedCalls, kind: 'read' | 'write') => (argument: never) => Promise<unknown>,
): CountedCalls {
  const made = Object.entries(calls).map(([name, kind]) => [name, make(name as keyof CountedCalls, kind)])
  return Object.fromEntries(made) as CountedCalls
}
