import { expect, test } from 'bun:test'
import { TandemError, toWire } from '../../../src/base/errors.ts'
import { requireAuthorized } from '../../../src/validation/acceptance.ts'
import { alwaysValid } from '../../../src/validation/validation-data.ts'
import { address, userOp } from '../../support/builders.ts'

test('EREP-016, EREP-040: there are no aggregators, staked or not', () => {
  const aggregator = address(7)
  try {
    requireAuthorized(userOp(), 'account', { ...alwaysValid, authorizer: { aggregator } })
    throw new Error('the aggregator was accepted')
  } catch (error) {
    expect(error).toBeInstanceOf(TandemError)
    expect(toWire(error)).toEqual({
      code: -32506,
      message: `signature aggregator ${aggregator} is not supported`,
      data: { entity: 'aggregator', address: aggregator, aggregator },
    })
  }
})
