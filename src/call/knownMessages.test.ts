import { describe, expect, it } from 'vitest'
import { TASK } from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import { TaskRequestError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { Following, Tracked } from './call.js'
import { knownMessages } from './knownMessages.js'

const NOW = 5000
const roots: InputRequest = { method: 'roots/list' }
const down = new TaskRequestError('down', { kind: 'network' })

const following = (changes: Partial<Tracked> = {}): Following => ({
  callId: 'c1',
  name: 'report',
  startedAt: 0,
  stage: 'following',
  ...TRACKED,
  dueAt: 9000,
  earliestAt: 8000,
  ...changes,
})
const snapshot = { type: 'snapshot', task: TASK, nextPollAt: 9000, earliestAt: 8000 }

describe('knownMessages', () => {
  it('has the newest snapshot, with the time of the next poll and the part of that wait which the server asked for', () => {
    expect(knownMessages(following(), NOW)).toEqual([snapshot])
  })

  it('has the input requests of the snapshot, also those that have been answered: another tab knows which', () => {
    const inputs = new Map([
      ['q1', { request: roots, status: 'answered' as const }],
      ['q2', { request: roots, status: 'sending' as const }],
    ])
    const task = { ...TASK, status: 'input_required' as const }
    expect(knownMessages(following({ task, inputs }), NOW)).toEqual([
      { ...snapshot, task: { ...task, inputRequests: { q1: roots, q2: roots } } },
    ])
  })

  it.each(['input_required', 'completed', 'failed', 'cancelled'] as const)(
    'has no snapshot of a task of which only the status %s is known, as a record has it',
    (status) => {
      expect(knownMessages(following({ task: { ...TASK, status } }), NOW)).toEqual([])
    },
  )

  it('has how polling fares where it fails', () => {
    const failure = { error: down, network: 'retrying' as const }
    expect(knownMessages(following({ failureCount: 2, failure }), NOW)).toEqual([
      snapshot,
      { type: 'poll-failed', error: down, failureCount: 2, network: 'retrying', earliestAt: 8000, nextPollAt: 9000 },
    ])
  })

  it.each([0, 2])('has no failure of a cancellation, where %i polls have failed before', (failureCount) => {
    const failure = { error: down, network: 'ok' as const }
    expect(knownMessages(following({ failureCount, failure }), NOW)).toEqual([snapshot])
  })

  it.each(['queued', 'sent'] as const)('has that a poll is under way, which is %s', (poll) => {
    expect(knownMessages(following({ poll }), NOW)).toEqual([snapshot, { type: 'polling', until: NOW + 5000 }])
  })
})
