import { describe, expect, it, vi } from 'vitest'
import { createServerLog } from './logger.js'

describe('createServerLog', () => {
  it('passes everything to onError', () => {
    const onError = vi.fn()
    createServerLog(undefined, onError).error('broken', { source: 'tool', tool: 'slow' })
    expect(onError).toHaveBeenCalledWith('broken', { source: 'tool', tool: 'slow' })
  })

  it('is not disturbed by an onError or a logger that throws', () => {
    const throwing = () => {
      throw new Error('log broken')
    }
    const logger = { error: throwing, warn: throwing, info: throwing, debug: throwing }
    for (const log of [createServerLog(undefined, throwing), createServerLog(logger)]) {
      expect(() => log.error('broken', { source: 'server' })).not.toThrow()
      expect(() => createServerLog(logger).event({ type: 'store-conflict' })).not.toThrow()
    }
  })

  it('writes to the console what nobody else would see, and nothing that the client was told', () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const { error: report } = createServerLog()
    const error = new Error('broken')
    report(error, { source: 'tool', tool: 'slow' })
    report(error, { source: 'server' })
    report(error, { source: 'request' })
    expect(log.mock.calls).toEqual([
      ['[taskwire] tool "slow" failed:', error],
      ['[taskwire] server failed:', error],
    ])
  })

  it('gives a logger everything under the level that it belongs to', () => {
    const lines: unknown[] = []
    const to = (level: string) => (message: string, fields: object) => lines.push([level, message, fields])
    const log = createServerLog({ error: to('error'), warn: to('warn'), info: to('info'), debug: to('debug') })
    const error = new Error('broken')
    const about = { task: 'hash', tool: 'slow', attempt: 1 }
    log.error(error, { source: 'tool', tool: 'slow', requestId: 'r1' })
    log.error(error, { source: 'request' })
    log.event({ type: 'task-ended', ...about, outcome: 'failed', ms: 5 })
    log.event({ type: 'lease-lost', ...about })
    log.event({ type: 'store-conflict' })
    log.event({ type: 'store-used', operation: 'get', ms: 1, hasFailed: false })
    expect(lines).toEqual([
      ['error', 'tool "slow" failed', { error, source: 'tool', tool: 'slow', requestId: 'r1' }],
      ['debug', 'request refused', { error, source: 'request' }],
      ['info', 'task ended', { ...about, outcome: 'failed', ms: 5 }],
      ['warn', 'lease lost', about],
      ['debug', 'store conflict', {}],
    ])
  })
})
