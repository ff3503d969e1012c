import type { Word } from '../../evm/word.ts'
import type {
  AddressUse,
  Creation,
  EntryPointUse,
  OpcodeUse,
  PhaseEntity,
  PhaseFacts,
  StorageUse,
  ValueCall,
} from './facts.ts'
import { codeOpcodes } from './opcodes.ts'

/** What was done to a slot. */
type Access = { isRead: boolean; isWritten: boolean }
type Slots = Map<Word, Map<Word, Access>>
type Open<T> = { -readonly [K in keyof T]: T[K] }

/** The facts of a phase in the making. What code can repeat at will is kept once; gas bounds the rest. */
export type PhaseRecord = {
  readonly entity: PhaseEntity
  opcode(opcode: number, by: Word): void
  unassigned(opcode: number, by: Word): void
  exhausted(by: Word): void
  creation(opcode: number, by: Word): void
  /** The creation that was noted last got as far as to run. */
  created(address: Word): void
  /** Whether `address` was used in the same way without code before: then it need not be looked at again. */
  isKnownEmpty(opcode: number, address: Word): boolean
  use(use: AddressUse): void
  entryPointUse(use: EntryPointUse): void
  valueCall(call: ValueCall): void
  storage(contract: Word, slot: Word, access: keyof Access, kind: 'persistent' | 'transient'): void
  /** @param gasUsed gas of the phase's frames */
  facts(gasUsed: number): PhaseFacts
}

export function createPhaseRecord(entity: PhaseEntity, address: Word): PhaseRecord {
  const opcodes = new Map<number, Set<Word>>()
  const unassigned = new Map<number, Set<Word>>()
  const exhausted = new Set<Word>()
  const creations: Open<Creation>[] = []
  const calls = new Map<Word, AddressUse>()
  const looksAtCode = new Map<Word, AddressUse>()
  const usesLike = (opcode: number) => (codeOpcodes.has(opcode) ? looksAtCode : calls)
  const entryPointUses: EntryPointUse[] = []
  const valueCalls: ValueCall[] = []
  const storage = { persistent: new Map(), transient: new Map() } satisfies Record<string, Slots>

  return {
    entity,
    opcode: (opcode, by) => entryOf(opcodes, opcode, newSet).add(by),
    unassigned: (opcode, by) => entryOf(unassigned, opcode, newSet).add(by),
    exhausted: (by) => exhausted.add(by),
    creation: (opcode, by) => creations.push({ opcode, by, created: undefined }),
    created(created) {
      const last = creations.at(-1)
      if (last !== undefined) last.created = created
    },
    isKnownEmpty: (opcode, used) => usesLike(opcode).get(used)?.hasCode === false,
    use(use) {
      const uses = usesLike(use.opcode)
      if (!uses.has(use.address) || !use.hasCode) uses.set(use.address, use)
    },
    entryPointUse: (use) => entryPointUses.push(use),
    valueCall: (call) => valueCalls.push(call),
    storage(contract, slot, access, kind) {
      entryOf(entryOf(storage[kind], contract, newSlots), slot, newAccess)[access] = true
    },
    facts: (gasUsed) => ({
      ...{ entity, address, gasUsed, creations, entryPointUses, valueCalls },
      opcodes: opcodeUses(opcodes),
      unassigned: opcodeUses(unassigned),
      exhausted: [...exhausted],
      uses: [...calls.values(), ...looksAtCode.values()],
      storage: [...storageUses(storage.persistent, false), ...storageUses(storage.transient, true)],
    }),
  }
}

const newSet = (): Set<Word> => new Set()
const newSlots = (): Map<Word, Access> => new Map()
const newAccess = (): Access => ({ isRead: false, isWritten: false })

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function opcodeUses(uses: ReadonlyMap<number, ReadonlySet<Word>>): readonly OpcodeUse[] {
  return [...uses].flatMap(([opcode, addresses]) => [...addresses].map((by) => ({ opcode, by })))
}

function storageUses(storage: Slots, isTransient: boolean): readonly StorageUse[] {
  return [...storage].flatMap(([contract, slots]) =>
    [...slots].map(([slot, access]) => ({ contract, slot, ...access, isTransient })),
  )
}
