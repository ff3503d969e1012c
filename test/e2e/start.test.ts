import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { anvilKeys, freePort } from '../../src/dev/anvil.ts'
import { scratchDirectory, startTandem } from '../support/service.ts'

/** A service whose node does not answer, from the moment at which it is first asked. */
async function startWithoutNode() {
  const asked = Promise.withResolvers<void>()
  const node = Bun.serve({
    port: 0,
    fetch() {
      asked.resolve()
      return new Response('down', { status: 503 })
    },
  })
  const [directory, port] = [scratchDirectory(), await freePort()]
  const flags = [
    '--rpc-url',
    node.url.href,
    '--relayer-keys',
    anvilKeys[1],
    '--port',
    String(port),
    '--admin-port',
    '0',
  ]
  const tandem = startTandem(['serve', ...flags], directory)
  await asked.promise
  return {
    tandem,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await tandem.kill('SIGKILL')
      await node.stop(true)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

test('while its node is down the service is alive, and not ready', async () => {
  await using start = await startWithoutNode()
  const answers = await Promise.all(['/health', '/ready'].map((path) => fetch(start.url + path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 503])
})

test('a start that waits for a node ends when it is told to, without a complaint', async () => {
  await using start = await startWithoutNode()
  expect(await start.tandem.kill('SIGTERM')).toBe(0)
  expect(start.tandem.output()).toBe('')
  expect(start.tandem.log()).not.toMatch(/^tandem: (?!warning)/m)
})
