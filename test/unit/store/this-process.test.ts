import { expect, test } from 'bun:test'
import { isDead, thisProcess } from '../../../src/store/this-process.ts'

const onLinux = test.skipIf(process.platform !== 'linux')

/** The holder that another process says it is. */
async function holderElsewhere(): Promise<{ child: Bun.Subprocess; holder: ReturnType<typeof thisProcess> }> {
  const module = new URL('../../../src/store/this-process.ts', import.meta.url).pathname
  const script = `import { thisProcess } from '${module}'; console.log(JSON.stringify(thisProcess())); await Bun.stdin.text()`
  const child = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  return { child, holder: JSON.parse(new TextDecoder().decode(value)) }
}

onLinux('a process is alive until it ends', async () => {
  const { child, holder } = await holderElsewhere()
  expect(holder.pid).toBe(child.pid)
  expect(isDead(holder)).toBe(false)
  child.kill('SIGKILL')
  await child.exited
  expect(isDead(holder)).toBe(true)
})

onLinux('a pid that another process has by now does not make its former one live', () => {
  const { process: own = '', ...holder } = thisProcess()
  const earlier = own.replace(/\d+$/, (ticks) => String(Number(ticks) - 1))
  expect(isDead({ ...holder, process: earlier })).toBe(true)
  expect(isDead({ ...holder, process: own })).toBe(false)
})

test.each([undefined, 'another-boot pid:[4026531836] 17', ''])(
  'what cannot be looked at from here may live: %s',
  (process) => {
    expect(isDead({ host: 'elsewhere', pid: 2 ** 22, process })).toBe(false)
  },
)
