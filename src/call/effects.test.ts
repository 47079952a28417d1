import { expect, it, vi } from 'vitest'
import { completed, down, stubLeadership } from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import type { CallEvent, Effect } from './call.js'
import { type CallEntry, createEntry } from './callEntry.js'
import { createEffects } from './effects.js'
import type { TaskMessage } from './taskMessage.js'
import type { TaskPort } from './taskPort.js'

/** Calls of one task, and a log of what is done because of events. */
function begin(port: Partial<TaskPort> = {}) {
  const log: unknown[][] = []
  const events: [CallEntry, CallEvent][] = []
  const entries: CallEntry[] = []
  const logged =
    (what: string) =>
    (...details: unknown[]): void =>
      void log.push([what, ...details])
  const carryOut = createEffects({
    port: { cancelTask: () => Promise.resolve(), ...port },
    tabs: { postTask: logged('post') },
    polls: { add: logged('poll') },
    responses: { handle: logged('handle') },
    index: { entriesOf: () => entries },
    readNote: async (...details) => logged('read note')(...details),
    finish: async (...details) => logged('finish')(...details),
    dispatch: (entry, event) => void events.push([entry, event]),
    onError: logged('error'),
  })
  const entry = (): CallEntry => {
    const call = createEntry({ ...TRACKED, callId: 'c1', name: 'report', startedAt: 0, stage: 'following' })
    entries.push(call)
    return call
  }
  return { carryOut, log, events, entry }
}

it.each<[string, Effect, (entry: CallEntry) => unknown[]]>([
  ['polls its task', { type: 'poll' }, () => ['poll', 't1']],
  ['reads when it may be polled', { type: 'read-next-poll' }, (entry) => ['read note', entry, 't1']],
  ['comes to its outcome', { type: 'end', end: down() }, (entry) => ['finish', entry, down()]],
  ['has an input handled', { type: 'handle-input', inputKeys: ['q1'] }, (entry) => ['handle', entry, ['q1']]],
  ['reports a failure', { type: 'report', error: down(), operation: 'poll' }, () => ['error', down(), 'c1', 'poll']],
])('a call %s', (_, effect, expected) => {
  const { carryOut, log, entry } = begin()
  const call = entry()
  carryOut(call, effect)
  expect(log).toEqual([expected(call)])
})

it('nothing is carried out for a call that is no task', () => {
  const { carryOut, log } = begin()
  const call = createEntry({ callId: 'c2', name: 'report', startedAt: 0, stage: 'waiting', for: 'lock' })
  carryOut(call, { type: 'poll' })
  expect(log).toEqual([])
})

it.each<TaskMessage>([
  { type: 'poll-aborted', nextPollAt: 1 },
  { type: 'responded', inputKey: 'q1' },
  { type: 'cancelling', isCancelling: true },
])('what was done is posted to the other tabs, and reaches the other calls of the task as theirs: $type', (message) => {
  const { carryOut, log, events, entry } = begin()
  const [call, other, third] = [entry(), entry(), entry()]
  carryOut(call, { type: 'post', message })
  expect(log).toEqual([['post', 't1', message]])
  const event = { type: 'message', message, isOwn: false }
  expect(events).toEqual([
    [other, event],
    [third, event],
  ])
})

it('a snapshot is posted to the other tabs alone: each call of the task has received it by itself', () => {
  const { carryOut, log, events, entry } = begin()
  const call = entry()
  entry()
  const message: TaskMessage = { type: 'snapshot', task: completed(), nextPollAt: 1 }
  carryOut(call, { type: 'post', message })
  expect(log).toEqual([['post', 't1', message]])
  expect(events).toEqual([])
})

it('a sign-in that has failed in another tab is held here, where the connection can sign in', () => {
  const holdSignIn = vi.fn()
  const signing = begin({ holdSignIn })
  signing.carryOut(signing.entry(), { type: 'hold-sign-in' })
  expect(holdSignIn).toHaveBeenCalledOnce()
  const other = begin()
  expect(() => other.carryOut(other.entry(), { type: 'hold-sign-in' })).not.toThrow()
})

it('a tab takes the lead of the election of the task, where it takes part in one', () => {
  const { carryOut, log, entry } = begin()
  const election = stubLeadership(false)
  const call = entry()
  carryOut(call, { type: 'lead' })
  expect(log).toEqual([])
  call.leadership = election.leadership
  carryOut(call, { type: 'lead' })
  expect(election.log).toEqual(['take'])
})

it('a task that is stuck is cancelled, and a failure of that is reported', async () => {
  const cancelTask = vi.fn(() => Promise.reject(down()))
  const { carryOut, log, entry } = begin({ cancelTask })
  carryOut(entry(), { type: 'cancel-stuck' })
  await Promise.resolve()
  expect(cancelTask).toHaveBeenCalledExactlyOnceWith('t1')
  expect(log).toEqual([['error', down(), 'c1', 'cancel']])
})
