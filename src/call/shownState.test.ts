import { describe, expect, it } from 'vitest'
import { TRACKED as BASE } from '../../test/support/trackedCall.js'
import { TaskCancelledError, TaskExpiredError, TaskFailedError, TaskRequestError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { Task } from '../protocol/task.js'
import type { Call, CallIdentity, Notified, Tracked } from './call.js'
import { type InputState, type Inputs, NO_INPUTS } from './inputs.js'
import { shownState } from './shownState.js'

const IDENTITY: CallIdentity = { callId: 'c1', name: 'report', key: 'weekly', arguments: { week: 7 }, startedAt: 5 }
const TASK: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:10Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}
const TRACKED: Tracked = { ...BASE, task: TASK, dueAt: 1000, earliestAt: 1000, leaderTimeoutAt: 2000 }
const RESULT = { content: [] }
const roots: InputRequest = { method: 'roots/list' }
const down = new TaskRequestError('down', { kind: 'network' })

const inputs = (members: Record<string, Omit<InputState, 'request'>>): Inputs =>
  new Map(Object.entries(members).map(([key, input]) => [key, { request: roots, ...input }]))
const following = (changes: Partial<Tracked> = {}): Call => ({
  ...IDENTITY,
  ...TRACKED,
  ...changes,
  stage: 'following',
})
const resting = (changes: Partial<Tracked> = {}): Call => ({ ...IDENTITY, ...TRACKED, ...changes, stage: 'resting' })
const calling = (of: Inputs = NO_INPUTS, notified: Notified = {}): Call => ({
  ...IDENTITY,
  ...notified,
  stage: 'calling',
  inputs: of,
})
const settled = (outcome: Extract<Call, { stage: 'settled' }>['outcome'], task?: Task): Call => ({
  ...IDENTITY,
  stage: 'settled',
  outcome,
  endedAt: 99,
  ...(task && { task }),
})
const asking = { ...TASK, status: 'input_required' } as const

const base = {
  callId: 'c1',
  name: 'report',
  arguments: { week: 7 },
  startedAt: 5,
  inputRequests: {},
  inputResponses: {},
  isCancelling: false,
  network: 'ok',
  failureCount: 0,
}

