import { type Address, formatEther } from 'viem'
import type { Json } from '../../base/errors.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type {
  BrokenRule,
  CallNode,
  HandledOperation,
  PhaseGas,
  TouchedSlot,
} from '../../types/explanation.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../../types/userop.ts'
import type { Verdict } from '../../types/verdict.ts'
import type { ExplainedOperation } from './explain-on-chain.ts'

/** What is known of an operation, for a terminal. */
export function explanationText({ op, chainId, block, explanation }: ExplainedOperation): string {
  const { verdict, findings, handled } = explanation
  const name = namesIn(op)
  const sections = [
    [`EntryPoint ${op.version} on chain ${chainId}, block ${block}`, ...partiesOf(op)],
    verdictLines(verdict),
    findings.length === 0 ? [] : ['rules', ...findings.flatMap(ruleLines)],
    ...(handled === undefined
      ? [['only the node could judge: it shows no calls']]
      : runSections(handled, name)),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(printable).join('\n'))
    .join('\n\n')}\n`
}

/** A contract chooses what it reverts with: nothing of it may move the cursor or turn the text round. */
const printable = (line: string): string => line.replace(/\p{C}/gu, '?')

type Name = (address: Address) => string

function parties(op: UserOperation): [string, Address | undefined][] {
  return [
    ['account', op.sender],
    ['factory', factoryOf(op)],
    ['paymaster', paymasterOf(op)],
  ]
}

const partiesOf = (op: UserOperation): string[] =>
  parties(op).flatMap(([name, address]) => (address === undefined ? [] : [`${name.padEnd(9)} ${address}`]))

/** Addresses that take part by their part, others as they are. */
function namesIn(op: UserOperation): Name {
  const named = [...parties(op), ['EntryPoint', entryPoints[op.version].address] as const]
  const names = new Map(named.map(([name, address]) => [address?.toLowerCase(), name]))
  return (address) => names.get(address.toLowerCase()) ?? address
}

function verdictLines(verdict: Verdict): string[] {
  switch (verdict.kind) {
    case 'accepted': {
      const { level, prefund, validAfter, validUntil } = verdict.facts
      return [
        `accepted, at level ${level}`,
        `  prefund     ${formatEther(prefund)} eth`,
        ...(validAfter === undefined ? [] : [`  valid after ${timeOf(validAfter)}`]),
        ...(validUntil === undefined ? [] : [`  valid until ${timeOf(validUntil)}`]),
      ]
    }
    case 'rejected': {
      const { code, message, data = {} } = verdict.error
      const hint = data.hint === undefined ? [] : [`  hint: ${textOf(data.hint)}`]
      return [`rejected: ${message} (${code})`, ...hint]
    }
    case 'unknown':
      return [`could not tell: ${verdict.cause}`]
  }
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

function ruleLines({ rule, message, hint, liftedBy, isLifted }: BrokenRule): string[] {
  if (isLifted) return [`  ok ${rule.padEnd(8)} ${message}; allowed, as the ${liftedBy?.entity} is staked`]
  const stake = liftedBy === undefined ? '' : `; allowed if the ${liftedBy.entity} were staked`
  return [`  ✗  ${rule.padEnd(8)} ${message}${stake}`, `              ${hint}`]
}

function runSections(handled: HandledOperation, name: Name): string[][] {
  const { phases, calls, callsLeftOut, storage } = handled
  const left = callsLeftOut === 0 ? [] : [`  … and ${callsLeftOut} more calls`]
  return [
    ['gas                   used        least        limit', ...phases.map(gasLine), ...totalLines(handled)],
    ['calls', ...callLines(calls, name, '  ', '  '), ...left],
    storage.length === 0 ? [] : ['storage', ...storage.map((slot) => slotLine(slot, name))],
  ]
}

const amount = (gas: number | bigint): string => gas.toLocaleString('en').padStart(13)

function gasLine({ phase, gasUsed, leastGas, limit, succeeded }: PhaseGas): string {
  return `  ${phase.padEnd(12)}${amount(gasUsed)}${amount(leastGas)}${amount(limit)}${succeeded ? '' : '  failed'}`
}

function totalLines({ verificationGas, paymasterVerificationGas, gasUsed }: HandledOperation): string[] {
  const line = (what: string, gas: number | undefined): string[] =>
    gas === undefined ? [] : [`  ${what.padEnd(12)}${amount(gas)}`]
  return [
    ...line('verification', verificationGas),
    ...line('paymaster’s', paymasterVerificationGas),
    ...line('handleOps', gasUsed),
  ]
}

/** @param first what stands before the call itself; `rest` before what it called */
function callLines(call: CallNode, name: Name, first: string, rest: string): string[] {
  const last = call.calls.length - 1
  return [
    `${first}${callText(call, name)}`,
    ...call.calls.flatMap((made, index) =>
      callLines(
        made,
        name,
        `${rest}${index === last ? '└─ ' : '├─ '}`,
        `${rest}${index === last ? '   ' : '│  '}`,
      ),
    ),
  ]
}

function callText(
  { kind, phase, to, value, decoded, input, gasUsed, result, reason, revert }: CallNode,
  name: Name,
) {
  const begins = phase === undefined ? '' : `[${phase}] `
  const how = kind === 'call' ? '' : `${kind} `
  const what = decoded === undefined ? input.slice(0, 10) : `${decoded.name}${argsText(decoded.args)}`
  const isCreation = kind === 'create' || kind === 'create2'
  const asked = isCreation || what === '0x' ? '' : `.${what}`
  const paid = value === 0n ? '' : ` with ${formatEther(value)} eth`
  const failed = result === 'returned' ? '' : ` ✗ ${revert ?? reason ?? result}`
  return `${begins}${how}${name(to)}${asked}${paid}  ${gasUsed.toLocaleString('en')} gas${failed}`
}

/** Characters of an argument, and of all of a call's: more is for the JSON. */
const longestArgument = 42
const longestArguments = 120

function argsText(args: readonly Json[] | undefined): string {
  if (args === undefined) return '(…)'
  const texts = args.map((arg) => {
    const text = textOf(arg)
    return text.length > longestArgument ? `${text.slice(0, longestArgument - 1)}…` : text
  })
  const text = texts.join(', ')
  return text.length > longestArguments ? `(${text.slice(0, longestArguments - 1)}…)` : `(${text})`
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function slotLine(
  { contract, slot, isRead, isWritten, isTransient, phases, before, after }: TouchedSlot,
  name: Name,
) {
  const access = `${isRead ? 'r' : '-'}${isWritten ? 'w' : '-'}${isTransient ? 't' : ' '}`
  const values = isTransient || before === after ? '' : `  ${short(before)} → ${short(after)}`
  return `  ${access} ${name(contract)} ${short(slot)}${values}${phases.length === 0 ? '' : `  in ${phases.join(', ')}`}`
}

/** A word without its leading zeros. */
const short = (word: string): string => `0x${word.slice(2).replace(/^0+(?=.)/, '')}`
