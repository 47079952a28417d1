import { describe, expect, it } from 'vitest'
import { ALONE, TRACKED } from '../../../test/support/trackedCall.js'
import type { Call, CallEvent, Circumstances, Effect, Tracked } from '../../call/call.js'
import type { InputState, Inputs } from '../../call/inputs.js'
import { TaskCancelledError, TaskProtocolError, TaskRequestError } from '../../protocol/errors.js'
import type { DetailedTask, Task } from '../../protocol/task.js'
import type { PollReason } from './events.js'
import { createObservations } from './observations.js'

const NOW = 100_000
const DUE = NOW + 1000

const TASK: Task = {
  taskId: 'task-one',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 60_000,
}
const WORKING: DetailedTask = { ...TASK, status: 'working' }
const IDENTITY = { callId: 'c1', name: 'report', startedAt: NOW - 5000 }
const AT = { ...ALONE, now: NOW }

const of = (changes: Partial<Tracked>) => ({ ...TRACKED, task: TASK, dueAt: DUE, ...changes })
const following = (changes: Partial<Tracked> = {}): Call => ({ ...IDENTITY, ...of(changes), stage: 'following' })
const resting = (changes: Partial<Tracked> = {}): Call => ({ ...IDENTITY, ...of(changes), stage: 'resting' })
const ending = (changes: Partial<Tracked> = {}): Call => ({
  ...IDENTITY,
  ...of(changes),
  stage: 'ending',
  end: new Error('over'),
})
const waiting: Call = { ...IDENTITY, stage: 'waiting', for: 'lock' }
const calling: Call = { ...IDENTITY, stage: 'calling', inputs: new Map() }
const settled = (outcome: Extract<Call, { stage: 'settled' }>['outcome'] = { result: { content: [] } }): Call => ({
  ...IDENTITY,
  stage: 'settled',
  outcome,
  endedAt: NOW,
})

const WAKE: CallEvent = { type: 'wake' }
const RECORDED_TASK = { ...TASK, receivedAt: NOW, answered: [], isCancelling: false }
const ADOPTED: CallEvent = { type: 'adopted', task: RECORDED_TASK, startedAt: NOW, era: 'modern' }
const SETTLED: CallEvent = { type: 'settled', outcome: { result: { content: [] } } }

type Observe = ReturnType<typeof createObservations>

const observing = (): Observe => createObservations((text) => text.toUpperCase())

function change(
  before: Call,
  event: CallEvent,
  after: Call,
  more: { effects?: readonly Effect[]; at?: Partial<Circumstances> } = {},
) {
  return { before, event, after, effects: more.effects ?? [], at: { ...AT, ...more.at } }
}

const CALL = { at: NOW, callId: 'c1', tool: 'report' }
const TASK_OF_CALL = { ...CALL, task: 'TASK-ON' }
const NEXT = { nextPollAt: DUE, nextReason: 'interval' }

/** What the poll that is sent now says of its reason. */
function reasonOfPoll(observe: Observe): unknown {
  return observe(change(following(), { type: 'poll-sent' }, following()))
}

describe('the start of a call', () => {
  const started = { ...CALL, type: 'call-started', at: NOW - 5000 }
  const sent = { ...CALL, type: 'call-sent' }

  it('is said once, with the time at which it was', () => {
    const observe = observing()
    expect(observe(change(waiting, { type: 'sending' }, calling))).toStrictEqual([started, sent])
    expect(observe(change(waiting, { type: 'sending' }, calling))).toStrictEqual([sent])
  })

  it('is not said of a call that was under way when somebody began to observe', () => {
    const observe = observing()
    expect(observe(change(calling, WAKE, calling))).toStrictEqual([])
    expect(observe(change(waiting, WAKE, waiting))).toStrictEqual([])
  })

  it('is said again of a call that was made anew under the id of one that has ended', () => {
    const observe = observing()
    observe(change(waiting, WAKE, waiting))
    observe(change(waiting, SETTLED, settled()))
    expect(observe(change(waiting, WAKE, waiting))).toStrictEqual([started])
  })
})

const message = (of: Extract<CallEvent, { type: 'message' }>['message'], isOwn = true): CallEvent => ({
  type: 'message',
  message: of,
  isOwn,
})
const snapshot = { type: 'snapshot', task: WORKING, nextPollAt: DUE } as const
const failed = (error: Error, nextPollAt = DUE, earliestAt = 0) =>
  ({ type: 'poll-failed', error, failureCount: 1, network: 'retrying', earliestAt, nextPollAt }) as const
