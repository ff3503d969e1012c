import { expect, test } from 'bun:test'
import artifact from '../../../src/contracts/EntryPointProbe.json'
import { compileProbe } from '../../support/solc.ts'

test('the committed probe is what its source compiles to', async () => {
  expect(artifact as unknown).toEqual(await compileProbe())
})
