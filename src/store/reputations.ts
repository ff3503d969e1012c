import { eq } from 'drizzle-orm'
import type { StorePort } from '../types/ports/store.ts'
import type { Database } from './database.ts'
import { reputation } from './schema.ts'

type Reputations = Pick<StorePort, 'saveReputation' | 'reputation'>

export function createReputations({ query, write, read }: Database): Reputations {
  return {
    async saveReputation({ chainId, records }) {
      await write([
        query.delete(reputation).where(eq(reputation.chainId, chainId)),
        ...records.map((record) => query.insert(reputation).values(record)),
      ])
    },

    reputation: ({ chainId }) =>
      read(() => query.select().from(reputation).where(eq(reputation.chainId, chainId)).all()),
  }
}
