import type { LogFields } from '../base/log.ts'
import type { BundlerPort } from '../types/ports/bundler.ts'
import type { UserOperation } from '../types/userop.ts'

/** What the log says about an operation: its hash, or where that cannot be told its sender and nonce. Never rejects. */
export async function aboutOperation(op: UserOperation, { hash }: BundlerPort): Promise<LogFields> {
  try {
    return { operation: await hash(op) }
  } catch {
    return { sender: op.sender, nonce: op.nonce }
  }
}
