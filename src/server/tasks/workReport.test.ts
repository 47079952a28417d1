import { describe, expect, it } from 'vitest'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { checkReport, reportText } from './workReport.js'

describe('progress()', () => {
  it.each<[Parameters<typeof checkReport>, string]>([
    [[3, 10, 'Asia'], 'Asia (3 of 10)'],
    [[3, 10], '3 of 10'],
    [[3], '3'],
    [[0.5, 1, ''], '0.5 of 1'],
    [[12, 10], '12 of 10'],
    [['Sending'], 'Sending'],
  ])('given %j says %j to clients that know no numbers', (args, said) => {
    expect(reportText(checkReport(...args))).toBe(said)
  })

  it.each<[unknown, unknown?, unknown?]>([
    [-1],
    [Number.NaN],
    ['3', 10],
    [undefined],
    [10n],
    [{ message: 'Asia' }],
    [3, 0],
    [3, Number.POSITIVE_INFINITY],
    [3, '10'],
    [3, 10, 7],
  ])('refuses %o, %o, %o', (...args) => {
    expect(() => checkReport(...(args as [number]))).toThrow(TaskConfigurationError)
  })
})