const down = new TaskRequestError('down', { kind: 'network' })
const busy = new TaskRequestError('busy', { kind: 'server', retryAfterMs: 1000 })
const created: CallEvent = { type: 'created', task: TASK, era: 'modern' }
const pushed: CallEvent = { type: 'pushed', task: WORKING }
const pushChanged: CallEvent = { type: 'push-changed' }
const nextPollRead: CallEvent = { type: 'next-poll-read', nextPollAt: DUE }

describe('the reason of a poll', () => {
  const later = { dueAt: DUE + 1 }
  const pushing = { isPushed: true }

  it.each<[reason: PollReason, when: string, event: CallEvent, after: Call, at?: Partial<Circumstances>]>([
    ['interval', 'a task was created', created, following()],
    ['safety-interval', 'a task was created and is pushed', created, following(), pushing],
    ['takeover', 'another tab had polled', nextPollRead, following({ foreignPollAt: 1 })],
    ['resumed', 'no other tab had polled', nextPollRead, following({ foreignPollAt: 0 })],
    ['interval', 'a poll was answered', message(snapshot), following()],
    ['safety-interval', 'a poll was answered, and the task is pushed', message(snapshot), following(), pushing],
    ['backoff', 'a poll failed', message(failed(down)), following()],
    ['backoff', 'a poll failed, and the wait asked for is unknown', message(failed(down, DUE, DUE)), following()],
    ['retry-after', 'the server asked for just that wait', message(failed(busy, DUE, DUE)), following()],
    ['retry-after', 'the server asked for a longer wait', message(failed(busy, DUE, DUE + 1)), following()],
    ['backoff', 'the server asked for a shorter wait', message(failed(busy, DUE, DUE - 1)), following()],
    ['resumed', 'another tab said that it polls', message({ type: 'polling', until: DUE }), following(later)],
    ['safety-interval', 'a pushed snapshot moved the poll', pushed, following(later), pushing],
    ['resumed', 'a pushed snapshot did not move the poll', pushed, following(), pushing],
    ['interval', 'the end of a push moved the poll', pushChanged, following(later)],
    ['safety-interval', 'the beginning of a push moved the poll', pushChanged, following(later), pushing],
    ['resumed', 'the end of a push did not move the poll', pushChanged, following()],
    ['back-online', 'the network came back and moved the poll', { type: 'online' }, following(later)],
    ['resumed', 'the network came back and did not move the poll', { type: 'online' }, following()],
    ['hint', 'a hint moved the poll', { type: 'hint' }, following({ ...later, isHinted: true })],
    ['resumed', 'a hint did not move the poll', { type: 'hint' }, following({ isHinted: true })],
    ['resumed', 'something else moved the poll', WAKE, following(later)],
    ['resumed', 'a call without a task hears of a push', pushChanged, calling, pushing],
  ])('is %s after a record was taken up and %s', (reason, _, event, after, at = {}) => {
    const observe = observing()
    observe(change(calling, ADOPTED, following()))
    observe(change(following(), event, after, { at }))
    expect(reasonOfPoll(observe)).toStrictEqual([{ ...TASK_OF_CALL, type: 'poll-sent', reason }])
  })

  it('is the interval where nothing was observed before', () => {
    expect(reasonOfPoll(observing())).toStrictEqual([{ ...TASK_OF_CALL, type: 'poll-sent', reason: 'interval' }])
  })

  it('is moved by the first push for a call that had no task', () => {
    const observe = observing()
    observe(change(calling, pushChanged, following(), { at: pushing }))
    expect(reasonOfPoll(observe)).toStrictEqual([{ ...TASK_OF_CALL, type: 'poll-sent', reason: 'safety-interval' }])
  })

  it('is forgotten with the call', () => {
    const observe = observing()
    observe(change(calling, ADOPTED, following()))
    observe(change(following(), SETTLED, settled()))
    expect(reasonOfPoll(observe)).toStrictEqual([{ ...TASK_OF_CALL, type: 'poll-sent', reason: 'interval' }])
  })
})

