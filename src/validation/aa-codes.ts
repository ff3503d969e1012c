import type { EntityKind } from '../types/entity.ts'

/** What an EntryPoint's AA code means: which JSON-RPC error it is, whose fault, and what to do about it. */
export type AaCode = { rpcCode: number; entity: EntityKind; hint: string }

const rejectedByEntryPoint = -32500
const rejectedByPaymaster = -32501
const outOfTimeRange = -32503
const signatureFailed = -32507
const paymasterDepositTooLow = -32508

const row = (rpcCode: number, entity: EntityKind, hint: string): AaCode => ({ rpcCode, entity, hint })

/** The codes of EntryPoint 0.6, 0.7 and 0.8. */
export const aaCodes: ReadonlyMap<string, AaCode> = new Map([
  [
    'AA10',
    row(
      rejectedByEntryPoint,
      'factory',
      'the sender is deployed already: leave out factory and factoryData (initCode)',
    ),
  ],
  [
    'AA13',
    row(
      rejectedByEntryPoint,
      'factory',
      'the factory reverted or ran out of gas: check factoryData, raise verificationGasLimit',
    ),
  ],
  [
    'AA14',
    row(
      rejectedByEntryPoint,
      'factory',
      'the factory made another address than sender: check owner and salt in factoryData',
    ),
  ],
  ['AA15', row(rejectedByEntryPoint, 'factory', 'the factory returned the sender without deploying it')],
  ['AA20', row(rejectedByEntryPoint, 'account', 'the sender has no code: send factory and factoryData')],
  [
    'AA21',
    row(
      rejectedByEntryPoint,
      'account',
      'the sender cannot pay (sum of gas limits × maxFeePerGas): fund it, or use a paymaster',
    ),
  ],
  ['AA22', row(outOfTimeRange, 'account', 'sign again with a time range that covers the next minutes')],
  [
    'AA23',
    row(rejectedByEntryPoint, 'account', 'validateUserOp reverted or ran out of verificationGasLimit'),
  ],
  [
    'AA24',
    row(
      signatureFailed,
      'account',
      'the account did not accept the signature: check signer, chain id, EntryPoint and that no field changed',
    ),
  ],
  ['AA25', row(rejectedByEntryPoint, 'account', 'read the nonce from EntryPoint.getNonce(sender, key)')],
  ['AA26', row(rejectedByEntryPoint, 'account', 'raise verificationGasLimit')],
  ['AA30', row(rejectedByPaymaster, 'paymaster', 'the paymaster has no code on this chain')],
  [
    'AA31',
    row(paymasterDepositTooLow, 'paymaster', "the paymaster's deposit at the EntryPoint must be topped up"),
  ],
  ['AA32', row(outOfTimeRange, 'paymaster', 'ask the paymaster to sign again')],
  [
    'AA33',
    row(
      rejectedByPaymaster,
      'paymaster',
      'validatePaymasterUserOp reverted or ran out of its verification gas',
    ),
  ],
  [
    'AA34',
    row(signatureFailed, 'paymaster', 'the paymaster did not accept its own signature: ask it to sign again'),
  ],
  ['AA36', row(rejectedByPaymaster, 'paymaster', 'raise paymasterVerificationGasLimit')],
  ['AA40', row(rejectedByEntryPoint, 'account', 'raise verificationGasLimit')],
  ['AA41', row(rejectedByEntryPoint, 'account', 'raise verificationGasLimit')],
  ['AA50', row(rejectedByEntryPoint, 'paymaster', "the paymaster's postOp reverts")],
  [
    'AA51',
    row(
      rejectedByEntryPoint,
      'account',
      'the prefund is below the cost: raise verificationGasLimit or preVerificationGas',
    ),
  ],
  ['AA90', row(rejectedByEntryPoint, 'account', 'the beneficiary of the bundle is invalid')],
  ['AA91', row(rejectedByEntryPoint, 'account', 'the beneficiary of the bundle does not take the fees')],
  ['AA92', row(rejectedByEntryPoint, 'account', 'innerHandleOp was called from outside')],
  [
    'AA93',
    row(
      rejectedByEntryPoint,
      'paymaster',
      'paymasterAndData is too short for a paymaster and its gas limits',
    ),
  ],
  ['AA94', row(rejectedByEntryPoint, 'account', 'gas limits and fees must be below 2^120')],
  ['AA95', row(rejectedByEntryPoint, 'account', 'the bundle was given less gas than its operations ask for')],
  ['AA96', row(rejectedByEntryPoint, 'aggregator', 'the aggregator address is invalid')],
  [
    'AA97',
    row(
      rejectedByEntryPoint,
      'factory',
      'the sender creator was called by something else than its EntryPoint',
    ),
  ],
  ['AA98', row(rejectedByEntryPoint, 'paymaster', 'the paymaster address is zero')],
  ['AA99', row(rejectedByEntryPoint, 'factory', 'initCode is shorter than an address')],
])

/** The AA code that an EntryPoint's reason begins with. */
export function aaCodeOf(reason: string): string | undefined {
  return /^AA[0-9]{2}\b/.exec(reason)?.[0]
}
