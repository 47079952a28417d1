import { expect, it } from 'vitest'
import type { CallObservation } from '../../../core/client/observe/events.js'
import { plotOf } from './plot.js'

const of = { callId: 'c', tool: 'report' } as const
const T = 1_000_000

const observations: CallObservation[] = [
  { ...of, type: 'task-created', at: T, ttlMs: null, nextPollAt: T + 1000, nextReason: 'interval' },
  { ...of, type: 'poll-sent', at: T + 1000, reason: 'interval' },
  {
    ...of,
    type: 'poll-failed',
    at: T + 1100,
    ms: 100,
    kind: 'http',
    error: new Error('503'),
    failureCount: 1,
    nextPollAt: T + 3100,
    nextReason: 'backoff',
  },
]

it('the axis of a call plots each poll, and tells the waits of the server from those of the client', () => {
  const plot = plotOf(observations, T + 2000)
  expect(plot.createdAt).toBe(T)
  expect(plot.polls).toEqual([{ at: T + 1000, isFailed: true }])
  expect(plot.waits).toEqual([
    { from: T, to: T + 1000, isAsked: true },
    { from: T + 1100, to: T + 3100, isAsked: false },
  ])
  expect(plot.nextPollAt).toBe(T + 3100)
})

it('the axis of a call ends a wait with the poll that came before the wait was over', () => {
  const early: CallObservation = { ...of, type: 'poll-sent', at: T + 2000, reason: 'back-online' }
  expect(plotOf([...observations, early], T + 2500).waits.at(-1)).toMatchObject({ to: T + 2000 })
})

it('the axis of a call has no wait for a poll that was due when the task was resumed', () => {
  const resumed: CallObservation = {
    ...of,
    type: 'task-resumed',
    at: T + 5000,
    nextPollAt: T + 4000,
    nextReason: 'interval',
  }
  expect(plotOf([resumed], T + 5000)).toMatchObject({ waits: [], nextPollAt: undefined })
})

it('the axis of a call follows the time, and stands still once the call has ended', () => {
  const end: CallObservation = { ...of, type: 'call-settled', at: T + 4000, phase: 'completed', ms: 4000 }
  const ended = [...observations, end]
  expect(plotOf(ended, T + 5000)).toEqual(plotOf(ended, T + 500_000))
  expect(plotOf(observations, T + 500_000).from).toBeGreaterThan(T + 400_000)
})

it('the axis of a call has no wait for a poll after the end of the call', () => {
  const end: CallObservation = { ...of, type: 'call-settled', at: T + 2000, phase: 'completed', ms: 2000 }
  expect(plotOf([...observations, end], T + 5000).waits.at(-1)).toMatchObject({ to: T + 2000 })
})

it('the axis of a call leaves out what it has no room for', () => {
  const plot = plotOf(observations, T + 500_000)
  expect([plot.polls, plot.waits, plot.createdAt]).toEqual([[], [], undefined])
  expect(plot.ticks.length).toBeGreaterThan(0)
})
