import { expect, it } from 'vitest'
import type { CallObservation, TaskClientObservation, WireObservation } from '../../../core/client/observe/events.js'
import { createObservationLog } from './observationLog.js'

const ofCall = (callId: string, at: number): CallObservation => ({ type: 'call-sent', at, callId, tool: 'report' })
const ofWire = (exchange: number): WireObservation => ({ type: 'wire-event', at: exchange, exchange })

it('the log of observations keeps the latest ones of each call', () => {
  const log = createObservationLog({ each: 3, all: 100 })
  for (let at = 0; at < 10; at++) log.add(0, ofCall('a', at))
  log.add(0, ofCall('b', 10))
  expect(log.ofCall(0, 'a').map(({ at }) => at)).toEqual([7, 8, 9])
  expect(log.ofCall(0, 'b')).toHaveLength(1)
})

it('the log of observations keeps a bounded number for all calls together', () => {
  const log = createObservationLog({ each: 3, all: 100 })
  for (let at = 0; at < 1000; at++) log.add(0, ofCall(`call ${at}`, at))
  expect(log.size).toBe(100)
  expect(log.ofCalls()[0]).toMatchObject({ client: 0, observation: { at: 900 } })
})

it('the log of observations keeps 500 of a call and 2,000 of all', () => {
  const log = createObservationLog()
  for (let at = 0; at < 10_000; at++) log.add(0, ofCall(`call ${at % 2}`, at))
  expect(log.size).toBe(1000)
  for (let at = 0; at < 10_000; at++) log.add(0, ofCall(`call ${at % 50}`, at))
  expect(log.size).toBe(2000)
})

it('the log of observations tells the calls and the wire of two clients apart', () => {
  const log = createObservationLog()
  log.add(0, ofCall('a', 0))
  log.add(1, ofCall('a', 1))
  log.add(1, ofWire(1))
  const hidden: TaskClientObservation = { type: 'page', at: 2, state: 'hidden' }
  log.add(0, hidden)
  expect(log.ofCall(1, 'a')).toEqual([ofCall('a', 1)])
  expect(log.ofWire()).toEqual([{ client: 1, observation: ofWire(1) }])
  expect(log.ofPage()).toEqual([hidden])
})

it('the log of observations knows how the page is, however much has happened since that was told', () => {
  const log = createObservationLog({ each: 3, all: 10 })
  const state = (state: 'online' | 'hidden' | 'visible', at: number) => log.add(0, { type: 'page', at, state })
  state('online', 0)
  for (let at = 1; at < 9; at++) state(at % 2 === 0 ? 'visible' : 'hidden', at)
  for (let at = 10; at < 100; at++) log.add(0, ofCall(`call ${at}`, at))
  expect(log.ofPage().map((one) => one.state)).toEqual(['online', 'visible'])
  log.clear()
  expect(log.ofPage()).toHaveLength(2)
  expect(log.size).toBe(0)
})