describe('what is said of a change of a task', () => {
  const protocol = new TaskProtocolError('no status', { source: 'tasks/get' })
  const other = new TypeError('no')
  const asked = new Map([['q', { request: { method: 'roots/list' }, status: 'open' }]]) as Inputs
  const changed = { ...TASK }
  const push = { ...NEXT, type: 'push-event', status: 'working' }
  const before = following({ lastPollAt: NOW - 40, failureCount: 2 })
  const failure = { ...NEXT, type: 'poll-failed', ms: 40, failureCount: 3 }

  it.each<[what: string, before: Call, event: CallEvent, after: Call, said: readonly object[]]>([
    ['creation', calling, created, following(), [{ ...NEXT, type: 'task-created', ttlMs: 60_000 }]],
    [
      'creation with an interval',
      calling,
      { ...created, task: { ...TASK, pollIntervalMs: 0 } },
      following(),
      [{ ...NEXT, type: 'task-created', ttlMs: 60_000, pollIntervalMs: 0 }],
    ],
    ['creation while nobody observes it', calling, created, resting(), [{ type: 'task-created', ttlMs: 60_000 }]],
    ['record', calling, ADOPTED, following(), [{ ...NEXT, nextReason: 'resumed', type: 'task-resumed' }]],
    ['push that says the same', following(), pushed, following(), [{ ...push, isUnchanged: true }]],
    ['push of a snapshot', following(), pushed, following({ task: changed }), [{ ...push, isUnchanged: false }]],
    ['push before the task is known', calling, pushed, following(), [{ ...push, isUnchanged: false }]],
    ['end of a push', following(), pushChanged, following(), [{ ...NEXT, type: 'push-closed' }]],
    [
      'answer that says the same',
      before,
      message(snapshot),
      following(),
      [{ ...NEXT, type: 'poll-answered', ms: 40, status: 'working', isUnchanged: true }],
    ],
    [
      'answer that asks',
      before,
      message(snapshot),
      following({ inputs: asked }),
      [
        { ...NEXT, type: 'poll-answered', ms: 40, status: 'working', isUnchanged: false },
        { type: 'input-asked', inputKey: 'q' },
      ],
    ],
    [
      'answer to another tab',
      before,
      message(snapshot, false),
      following(),
      [{ type: 'tab-event', status: 'working', isUnchanged: true }],
    ],
    [
      'new answer to another tab',
      before,
      message(snapshot, false),
      following({ task: changed }),
      [{ type: 'tab-event', status: 'working', isUnchanged: false }],
    ],
    [
      'failure',
      before,
      message(failed(busy)),
      following(),
      [{ ...failure, nextReason: 'backoff', kind: 'server', error: busy }],
    ],
    ['failure of another tab', before, message(failed(busy), false), following(), []],
    [
      'breach of the protocol',
      before,
      message({ type: 'ended', error: protocol }),
      following(),
      [{ ...failure, kind: 'protocol', error: protocol }],
    ],
    [
      'failure of another kind',
      before,
      message({ type: 'ended', error: other }),
      following(),
      [{ ...failure, kind: 'other', error: other }],
    ],
    ['end in another tab', before, message({ type: 'ended', error: other }, false), following(), []],
    ['message that is no poll', before, message({ type: 'polling', until: DUE }), following(), []],
    [
      'record that was refused',
      following(),
      { type: 'recorded', record: 'failed' },
      following(),
      [{ type: 'record-failed' }],
    ],
    [
      'record that was removed',
      following(),
      { type: 'recorded', record: 'removed' },
      following(),
      [{ type: 'record-removed' }],
    ],
    ['record that was kept', following(), { type: 'recorded', record: 'kept' }, following(), []],
    ['settling that did not come about', following(), SETTLED, following(), []],
    ['wake', following(), WAKE, following(), []],
    [
      'lead that is gained',
      following({ poller: 'another-tab' }),
      WAKE,
      following({ poller: 'syncing' }),
      [{ type: 'leader-gained' }],
    ],
    ['lead that is lost', following(), WAKE, following({ poller: 'another-tab' }), [{ type: 'leader-lost' }]],
    [
      'refusal of a cancel',
      following({ cancel: 'sending' }),
      WAKE,
      following(),
      [{ type: 'cancel', status: 'refused' }],
    ],
    ['cancel', following(), WAKE, following({ cancel: 'retrying' }), [{ type: 'cancel', status: 'retrying' }]],
  ])('names each %s', (_, was, event, after, said) => {
    expect(observing()(change(was, event, after))).toStrictEqual(said.map((each) => ({ ...TASK_OF_CALL, ...each })))
  })

  it('names the beginning of a push', () => {
    expect(observing()(change(following(), pushChanged, following(), { at: { isPushed: true } }))).toStrictEqual([
      { ...TASK_OF_CALL, ...NEXT, type: 'push-opened' },
    ])
  })

  it('takes the first failure of a call without a task for one, of no duration', () => {
    expect(observing()(change(calling, message(failed(down)), calling))).toStrictEqual([
      { ...CALL, type: 'poll-failed', ms: 0, kind: 'network', error: down, failureCount: 1 },
    ])
  })

  it('takes a push for news where the call has no task, before it and after', () => {
    expect(observing()(change(calling, pushed, calling))).toStrictEqual([
      { ...CALL, type: 'push-event', status: 'working', isUnchanged: false },
    ])
  })

  it('names the record among the effects alone', () => {
    const effects: Effect[] = [{ type: 'poll' }, { type: 'record' }, { type: 'lead' }]
    expect(observing()(change(following(), WAKE, following(), { effects }))).toStrictEqual([
      { ...TASK_OF_CALL, type: 'record-written' },
    ])
  })
})

