import { describe, expect, it, vi } from 'vitest'
import { createReporter } from './reportError.js'

describe('createReporter', () => {
  it('passes everything to onError', () => {
    const onError = vi.fn()
    createReporter(onError)('broken', { source: 'tool', tool: 'slow' })
    expect(onError).toHaveBeenCalledWith('broken', { source: 'tool', tool: 'slow' })
  })

  it('is not disturbed by an onError that throws', () => {
    const report = createReporter(() => {
      throw new Error('reporter broken')
    })
    expect(() => report('broken', { source: 'server' })).not.toThrow()
  })

  it('writes to the console what nobody else would see, and nothing that the client was told', () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const report = createReporter(undefined)
    const error = new Error('broken')
    report(error, { source: 'tool', tool: 'slow' })
    report(error, { source: 'server' })
    report(error, { source: 'request' })
    expect(log.mock.calls).toEqual([
      ['[taskwire] tool "slow" failed:', error],
      ['[taskwire] server failed:', error],
    ])
  })
})
