import type { FrameView } from '../../evm/observer.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { PhaseEntity } from './facts.ts'

/** A call of the EntryPoint's that begins a phase. */
export type PhaseStart = {
  readonly entity: PhaseEntity
  /** Where the entity's own frame is: the sender creator stands between the EntryPoint and a factory. */
  readonly entityDepth: number
  /** validateUserOp: every operation has one such phase. */
  readonly isValidation: boolean
}

const deployment = { entity: 'factory', entityDepth: 2, isValidation: false } as const
/** An EIP-7702 account is initialized by the sender creator (0.8). */
const initialization = { entity: 'account', entityDepth: 2, isValidation: false } as const
const account = { entity: 'account', entityDepth: 1, isValidation: true } as const
const paymaster = { entity: 'paymaster', entityDepth: 1, isValidation: false } as const

const packed: ReadonlyMap<number, PhaseStart> = new Map<number, PhaseStart>([
  [0x570e1a36, deployment], // createSender(bytes)
  [0xc09ad0d9, initialization], // initEip7702Sender(address,bytes)
  [0x19822f7c, account], // validateUserOp(PackedUserOperation,bytes32,uint256)
  [0x52b7512c, paymaster], // validatePaymasterUserOp(PackedUserOperation,bytes32,uint256)
])

const starts: Readonly<Record<EntryPointVersion, ReadonlyMap<number, PhaseStart>>> = {
  '0.6': new Map<number, PhaseStart>([
    [0x570e1a36, deployment],
    [0x3a871cdd, account], // validateUserOp(UserOperation,bytes32,uint256)
    [0xf465c77e, paymaster], // validatePaymasterUserOp(UserOperation,bytes32,uint256)
  ]),
  '0.7': packed,
  '0.8': packed,
}

/** The phase that a frame begins which the EntryPoint called: what it calls is its own choice, so selectors tell. */
export function phaseStartOf(
  version: EntryPointVersion,
  { input }: Pick<FrameView, 'input'>,
): PhaseStart | undefined {
  return starts[version].get(selectorIn(input))
}

/** The first four bytes as a number, zeros where there are fewer. */
export function selectorIn(input: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = input
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}
