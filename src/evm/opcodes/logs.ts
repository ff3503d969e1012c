import { gas } from '../gas.ts'
import { type Handler, type Operation, operation } from './operation.ts'

const log =
  (topicCount: number): Handler =>
  (frame) => {
    frame.mustNotBeStatic()
    const start = frame.pop()
    const size = Number(frame.pop())
    const topics = Array.from({ length: topicCount }, () => frame.pop())
    frame.charge(gas.logTopic * topicCount + gas.logByte * size)
    const offset = frame.reserve(start, size)
    frame.state.log({ address: frame.address, topics, data: frame.ram.window(offset, size).slice() })
  }

export const logs: readonly Operation[] = [0, 1, 2, 3, 4].map((count) =>
  operation(0xa0 + count, `LOG${count}`, gas.log, 2 + count, 0, log(count)),
)
