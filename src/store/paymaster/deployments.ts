import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { auditWrite } from './audit.ts'
import { deployments } from './tables.ts'

export function createDeployments(
  database: Database,
): Pick<PaymasterStorePort, 'addDeployment' | 'deployments'> {
  const { query, write, read } = database
  return {
    async addDeployment({ deployment, audit }) {
      await write([query.insert(deployments).values(deployment), auditWrite(database, audit)])
    },

    deployments: () => read(() => query.select().from(deployments).all()),
  }
}
