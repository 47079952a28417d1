import { describe, expect, it } from 'vitest'
import { TaskConfigurationError } from '../../protocol/errors.js'
import { checkProgress, progressText } from './taskProgress.js'

describe('setProgress()', () => {
  it.each<[Parameters<typeof checkProgress>, string]>([
    [[3, 10, 'Asia'], 'Asia (3 of 10)'],
    [[3, 10], '3 of 10'],
    [[3], '3'],
    [[0.5, 1, ''], '0.5 of 1'],
    [[12, 10], '12 of 10'],
  ])('given %j says %j to clients that know no numbers', (args, said) => {
    expect(progressText(checkProgress(...args))).toBe(said)
  })

  it.each<[unknown, unknown?, unknown?]>([
    [-1],
    [Number.NaN],
    ['3'],
    [undefined],
    [3, 0],
    [3, Number.POSITIVE_INFINITY],
    [3, '10'],
    [3, 10, 7],
  ])('refuses %j, %j, %j', (...args) => {
    expect(() => checkProgress(...(args as [number]))).toThrow(TaskConfigurationError)
  })
})
