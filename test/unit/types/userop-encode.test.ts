import { describe, expect, test } from 'bun:test'
import simulations07 from 'entrypoint-0.7/artifacts/EntryPointSimulations.json'
import simulations08 from 'entrypoint-0.8/artifacts/EntryPointSimulations.json'
import { type Abi, encodeFunctionData } from 'viem'
import { encodeHandleOps, entryPoints } from '../../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import { simulateValidationCall } from '../../../src/validation/simulation.ts'
import { random, randomOperation } from '../../support/random.ts'

const simulationAbis: Readonly<Record<EntryPointVersion, Abi>> = {
  '0.6': entryPoints['0.6'].abi,
  '0.7': simulations07.abi as Abi,
  '0.8': simulations08.abi as Abi,
}

/** What viem makes of it is what the EntryPoint decodes. */
describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
  const { abi, pack } = entryPoints[version]
  const source = random(21)
  const ops = Array.from({ length: 500 }, () => randomOperation(source, version))

  test('handleOps is encoded as viem encodes it', () => {
    for (const size of [0, 1, 2, 7]) {
      const some = ops.slice(0, size)
      const beneficiary = source.address()
      const expected = encodeFunctionData({
        abi,
        functionName: 'handleOps',
        args: [some.map(pack), beneficiary],
      })
      expect(encodeHandleOps(version, some, beneficiary)).toBe(expected)
    }
    for (const op of ops) {
      const expected = encodeFunctionData({ abi, functionName: 'handleOps', args: [[pack(op)], op.sender] })
      expect(encodeHandleOps(version, [op], op.sender)).toBe(expected)
    }
  })

  test('simulateValidation is encoded as viem encodes it', () => {
    for (const op of ops) {
      const expected = encodeFunctionData({
        abi: simulationAbis[version],
        functionName: 'simulateValidation',
        args: [pack(op)],
      })
      expect(simulateValidationCall(op).data).toBe(expected)
    }
  })
})
