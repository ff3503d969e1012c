import { expect, test } from 'bun:test'
import { nextTurn } from '../../../src/base/next-turn.ts'
import { createStretches, createTurns } from '../../../src/base/turns.ts'

test('turns come one by one, with a turn of the event loop between', async () => {
  const turn = createTurns()
  const order: string[] = []
  const asked = ['first', 'second'].map((name) => turn(() => order.push(name)))
  const others = nextTurn()
    .then(() => order.push('another'))
    .then(nextTurn)
    .then(() => order.push('yet another'))
  await Promise.all([...asked, others])
  expect(order).toEqual(['another', 'first', 'yet another', 'second'])
})

test('short work goes on within one turn, long work waits for the next', async () => {
  const clock = { now: 0 }
  const stretch = createStretches({ now: () => clock.now })
  const order: string[] = []
  const work = (name: string, ms: number) =>
    stretch(() => {
      order.push(name)
      clock.now += ms
    })
  const turns = nextTurn().then(() => order.push('a turn'))
  await Promise.all([work('short', 30), work('short too', 30), turns])
  expect(order).toEqual(['short', 'short too', 'a turn'])

  order.length = 0
  const works = [work('long', 1000), work('second', 1000), work('third', 1000)]
  for (let turns = 0; turns < 3; turns += 1) {
    await nextTurn()
    order.push('a turn')
  }
  await Promise.all(works)
  expect(order).toEqual(['long', 'a turn', 'second', 'a turn', 'third', 'a turn'])
})