describe('shownState', () => {
  const failed = new TaskFailedError({ code: 1, message: 'no' })
  const cancelled = new TaskCancelledError()
  const expired = new TaskExpiredError('ttl')

  it.each([
    ['that waits for another tab', { ...IDENTITY, stage: 'waiting', for: 'lock' }, { phase: 'calling' }],
    [
      'that waits for the network',
      { ...IDENTITY, stage: 'waiting', for: 'network' },
      { phase: 'calling', network: 'offline' },
    ],
    ['that was sent', calling(), { phase: 'calling' }],
    [
      'that asks before its response',
      calling(inputs({ r1: { status: 'open' } })),
      { phase: 'input_required', inputRequests: { r1: roots } },
    ],
    ['that a handler responds for', calling(inputs({ r1: { status: 'handling' } })), { phase: 'calling' }],
    [
      'that has come so far before its response',
      calling(NO_INPUTS, { progress: { progress: 1, total: 4 } }),
      { phase: 'calling', progress: { progress: 1, total: 4 } },
    ],
    ['that is followed', following(), { phase: 'working', task: TASK }],
    [
      'that has come so far, as was notified',
      following({ progress: { progress: 2 } }),
      { phase: 'working', task: TASK, progress: { progress: 2 } },
    ],
    [
      'that has come so far, as its snapshot says',
      following({ progress: { progress: 2 }, task: { ...TASK, progress: { progress: 3 } } }),
      { phase: 'working', task: { ...TASK, progress: { progress: 3 } }, progress: { progress: 3 } },
    ],
    ['that nobody observes', resting(), { phase: 'working', task: TASK }],
    [
      'whose task asks for input',
      following({ task: asking, inputs: inputs({ q1: { status: 'open' } }) }),
      { phase: 'input_required', task: asking, inputRequests: { q1: roots } },
    ],
    [
      'whose task asks for what was answered',
      following({ task: asking, inputs: inputs({ q1: { status: 'answered' } }) }),
      { phase: 'input_required', task: asking },
    ],
    [
      'whose task is known to have ended',
      following({ task: { ...TASK, status: 'failed' } }),
      {
        phase: 'working',
        task: { ...TASK, status: 'failed' },
      },
    ],
    [
      'whose polls fail',
      following({ failureCount: 2, failure: { error: down, network: 'retrying' } }),
      { phase: 'working', task: TASK, network: 'retrying', failureCount: 2, lastError: down },
    ],
    [
      'whose polls fail, offline',
      following({ failureCount: 2, failure: { error: down, network: 'paused' }, blocked: 'offline' }),
      { phase: 'working', task: TASK, network: 'offline', failureCount: 2, lastError: down },
    ],
    ['that is hidden', following({ blocked: 'paused' }), { phase: 'working', task: TASK, network: 'paused' }],
    [
      'that is being cancelled',
      following({ cancel: 'sending' }),
      { phase: 'working', task: TASK, isCancelling: true, cancelStatus: 'sending' },
    ],
    [
      'whose cancellation was refused',
      following({ failure: { error: down, network: 'ok' } }),
      { phase: 'working', task: TASK, lastError: down },
    ],
    [
      'that completed',
      settled({ result: RESULT }, { ...TASK, status: 'completed' }),
      { phase: 'completed', result: RESULT, task: { ...TASK, status: 'completed' }, endedAt: 99 },
    ],
    ['that completed at once', settled({ result: RESULT }), { phase: 'completed', result: RESULT, endedAt: 99 }],
    ['that failed', settled({ error: failed }), { phase: 'failed', error: failed, endedAt: 99 }],
    ['that expired', settled({ error: expired }), { phase: 'failed', error: expired, endedAt: 99 }],
    ['that was cancelled', settled({ error: cancelled }), { phase: 'cancelled', error: cancelled, endedAt: 99 }],
  ] satisfies [string, Call, object][])('of a call %s', (_, call, expected) => {
    expect(shownState(call)).toStrictEqual({ ...base, ...expected })
  })

  it('has no arguments where the call has none, as after a reload', () => {
    const { arguments: _, ...rest } = IDENTITY
    expect(shownState({ ...rest, stage: 'waiting', for: 'lock' })).not.toHaveProperty('arguments')
  })

  it('never shows the key, the schedule or the record', () => {
    const keys = Object.keys(shownState(following()))
    for (const hidden of ['key', 'dueAt', 'nextPollAt', 'record', 'stage', 'answered'])
      expect(keys).not.toContain(hidden)
  })

  describe('while the task has ended and its result is fetched', () => {
    const end = { ...TASK, status: 'completed', result: RESULT } as const
    const ending = (changes: Partial<Tracked> = {}): Call => ({
      ...IDENTITY,
      ...TRACKED,
      ...changes,
      task: { ...TASK, status: 'completed' },
      stage: 'ending',
      end,
    })

    it.each([
      ['working', following(), 'working'],
      ['input_required', following({ task: asking }), 'input_required'],
    ] as const)('keeps the phase %s, and the snapshot that was shown', (_, before, phase) => {
      const shown = shownState(before)
      expect(shownState(ending({ cancel: 'requested' }), shown)).toStrictEqual({
        ...base,
        phase,
        task: shown.task,
        isCancelling: true,
        cancelStatus: 'requested',
      })
    })

    it('changes nothing where nothing else has changed', () => {
      const shown = shownState(following())
      expect(shownState(ending(), shown)).toBe(shown)
    })
  })

  describe('lists an input request', () => {
    it.each([
      ['open', { status: 'open' }, undefined],
      ['sending', { status: 'sending' }, { status: 'sending', isRetrying: false }],
      ['retrying', { status: 'sending', isRetrying: true }, { status: 'sending', isRetrying: true }],
      [
        'rejected',
        { status: 'rejected', isRetrying: false, error: down },
        { status: 'rejected', isRetrying: false, error: down },
      ],
    ] satisfies [string, Omit<InputState, 'request'>, object | undefined][])('that is %s', (_, input, response) => {
      const state = shownState(following({ task: asking, inputs: inputs({ q1: input }) }))
      expect(state.inputRequests).toStrictEqual({ q1: roots })
      expect(state.inputResponses).toStrictEqual(response === undefined ? {} : { q1: response })
    })

    it('under the key __proto__ like any other', () => {
      const hostile: Inputs = new Map([['__proto__', { request: roots, status: 'sending' }]])
      const state = shownState(following({ inputs: hostile }))
      expect(Object.keys(state.inputRequests)).toEqual(['__proto__'])
      expect(Object.keys(state.inputResponses)).toEqual(['__proto__'])
      expect(shownState(following({ inputs: new Map(hostile) }), state)).toBe(state)
    })
  })

  describe('keeps its reference', () => {
    const call = following({ task: asking, inputs: inputs({ q1: { status: 'sending' }, q2: { status: 'open' } }) })

    it('where nothing that is shown has changed', () => {
      const state = shownState(call)
      const next: Call = {
        ...call,
        ...{ dueAt: 9, earliestAt: 9, poll: 'sent', idlePolls: 3, record: 'failed' },
      } as Call
      expect(shownState(next, state)).toBe(state)
    })

    it('where the input requests were listed anew', () => {
      const state = shownState(call)
      const again = inputs({ q1: { status: 'sending' }, q2: { status: 'open' } })
      expect(shownState({ ...call, inputs: again } as Call, state)).toBe(state)
    })

    it('of what has not changed, where something else has', () => {
      const state = shownState(call)
      const next = shownState({ ...call, cancel: 'sending' } as Call, state)
      expect(next).not.toBe(state)
      expect(next.inputRequests).toBe(state.inputRequests)
      expect(next.inputResponses).toBe(state.inputResponses)
      expect(next.task).toBe(state.task)
    })

    it('of the input requests while their responses fare differently', () => {
      const state = shownState(call)
      const retrying = inputs({ q1: { status: 'sending', isRetrying: true }, q2: { status: 'open' } })
      const next = shownState({ ...call, inputs: retrying } as Call, state)
      expect(next.inputRequests).toBe(state.inputRequests)
      expect(next.inputResponses).not.toBe(state.inputResponses)
    })

    it('of no input requests, from one state to the next', () => {
      const first = shownState(following())
      const second = shownState(following({ failureCount: 1 }), first)
      expect(second.inputRequests).toBe(first.inputRequests)
      expect(shownState(settled({ result: RESULT }), second).inputRequests).toBe(first.inputRequests)
    })

    it('not where one input request takes the place of another', () => {
      const state = shownState(following({ task: asking, inputs: inputs({ q1: { status: 'open' } }) }))
      const next = shownState(following({ task: asking, inputs: inputs({ q2: { status: 'open' } }) }), state)
      expect(Object.keys(next.inputRequests)).toEqual(['q2'])
    })

    it('not where one of several input requests takes the place of another', () => {
      const state = shownState(call)
      const others = inputs({ q1: { status: 'sending' }, q3: { status: 'open' } })
      const next = shownState({ ...call, inputs: others } as Call, state)
      expect(Object.keys(next.inputRequests)).toEqual(['q1', 'q3'])
    })

    it('not where all that changes is that something is gone', () => {
      const state = shownState(following({ failure: { error: down, network: 'ok' } }))
      expect(state).toHaveProperty('lastError', down)
      expect(shownState(following(), state)).not.toHaveProperty('lastError')
    })
  })

  describe('where the call before is known, too', () => {
    const call = following({ progress: { progress: 1 } })

    it('keeps its reference where only the schedule has changed', () => {
      const state = shownState(call)
      expect(shownState({ ...call, dueAt: 9, poll: 'sent' } as Call, state, call)).toBe(state)
    })

    it.each([
      ['the time at which the call was made', { startedAt: 6 }, { startedAt: 6 }],
      ['the snapshot', { task: asking }, { phase: 'input_required', task: asking }],
      ['an input request', { inputs: inputs({ q1: { status: 'open' } }) }, { inputRequests: { q1: roots } }],
      ['the progress', { progress: { progress: 2 } }, { progress: { progress: 2 } }],
      ['the cancellation', { cancel: 'sending' }, { isCancelling: true, cancelStatus: 'sending' }],
      ['the network', { blocked: 'offline' }, { network: 'offline' }],
      ['the last error', { failure: { error: down, network: 'ok' } }, { lastError: down }],
      ['the number of polls that failed', { failureCount: 1 }, { failureCount: 1 }],
    ] as const)('shows a change of %s', (_, changes, expected) => {
      const state = shownState(call)
      const next = shownState({ ...call, ...changes } as Call, state, call)
      expect(next).toStrictEqual({ ...state, ...expected })
    })

    it('shows no progress any more once the task has ended', () => {
      const progress = { progress: 1 }
      const before = following({ progress })
      const ending: Call = { ...IDENTITY, ...TRACKED, progress, stage: 'ending', end: down }
      expect(shownState(before)).toHaveProperty('progress')
      expect(shownState(ending, shownState(before), before)).not.toHaveProperty('progress')
    })
  })

  it('is ok at the end, whatever came before', () => {
    const before = shownState(
      following({ failureCount: 2, failure: { error: down, network: 'retrying' }, cancel: 'sending' }),
    )
    expect(shownState(settled({ result: RESULT }), before)).toStrictEqual({
      ...base,
      phase: 'completed',
      result: RESULT,
      endedAt: 99,
    })
  })
})