describe('what is said of the end of a call', () => {
  const cancelled = new TaskCancelledError()
  const error = new Error('no')

  it.each<[phase: string, outcome: Parameters<typeof settled>[0], said: object]>([
    ['completed', { result: { content: [] } }, {}],
    ['completed', { result: { content: [], isError: false } }, {}],
    ['completed', { result: { content: [], isError: true } }, { isError: true }],
    ['failed', { error }, { error }],
    ['cancelled', { error: cancelled }, { error: cancelled }],
  ])('is that it is %s: %o', (phase, outcome, said) => {
    expect(observing()(change(following(), SETTLED, settled(outcome)))).toStrictEqual([
      { ...TASK_OF_CALL, type: 'call-settled', phase, ms: 5000, ...said },
    ])
  })

  it('names no task where there was none', () => {
    expect(observing()(change(calling, SETTLED, settled()))).toStrictEqual([
      { ...CALL, type: 'call-settled', phase: 'completed', ms: 5000 },
    ])
  })
})

describe('what is said of an input request', () => {
  const error = new Error('too long')
  const inputs = (status: InputState['status'] | undefined, more: Partial<InputState> = {}): Inputs =>
    new Map(status && [['q', { request: { method: 'roots/list' }, status, ...more }]])
  const [none, open, sending, answered] = [inputs(undefined), inputs('open'), inputs('sending'), inputs('answered')]

  it.each<[what: string, was: Inputs, is: Inputs, said: readonly object[]]>([
    ['is asked', none, open, [{ type: 'input-asked' }]],
    ['is sent', open, sending, [{ type: 'input-sent' }]],
    ['is sent again', sending, inputs('sending', { isRetrying: true }), []],
    ['is acknowledged', sending, answered, [{ type: 'input-acknowledged' }]],
    ['is rejected', sending, inputs('rejected', { error }), [{ type: 'input-rejected', error }]],
    ['is rejected without a reason', sending, inputs('rejected'), [{ type: 'input-rejected' }]],
    ['goes to a handler', open, inputs('handling'), []],
    ['is withdrawn while it is open', open, none, [{ type: 'input-withdrawn' }]],
    ['is let go of once it is answered', answered, none, []],
    ['stays', open, open, []],
  ])('that %s', (_, was, is, said) => {
    const seen = observing()(change(following({ inputs: was }), WAKE, following({ inputs: is })))
    expect(seen).toStrictEqual(said.map((each) => ({ ...TASK_OF_CALL, ...each, inputKey: 'q' })))
  })

  it('that is asked before there is a task', () => {
    expect(observing()(change(calling, WAKE, { ...calling, inputs: open } as Call))).toStrictEqual([
      { ...CALL, type: 'input-asked', inputKey: 'q' },
    ])
  })

  it.each<[string, Call, CallEvent, readonly string[]]>([
    ['ending', ending(), WAKE, []],
    ['settled', settled(), WAKE, []],
    ['following', following(), WAKE, ['input-withdrawn']],
    ['resting', resting(), WAKE, ['input-withdrawn']],
  ])('that goes as the call is %s', (_, after, event, types) => {
    expect(observing()(change(following({ inputs: open }), event, after)).map(({ type }) => type)).toEqual(types)
  })
})
