import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { ALONE } from '../../../test/support/trackedCall.js'
import type { Call } from '../../call/call.js'
import type { CallChange, CallTap } from '../../call/callChange.js'
import type { WirePiece, WireTap } from '../../connection/wireTap.js'
import { createObserving } from './createObserving.js'
import type { TaskClientObservation } from './events.js'

const CALL: Call = { callId: 'c1', name: 'report', startedAt: 0, stage: 'calling', inputs: new Map() }
const AT = { ...ALONE, now: 7 }
const SENT: CallChange = { before: CALL, event: { type: 'sending' }, after: CALL, effects: [], at: AT }
const PIECE: WirePiece = { at: 5, isSent: true, message: { jsonrpc: '2.0', method: 'x' } }

function observing() {
  const page = createSimulatedEnvironment()
  const tap: CallTap & WireTap = {}
  const guard = vi.fn((call: () => void) => call())
  const client = createObserving(tap, page.environment, guard)
  const told: string[] = []
  const listener = ({ type }: TaskClientObservation) => void told.push(type)
  /** Something happens to a call, and on the wire. */
  const happen = () => {
    tap.onChange?.(SENT)
    tap.onWire?.(PIECE)
  }
  return { page, tap, client, told, listener, happen }
}

const loaded = () => vi.dynamicImportSettled()

describe('createObserving', () => {
  it('tells of calls alone, also what came before its words were loaded', async () => {
    const { tap, client, told, listener, happen } = observing()
    client.observe(listener)
    happen()
    expect(told).toEqual([])
    await loaded()
    happen()
    expect(told).toEqual(['call-sent', 'call-sent'])
    expect(tap.onWire).toBeUndefined()
  })

  it('tells of the wire only who wants to know', async () => {
    const { client, told, listener, happen } = observing()
    const wire: string[] = []
    client.observe(listener, { wire: false })
    client.observe(({ type }) => void wire.push(type), { wire: true })
    happen()
    await loaded()
    expect(told).toEqual(['call-sent'])
    expect(wire).toEqual(['call-sent', 'wire-sent'])
  })

  it('goes on until the last subscription has ended, and begins again with the next', async () => {
    const { page, tap, client, told, listener, happen } = observing()
    const ends = [client.observe(listener, { wire: true }), client.observe(listener)]
    await loaded()
    expect(page.listeners()).toBe(4)
    ends[0]?.()
    expect(tap.onWire).toBeUndefined()
    happen()
    expect(told).toEqual(['call-sent'])
    expect(page.listeners()).toBe(4)
    ends[1]?.()
    expect(tap).toEqual({ onChange: undefined, onWire: undefined })
    expect(page.listeners()).toBe(0)
    client.observe(listener)
    await loaded()
    expect(page.listeners()).toBe(4)
  })

  it('begins nothing where it has ended before its words were loaded', async () => {
    const { page, tap, client, told, listener, happen } = observing()
    const end = client.observe(listener)
    happen()
    end()
    await loaded()
    expect(page.listeners()).toBe(0)
    expect(tap.onChange).toBeUndefined()
    expect(told).toEqual([])
  })

  it('is closed with its client, for every subscription', async () => {
    const { page, tap, client, told, listener, happen } = observing()
    client.observe(listener, { wire: true })
    await loaded()
    const { onChange, onWire } = tap
    client.close()
    expect(tap).toEqual({ onChange: undefined, onWire: undefined })
    expect(page.listeners()).toBe(0)
    onChange?.(SENT)
    onWire?.(PIECE)
    happen()
    expect(told).toEqual([])
  })
})
