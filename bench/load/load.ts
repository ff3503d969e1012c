import type { Hash } from 'viem'
import { describe } from '../../src/base/errors.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'

/** What became of one send: when it was sent and answered, ms of `performance.now`, and its hash if it was accepted. */
export type Sent = { sentAt: number; answeredAt: number; hash: Hash | undefined; error: string | undefined }

/** Clients at once when it goes as fast as it can. */
const clients = 32

/** Every client sends its next operation as soon as the last one is answered. */
export async function sendAsFastAsItGoes(url: string, ops: readonly UserOperation[]): Promise<Sent[]> {
  const waiting = [...ops]
  const sent: Sent[] = []
  const client = async () => {
    for (let op = waiting.shift(); op !== undefined; op = waiting.shift()) sent.push(await sendOne(url, op))
  }
  await Promise.all(Array.from({ length: clients }, client))
  return sent
}

/** One operation every 1/rate s, whatever happens to those before. */
export async function sendAtRate(url: string, ops: readonly UserOperation[], rate: number): Promise<Sent[]> {
  const started = performance.now()
  const sends = ops.map(async (op, index) => {
    await Bun.sleep(Math.max(0, started + (index * 1000) / rate - performance.now()))
    return sendOne(url, op)
  })
  return Promise.all(sends)
}

export async function sendOne(url: string, op: UserOperation): Promise<Sent> {
  const params = [formatUserOperation(op), entryPoints[op.version].address]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendUserOperation', params })
  const sentAt = performance.now()
  const answer = await post(url, body)
  return { sentAt, answeredAt: performance.now(), hash: answer.result, error: answer.error?.message }
}

/** No answer is an error, too. */
async function post(url: string, body: string): Promise<{ result?: Hash; error?: { message: string } }> {
  try {
    const headers = { 'content-type': 'application/json' }
    return (await (await fetch(url, { method: 'POST', headers, body })).json()) as Awaited<
      ReturnType<typeof post>
    >
  } catch (error) {
    return { error: { message: describe(error) } }
  }
}
