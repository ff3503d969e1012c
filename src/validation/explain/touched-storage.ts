import type { FrameView, Observer } from '../../evm/observer.ts'
import type { State } from '../../evm/state/state.ts'
import type { Word } from '../../evm/word.ts'
import type { TouchedSlot } from '../../types/explanation.ts'
import type { Phase } from '../../types/phase.ts'
import { addressOf, slotOf } from '../rules/finding.ts'
import { opcodes } from '../rules/opcodes.ts'

/** Slots that are told: an honest operation uses some dozens. */
const mostSlots = 1_000

type Options = {
  entryPoint: Word
  /** The phase that runs now. */
  phase: () => Phase | undefined
}

type Use = {
  contract: Word
  slot: Word
  isRead: boolean
  isWritten: boolean
  isTransient: boolean
  phases: Set<Phase>
}

export type StorageWatch = {
  readonly observer: Observer
  /** When the run has ended: what it used, in order of first use. @throws MissingState */
  touched(): TouchedSlot[]
}

export function createStorageWatch(
  { entryPoint, phase }: Options,
  { state }: { state: State },
): StorageWatch {
  const uses = new Map<string, Use>()

  const note =
    (access: 'isRead' | 'isWritten', isTransient: boolean) =>
    (frame: FrameView): void => {
      if (frame.stackSize === 0) return
      const use = useOf(frame.address, frame.peek(0), isTransient)
      if (use === undefined) return
      use[access] = true
      const current = phase()
      if (current !== undefined && frame.address !== entryPoint) use.phases.add(current)
    }

  function useOf(contract: Word, slot: Word, isTransient: boolean): Use | undefined {
    const key = `${contract} ${slot} ${isTransient}`
    const known = uses.get(key)
    if (known !== undefined || uses.size === mostSlots) return known
    const use = { contract, slot, isRead: false, isWritten: false, isTransient, phases: new Set<Phase>() }
    uses.set(key, use)
    return use
  }

  return {
    observer: {
      before: new Map([
        [opcodes.SLOAD, note('isRead', false)],
        [opcodes.SSTORE, note('isWritten', false)],
        [opcodes.TLOAD, note('isRead', true)],
        [opcodes.TSTORE, note('isWritten', true)],
      ]),
    },
    touched: () =>
      [...uses.values()].map(({ contract, slot, isTransient, phases, ...access }) => {
        const { original, value } = isTransient ? nothing : state.slot(contract, slot)
        return {
          ...{ contract: addressOf(contract), slot: slotOf(slot), ...access, isTransient },
          ...{ phases: [...phases], before: slotOf(original), after: slotOf(value) },
        }
      }),
  }
}

const nothing = { original: 0n, value: 0n }
