import { ProtocolError } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { toTaskFailure } from './taskFailure.js'

describe('toTaskFailure', () => {
  it('passes on what a protocol error says', () => {
    expect(toTaskFailure(new ProtocolError(-32050, 'Out of paper', { tray: 2 }))).toEqual({
      code: -32050,
      message: 'Out of paper',
      data: { tray: 2 },
    })
  })

  it('leaves out data that is not JSON', () => {
    expect(toTaskFailure(new ProtocolError(-32050, 'Out of paper', 1n))).toEqual({
      code: -32050,
      message: 'Out of paper',
    })
  })

  it('tells nothing of any other error', () => {
    for (const thrown of [
      new Error('password=hunter2'),
      'password=hunter2',
      undefined,
      { code: 1, message: 'secret' },
    ]) {
      expect(toTaskFailure(thrown)).toEqual({ code: -32603, message: 'The tool failed unexpectedly.' })
    }
  })
})
