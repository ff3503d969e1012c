import { expect, test } from 'bun:test'
import { compileOurs, ours } from '../../src/contracts/compile.ts'

test.each(ours)('the committed $name is what its source compiles to', async (contract) => {
  const { default: json, ...module } = (await import(`../../src/contracts/${contract.artifact}`)) as {
    default?: object
  }
  expect(json ?? module).toEqual(await compileOurs(contract))
})
