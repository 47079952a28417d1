import { describe, expect, it } from 'vitest'
import { TRACKED as BASE } from '../../test/support/trackedCall.js'
import { TaskExpiredError, TaskProtocolError, TaskRequestError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import type { RecordedTask } from '../storage/toolCallRecord.js'
import type {
  Call,
  CallEvent,
  CallIdentity,
  CallRules,
  Circumstances,
  Effect,
  Following,
  Repeating,
  Tracked,
} from './call.js'
import { type Inputs, NO_INPUTS } from './inputs.js'
import { knownMessages } from './knownMessages.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'
import { LEADER_TIMEOUT_MS, MESSAGE_DELAY_MS } from './tabTimes.js'
import type { TaskMessage } from './taskMessage.js'
import { isPolledHere, transition, wakeAt } from './transition.js'

const NOW = 100_000
const INTERVAL = 1000
const roots: InputRequest = { method: 'roots/list' }
const asked = (members: Record<string, 'open' | 'sending' | 'answered' | 'handling'>): Inputs =>
  new Map(Object.entries(members).map(([key, status]) => [key, { request: roots, status }]))

const TASK: Task = {
  taskId: 't1',
  status: 'input_required',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:10Z',
  ttlMs: null,
  pollIntervalMs: INTERVAL,
}
const LATER: Task = { ...TASK, status: 'working', lastUpdatedAt: '2026-07-28T00:00:20Z' }
const OLDER: Task = { ...TASK, status: 'working', lastUpdatedAt: '2026-07-28T00:00:01Z' }
const working = (task = LATER): DetailedTask => ({ ...task, status: 'working' })
const asks = (keys: string[], task = LATER): DetailedTask => ({
  ...task,
  status: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, roots])),
})
const completed: DetailedTask = { ...LATER, status: 'completed', result: { content: [] } }
const recorded = (changes: Partial<RecordedTask> = {}): RecordedTask => ({
  ...LATER,
  taskId: 't2',
  receivedAt: NOW - 5000,
  answered: ['q0'],
  isCancelling: false,
  ...changes,
})

const down = new TaskRequestError('down', { kind: 'network' })
const gone = new TaskExpiredError('unknown-task')
const result = { result: { content: [] } }

const IDENTITY: CallIdentity = { callId: 'c1', name: 'report', key: 'weekly', arguments: { week: 7 }, startedAt: 1 }
const TRACKED: Tracked = {
  ...BASE,
  task: TASK,
  knownAt: NOW,
  receivedAt: NOW - 1000,
  dueAt: NOW + INTERVAL,
  earliestAt: NOW + INTERVAL,
  leaderTimeoutAt: NOW + INTERVAL + LEADER_TIMEOUT_MS,
  inputs: asked({ q1: 'open' }),
}
const following = (changes: Partial<Tracked> = {}): Following => ({
  ...IDENTITY,
  ...TRACKED,
  ...changes,
  stage: 'following',
})

const AT: Circumstances = {
  now: NOW,
  jitter: 0.5,
  isOnline: true,
  isVisible: true,
  isAlone: false,
  isLeader: true,
  isPushed: false,
  isLate: false,
  era: 'modern',
  wasStolen: false,
}
const RULES: CallRules = {
  policy: DEFAULT_POLL_POLICY,
  missingInput: 'wait',
  stuckAfterPolls: 60,
  isHandled: () => false,
  missingCapability: () => undefined,
}

/** What an event makes of a call in these circumstances. */
function next(call: Call, event: CallEvent, at: Partial<Circumstances> = {}, rules: Partial<CallRules> = {}) {
  return transition(call, event, { ...AT, ...at }, { ...RULES, ...rules })
}

/** What a series of events makes of it, each at its time. */
function play(call: Call, ...steps: [event: CallEvent, at?: Partial<Circumstances>][]) {
  let current = call
  const effects: Effect[] = []
  for (const [event, at] of steps) {
    const transition = next(current, event, at)
    current = transition.call
    effects.push(...transition.effects)
  }
  return { call: current, effects, types: effects.map(({ type }) => type) }
}

const wake: CallEvent = { type: 'wake' }
const received = (message: TaskMessage): CallEvent => ({ type: 'message', message, isOwn: false })
const own = (message: TaskMessage): CallEvent => ({ type: 'message', message, isOwn: true })

const repeating = (changes: Partial<Repeating>): Call => ({
  ...IDENTITY,
  stage: 'calling',
  inputs: NO_INPUTS,
  repeating: { error: gone, failureCount: 1, isOffline: false, ...changes },
})

const states = {
  waiting: { ...IDENTITY, stage: 'waiting', for: 'lock' },
  calling: { ...IDENTITY, stage: 'calling', inputs: asked({ q1: 'open' }) },
  repeating: repeating({}),
  'repeating, offline': repeating({ isOffline: true }),
  ours: following(),
  queued: following({ poll: 'queued' }),
  sent: following({ poll: 'sent' }),
  theirs: following({ poller: 'another-tab' }),
  taking: following({ poller: 'syncing', listenUntil: NOW + 100 }),
  checking: following({ poller: 'checking' }),
  offline: following({ blocked: 'offline' }),
  resting: { ...IDENTITY, ...TRACKED, stage: 'resting' },
  ending: { ...IDENTITY, ...TRACKED, inputs: NO_INPUTS, stage: 'ending', end: gone },
  settled: { ...IDENTITY, stage: 'settled', outcome: result, endedAt: 5, task: TASK },
} satisfies Record<string, Call>
type StateName = keyof typeof states

/** What holds in a state beside `AT`. */
const circumstances: Partial<Record<StateName, Partial<Circumstances>>> = {
  theirs: { isLeader: false },
  offline: { isOnline: false },
}

const events = {
  wake: [wake],
  'wake, due': [wake, { now: NOW + INTERVAL }],
  'wake, overdue': [wake, { now: NOW + INTERVAL + LEADER_TIMEOUT_MS }],
  'wake, overdue and late': [wake, { now: NOW + INTERVAL + LEADER_TIMEOUT_MS, isLate: true }],
  'wake, offline': [wake, { isOnline: false }],
  'wake, online': [wake, { isOnline: true }],
  waiting: [{ type: 'waiting', for: 'network' }],
  found: [{ type: 'found', startedAt: 7 }],
  sending: [{ type: 'sending' }],
  'call-failed': [{ type: 'call-failed', error: gone }],
  created: [{ type: 'created', task: { ...LATER, taskId: 't2' }, era: 'modern' }],
  adopted: [{ type: 'adopted', task: recorded(), startedAt: 7, era: 'modern' }],
  recorded: [{ type: 'recorded', record: 'failed' }],
  observed: [{ type: 'observed' }],
  unobserved: [{ type: 'unobserved' }],
  'turn, gained': [{ type: 'leader-changed' }, { isLeader: true }],
  'turn, lost': [{ type: 'leader-changed' }, { isLeader: false }],
  noted: [{ type: 'next-poll-read', nextPollAt: NOW + 5000 }],
  'poll-sent': [{ type: 'poll-sent' }],
  polling: [received({ type: 'polling', until: NOW + 5000 })],
  'poll-aborted': [received({ type: 'poll-aborted', nextPollAt: NOW + 3000 })],
  snapshot: [received({ type: 'snapshot', task: working(), nextPollAt: NOW + 3000 })],
  'own snapshot': [own({ type: 'snapshot', task: working(), nextPollAt: NOW + 3000 })],
  'snapshot of the end': [received({ type: 'snapshot', task: completed, nextPollAt: NOW })],
  'poll-failed': [
    received({
      type: 'poll-failed',
      error: down,
      failureCount: 2,
      network: 'retrying',
      earliestAt: NOW + 1500,
      nextPollAt: NOW + 4000,
    }),
  ],
  ended: [received({ type: 'ended', error: gone })],
  'responded elsewhere': [received({ type: 'responded', inputKey: 'q1' })],
  'cancelling elsewhere': [received({ type: 'cancelling', isCancelling: true })],
  pushed: [{ type: 'pushed', task: working() }],
  'pushed, stale': [{ type: 'pushed', task: working(OLDER) }],
  'push-changed': [{ type: 'push-changed' }, { isPushed: true }],
  hint: [{ type: 'hint' }],
  online: [{ type: 'online' }, { isOnline: true }],
  'page-shown': [{ type: 'page-shown' }, { now: NOW + 1500 }],
  'clock-set-back': [{ type: 'clock-set-back', by: 600 }, { now: NOW - 600 }],
  progress: [{ type: 'progress', progress: { progress: 2, total: 5 } }],
  asked: [{ type: 'asked', inputKey: 'q2', request: roots }],
  input: [{ type: 'input', inputKey: 'q1', input: { status: 'sending' } }],
  'input, unknown': [{ type: 'input', inputKey: 'q9', input: { status: 'sending' } }],
  responded: [{ type: 'responded', inputKey: 'q1' }],
  cancel: [{ type: 'cancel', status: 'sending' }],
  settled: [{ type: 'settled', outcome: result }],
} satisfies Record<string, [CallEvent, Partial<Circumstances>?]>
type EventName = keyof typeof events

/** What an event changes, and what is to be done. What is not in the table changes nothing, not even the reference. */
interface Cell {
  readonly changes: Record<string, unknown>
  readonly effects?: readonly Effect[]
}
type Row = { readonly [name in EventName]?: Cell | undefined }

const due = (dueAt: number, earliestAt = dueAt) => ({
  dueAt,
  earliestAt,
  leaderTimeoutAt: dueAt + LEADER_TIMEOUT_MS,
  wasLate: false,
})
const poll: Effect = { type: 'poll' }
const ended = { stage: 'ending', poll: 'idle', blocked: undefined, failure: undefined, inputs: NO_INPUTS }
const answered = { answered: ['q1'], inputs: asked({ q1: 'answered' }) }
const newTask = {
  task: { ...LATER, taskId: 't2' },
  knownAt: NOW,
  inputs: NO_INPUTS,
  poll: 'idle',
  blocked: undefined,
  failure: undefined,
  stage: 'following',
}
const created: Cell = {
  changes: {
    ...newTask,
    ...due(NOW + INTERVAL),
    receivedAt: NOW,
    record: 'unwritten',
    poller: 'this-tab',
    listenUntil: 0,
    answered: [],
  },
  effects: [{ type: 'record' }],
}
const adopted: Cell = {
  changes: {
    ...newTask,
    startedAt: 7,
    ...due(NOW),
    knownAt: NOW - 5000,
    receivedAt: NOW - 5000,
    record: 'assumed',
    poller: 'syncing',
    listenUntil: NOW + MESSAGE_DELAY_MS,
    answered: ['q0'],
  },
}
const snapshot = { task: LATER, snapshotAt: NOW, knownAt: NOW, inputs: NO_INPUTS }
const settled = (task?: Task): Cell => ({
  changes: { stage: 'settled', outcome: result, endedAt: NOW, ...(task && { task }) },
})
const setBack: Cell = {
  changes: {
    knownAt: NOW - 600,
    receivedAt: NOW - 1600,
    dueAt: NOW + 400,
    earliestAt: NOW + 400,
    listenUntil: -600,
    foreignPollUntil: -600,
    foreignPollAt: -600,
    lastPollAt: -600,
    leaderTimeoutAt: NOW + 1400,
    progressAt: undefined,
  },
}

const progressed: Cell = { changes: { progress: { progress: 2, total: 5 }, progressAt: NOW } }

/** What holds for a call that has become a task and has not ended, whoever polls it. */
const tracked: Row = {
  progress: progressed,
  created,
  adopted,
  recorded: { changes: { record: 'failed' } },
  'clock-set-back': setBack,
  input: { changes: { inputs: asked({ q1: 'sending' }) } },
  responded: {
    changes: answered,
    effects: [{ type: 'record' }, { type: 'post', message: { type: 'responded', inputKey: 'q1' } }],
  },
  cancel: {
    changes: { cancel: 'sending' },
    effects: [{ type: 'record' }, { type: 'post', message: { type: 'cancelling', isCancelling: true } }],
  },
  settled: settled(TASK),
}

/** What holds for a call that is followed while it does not poll. */
const followed: Row = {
  ...tracked,
  'wake, offline': { changes: { blocked: 'offline' } },
  unobserved: { changes: { stage: 'resting', poll: 'idle', blocked: undefined } },
  'turn, lost': { changes: { poller: 'another-tab' } },
  'poll-sent': { changes: { poll: 'sent', lastPollAt: NOW, ...due(NOW + INTERVAL) } },
  polling: {
    changes: { foreignPollUntil: NOW + 5000, foreignPollAt: NOW, leaderTimeoutAt: NOW + 5000 + LEADER_TIMEOUT_MS },
  },
  'poll-aborted': { changes: due(NOW + 3000) },
  snapshot: { changes: { ...snapshot, ...due(NOW + 3000, NOW + INTERVAL) } },
  'own snapshot': { changes: { ...snapshot, poll: 'idle', ...due(NOW + 3000, NOW + INTERVAL) } },
  'snapshot of the end': {
    changes: { ...ended, end: completed, task: { ...LATER, status: 'completed' } },
    effects: [{ type: 'end', end: completed as Extract<DetailedTask, { status: 'completed' }> }],
  },
  'poll-failed': {
    changes: { ...due(NOW + 4000, NOW + 1500), failureCount: 2, failure: { error: down, network: 'retrying' } },
    effects: [{ type: 'report', error: down, operation: 'poll' }],
  },
  ended: { changes: { ...ended, end: gone }, effects: [{ type: 'end', end: gone }] },
  'responded elsewhere': { changes: answered, effects: [{ type: 'record', ifMissing: true }] },
  'cancelling elsewhere': { changes: { cancel: 'requested' }, effects: [{ type: 'record', ifMissing: true }] },
  pushed: {
    changes: { ...snapshot, ...due(NOW + INTERVAL) },
    effects: [{ type: 'post', message: { type: 'snapshot', task: working(), nextPollAt: NOW + INTERVAL } }],
  },
  // What is known may be wrong: the next poll, which the server allows by then, says.
  'pushed, stale': { changes: due(NOW + INTERVAL) },
  hint: { changes: { isHinted: true } },
  'page-shown': { changes: { leaderTimeoutAt: NOW + 1500 + LEADER_TIMEOUT_MS } },
}

const queue: Cell = { changes: { poll: 'queued' }, effects: [poll] }
const check: Cell = { changes: { poller: 'checking' }, effects: [{ type: 'read-next-poll' }] }
const ours: Row = {
  ...followed,
  'wake, due': queue,
  'wake, overdue': queue,
  'wake, overdue and late': queue,
  'push-changed': { changes: due(NOW + 30_000, NOW + INTERVAL) },
  hint: { changes: { isHinted: true, ...due(NOW), poll: 'queued' }, effects: [poll] },
  'page-shown': { changes: { leaderTimeoutAt: NOW + 1500 + LEADER_TIMEOUT_MS, poll: 'queued' }, effects: [poll] },
}
const { 'wake, offline': _offline, 'pushed, stale': _stale, ...polling } = followed

const table: Record<StateName, Row> = {
  waiting: {
    progress: progressed,
    waiting: { changes: { for: 'network' } },
    found: { changes: { startedAt: 7 } },
    sending: { changes: { stage: 'calling', inputs: NO_INPUTS } },
    created,
    adopted,
    settled: settled(),
  },
  calling: {
    progress: progressed,
    found: { changes: { startedAt: 7 } },
    created,
    adopted,
    asked: { changes: { inputs: asked({ q1: 'open', q2: 'open' }) } },
    input: { changes: { inputs: asked({ q1: 'sending' }) } },
    'call-failed': {
      changes: { inputs: NO_INPUTS, repeating: { error: gone, failureCount: 1, isOffline: false } },
    },
    settled: settled(),
  },
  repeating: {
    progress: progressed,
    waiting: { changes: { repeating: { error: gone, failureCount: 1, isOffline: true } } },
    found: { changes: { startedAt: 7 } },
    created,
    adopted,
    asked: { changes: { inputs: asked({ q2: 'open' }) } },
    'call-failed': { changes: { repeating: { error: gone, failureCount: 2, isOffline: false } } },
    settled: settled(),
  },
  'repeating, offline': {
    progress: progressed,
    sending: { changes: { repeating: { error: gone, failureCount: 1, isOffline: false } } },
    found: { changes: { startedAt: 7 } },
    created,
    adopted,
    asked: { changes: { inputs: asked({ q2: 'open' }) } },
    'call-failed': { changes: { repeating: { error: gone, failureCount: 2, isOffline: false } } },
    settled: settled(),
  },
  ours,
  // One poll at a time: nothing but its response, or what takes its place, makes the next one.
  queued: polling,
  sent: polling,
  theirs: {
    ...followed,
    created: { ...created, changes: { ...created.changes, poller: 'another-tab' } },
    adopted: { changes: { ...adopted.changes, poller: 'another-tab', listenUntil: 0 } },
    'wake, overdue': {
      changes: { leaderTimeoutAt: NOW + INTERVAL + 2 * LEADER_TIMEOUT_MS },
      effects: [{ type: 'lead' }],
    },
    'wake, overdue and late': {
      changes: { wasLate: true, leaderTimeoutAt: NOW + INTERVAL + LEADER_TIMEOUT_MS + MESSAGE_DELAY_MS },
    },
    'turn, gained': check,
    'turn, lost': undefined,
  },
  taking: {
    ...followed,
    'wake, due': check,
    'wake, overdue': check,
    'wake, overdue and late': check,
    'clock-set-back': { changes: { ...setBack.changes, listenUntil: NOW + 100 - 600 } },
    'page-shown': {
      changes: { leaderTimeoutAt: NOW + 1500 + LEADER_TIMEOUT_MS, poller: 'checking' },
      effects: [{ type: 'read-next-poll' }],
    },
  },
  checking: {
    ...followed,
    noted: { changes: { poller: 'this-tab', ...due(NOW + 5000) } },
  },
  offline: {
    ...followed,
    'wake, offline': undefined,
    'wake, online': { changes: { blocked: undefined } },
    online: { changes: { blocked: undefined } },
    created: { ...created, changes: { ...created.changes, blocked: 'offline' } },
    adopted: { changes: { ...adopted.changes, blocked: 'offline' } },
    'push-changed': { changes: due(NOW + 30_000, NOW + INTERVAL) },
    hint: { changes: { isHinted: true, ...due(NOW) } },
  },
  resting: {
    ...tracked,
    found: { changes: { startedAt: 7 } },
    created: { ...created, changes: { ...created.changes, stage: 'resting' } },
    adopted: { changes: { ...adopted.changes, stage: 'resting' } },
    observed: { changes: { stage: 'following', poller: 'syncing', listenUntil: NOW + MESSAGE_DELAY_MS } },
  },
  ending: {
    progress: progressed,
    found: { changes: { startedAt: 7 } },
    recorded: { changes: { record: 'failed' } },
    'clock-set-back': setBack,
    settled: settled(TASK),
  },
  settled: {},
}

const cells = Object.keys(states).flatMap((state) =>
  Object.keys(events).map((event) => [state as StateName, event as EventName] as const),
)

describe('transition', () => {
  it('has a row in its table for every event', () => {
    const types: Record<CallEvent['type'], true> = {
      wake: true,
      waiting: true,
      found: true,
      sending: true,
      'call-failed': true,
      created: true,
      adopted: true,
      recorded: true,
      observed: true,
      unobserved: true,
      'leader-changed': true,
      'next-poll-read': true,
      'poll-sent': true,
      message: true,
      pushed: true,
      'push-changed': true,
      hint: true,
      online: true,
      'page-shown': true,
      'clock-set-back': true,
      progress: true,
      asked: true,
      input: true,
      responded: true,
      cancel: true,
      settled: true,
    }
    expect([...new Set(Object.values(events).map(([{ type }]) => type))].sort()).toEqual(Object.keys(types).sort())
  })

  it.each(cells)('of a call that is %s, on %s', (name, eventName) => {
    const before: Call = states[name]
    const [event, at] = events[eventName]
    const copy = { ...before }
    const { call, effects } = next(before, event, { ...circumstances[name], ...at })
    const cell = table[name][eventName]
    const isSettled = cell?.changes['stage'] === 'settled'
    const isTracking = cell !== undefined && (eventName === 'created' || eventName === 'adopted')
    const base = isTracking ? { ...IDENTITY, ...TRACKED } : isSettled ? IDENTITY : before
    expect(call).toEqual({ ...base, ...cell?.changes })
    expect(cell === undefined ? call : before).toBe(before)
    expect(isSettled && 'inputs' in call).toBe(false)
    expect(effects).toEqual(cell?.effects ?? [])
    // The value before is left alone.
    expect(before).toEqual(copy)
  })
})

describe('a call that is settled', () => {
  it('stays as it is, whatever happens', () => {
    for (const [event, at] of Object.values(events)) {
      const { call, effects } = next(states.settled, event, at)
      expect(call).toBe(states.settled)
      expect(effects).toEqual([])
    }
  })

  it('has the snapshot of its end, or the last one that is known', () => {
    const end = completed as Extract<DetailedTask, { status: 'completed' }>
    const settle: CallEvent = { type: 'settled', outcome: result }
    const task = { ...LATER, status: 'completed' as const }
    expect(next({ ...states.ending, end, task }, settle).call).toMatchObject({ task })
    expect(next({ ...states.ending, end: gone }, settle).call).toMatchObject({ task: TASK })
    expect(next(states.calling, settle).call).not.toHaveProperty('task')
    // The one that a record names, where this page has not followed it.
    expect(next(states.calling, { ...settle, task: TASK }).call).toMatchObject({ task: TASK })
  })
})

describe('a task', () => {
  const pollAt = (task: Task) => {
    const { call } = next(states.calling, { type: 'created', task, era: 'modern' })
    return 'dueAt' in call ? call.dueAt - NOW : undefined
  }

  it('that was born terminal is polled at once, any other one an interval later', () => {
    const { types } = play(states.calling, [{ type: 'created', task: { ...LATER, status: 'failed' }, era: 'modern' }])
    expect(types).toEqual(['record', 'poll'])
    expect(pollAt(LATER)).toBe(INTERVAL)
    expect(pollAt({ ...LATER, pollIntervalMs: 7000 })).toBe(7000)
  })

  it('that asks for a longer interval than its ttl is polled soon after that', () => {
    expect(pollAt({ ...LATER, pollIntervalMs: 1e12, ttlMs: 60_000 })).toBe(60_000 + DEFAULT_POLL_POLICY.maxMs)
  })

  it('that a record names is polled when the record says, by a page that is alone', () => {
    const adopt = (nextPollAt: number) =>
      next(
        states.waiting,
        { type: 'adopted', task: recorded({ nextPollAt }), startedAt: 7, era: 'legacy' },
        { isAlone: true },
      )
    const later = adopt(NOW + 4000)
    expect(later.call).toMatchObject({ poller: 'this-tab', dueAt: NOW + 4000, era: 'legacy', answered: ['q0'] })
    expect(later.effects).toEqual([])
    expect(adopt(NOW - 4000).effects).toEqual([poll])
  })

  it('that a record says to be cancelling is, and is not recorded again', () => {
    const task = recorded({ isCancelling: true, nextPollAt: NOW + 4000 })
    const { call, effects } = next(states.waiting, { type: 'adopted', task, startedAt: 7, era: 'modern' })
    expect(call).toMatchObject({ cancel: 'requested', record: 'assumed' })
    expect(effects).toEqual([])
  })
})

describe('a call of which nothing changes', () => {
  it.each([
    ['waits for the lock', states.waiting, { type: 'waiting', for: 'lock' }],
    ['is recorded', following({ record: 'kept' }), { type: 'recorded', record: 'kept' }],
  ] satisfies [string, Call, CallEvent][])('that %s, as before, keeps its reference', (_, call, event) => {
    expect(next(call, event).call).toBe(call)
  })
})

describe('a record that was removed', () => {
  it('does not come back, whatever is written meanwhile', () => {
    const removed = next(following(), { type: 'recorded', record: 'removed' }).call
    expect(next(removed, { type: 'recorded', record: 'kept' }).call).toBe(removed)
  })
})

/** The timelines of following.ts, one test each. */
describe('the schedule', () => {
  const sentAt = (now: number): [CallEvent, Partial<Circumstances>] => [{ type: 'poll-sent' }, { now }]

  it('is one interval after each response: response ── interval ──▶ poll', () => {
    const { call, types } = play(
      following(),
      [wake, { now: NOW + 1000 }],
      sentAt(NOW + 1000),
      [own({ type: 'snapshot', task: working(), nextPollAt: NOW + 2300 }), { now: NOW + 1300 }],
      [wake, { now: NOW + 2299 }],
    )
    expect(types).toEqual(['poll'])
    expect(wakeAt(call)).toBe(NOW + 2300)
    expect(play(call, [wake, { now: NOW + 2300 }]).types).toEqual(['poll'])
  })

  it('is the wait of the failure after a poll that failed: failure ── max(interval, backoff, Retry-After) ─▶ poll', () => {
    const failure = { error: down, failureCount: 1, network: 'retrying' as const }
    const { call } = play(following({ poll: 'sent' }), [
      own({ type: 'poll-failed', ...failure, earliestAt: NOW + 1000, nextPollAt: NOW + 8000 }),
    ])
    expect(wakeAt(call)).toBe(NOW + 8000)
    // Back online the backoff is cut short, what the server asked for is not.
    const offline = play(call, [wake, { isOnline: false, now: NOW + 100 }]).call
    const online = play(offline, [{ type: 'online' }, { now: NOW + 200 }]).call
    expect(wakeAt(online)).toBe(NOW + 1000)
  })

  it('is what another tab says, as long as that tab leads: its response ── its next poll ──▶ poll', () => {
    const { call, types } = play(
      following({ poller: 'another-tab' }),
      [received({ type: 'snapshot', task: working(), nextPollAt: NOW + 3000 }), { isLeader: false }],
      [wake, { now: NOW + 3999, isLeader: false }],
    )
    expect(types).toEqual([])
    expect(wakeAt(call)).toBe(NOW + 3000 + LEADER_TIMEOUT_MS)
  })

  it('is the safety interval after a pushed snapshot, or one interval as soon as the push is over', () => {
    const pushed = play(following({ dueAt: NOW, earliestAt: NOW }), [
      { type: 'pushed', task: working() },
      { isPushed: true },
    ])
    expect(wakeAt(pushed.call)).toBe(NOW + 30_000)
    const over = play(pushed.call, [{ type: 'push-changed' }, { now: NOW + 400 }])
    expect(wakeAt(over.call)).toBe(NOW + 1000)
    const overLate = play(pushed.call, [{ type: 'push-changed' }, { now: NOW + 5000 }])
    expect(overLate.types).toEqual(['poll'])
  })

  it('is now when the server hints, but never earlier than minIntervalMs after the last poll was sent', () => {
    const { minIntervalMs } = DEFAULT_POLL_POLICY
    const answered = own({ type: 'snapshot', task: working(), nextPollAt: NOW + 1010 })
    const hint: CallEvent = { type: 'hint' }
    const hinted = play(following(), [hint], sentAt(NOW), [answered, { now: NOW + 10 }], [hint, { now: NOW + 20 }])
    expect(hinted.types).toEqual(['poll'])
    expect(wakeAt(hinted.call)).toBe(NOW + minIntervalMs)
    // However many there are, the next poll is for all of them, and after it the interval of the server counts.
    const again = play(
      hinted.call,
      [hint, { now: NOW + 30 }],
      [wake, { now: NOW + minIntervalMs }],
      sentAt(NOW + minIntervalMs),
      [answered, { now: NOW + 60 }],
    )
    expect(again.types).toEqual(['poll'])
    expect(wakeAt(again.call)).toBe(NOW + 1010)
  })

  it('is as soon after a poll that is under way when the server hints', () => {
    const response = own({ type: 'snapshot', task: working(), nextPollAt: NOW + 1500 })
    const { call, types } = play(following(), sentAt(NOW), [{ type: 'hint' }, { now: NOW + 10 }])
    expect(types).toEqual([])
    expect(play(call, [response, { now: NOW + 500 }]).types).toEqual(['poll'])
    // The page is going away: it is not to have a request under way.
    const aborted = play(call, [own({ type: 'poll-aborted', nextPollAt: NOW + 1000 }), { now: NOW + 20 }])
    expect(aborted.types).toEqual([])
    expect(wakeAt(aborted.call)).toBe(NOW + 1000)
  })

  it('is brought forward by a hint only as far as the server allows while polls fail', () => {
    const failure = { error: down, failureCount: 1, network: 'retrying' as const }
    const { call } = play(
      following({ poll: 'sent' }),
      [own({ type: 'poll-failed', ...failure, earliestAt: NOW + 3000, nextPollAt: NOW + 8000 })],
      [{ type: 'hint' }],
    )
    expect(wakeAt(call)).toBe(NOW + 3000)
  })

  it('is not changed by the push where polls fail, or are under way, or another tab polls', () => {
    for (const call of [
      following({ failureCount: 1 }),
      following({ poll: 'sent' }),
      following({ poller: 'another-tab' }),
      following({ poller: 'syncing', listenUntil: NOW + 100 }),
    ]) {
      expect(next(call, { type: 'push-changed' }, { isPushed: true }).call).toBe(call)
    }
  })

  it('counts from the sending of a poll that is cut off', () => {
    const { call } = play(
      following({ poll: 'queued', dueAt: NOW, earliestAt: NOW }),
      sentAt(NOW + 50),
      [{ type: 'unobserved' }, { now: NOW + 100 }],
      [{ type: 'observed' }, { now: NOW + 200, isAlone: true }],
    )
    expect(wakeAt(call)).toBe(NOW + 1050)
  })

  it('is not put off by a hint where the next poll is nearer, or was due while this page was offline', () => {
    const hint: CallEvent = { type: 'hint' }
    const polling = play(following({ dueAt: NOW + 20, earliestAt: NOW + 20, foreignPollAt: NOW }), [hint])
    expect(wakeAt(polling.call)).toBe(NOW + 20)
    const offline = following({ dueAt: NOW - 500, earliestAt: NOW - 500, blocked: 'offline' })
    expect(next(offline, hint, { isOnline: false }).call).toEqual({ ...offline, isHinted: true })
  })

  it('stays as it is after the hint that has brought it forward', () => {
    const hinted = play(following({ lastPollAt: NOW }), [{ type: 'hint' }]).call
    expect(wakeAt(hinted)).toBe(NOW + DEFAULT_POLL_POLICY.minIntervalMs)
    expect(next(hinted, wake, { now: NOW + 10 }).call).toBe(hinted)
  })

  it('waits for the poll that another tab has under way, also where this tab leads and the task is due', () => {
    const { call, types } = play(following({ foreignPollUntil: NOW + 9000 }), [wake, { now: NOW + 8999 }])
    expect(types).toEqual([])
    expect(play(call, [wake, { now: NOW + 9000 }]).types).toEqual(['poll'])
  })

  it('makes one poll of a sleep, however long that was', () => {
    const { call, types } = play(
      following(),
      [wake, { now: NOW + 3_600_000, isLate: true }],
      [wake, { now: NOW + 3_600_001 }],
      sentAt(NOW + 3_600_001),
      [own({ type: 'snapshot', task: working(), nextPollAt: NOW + 3_601_001 }), { now: NOW + 3_600_001 }],
      [wake, { now: NOW + 3_600_500 }],
    )
    expect(types).toEqual(['poll'])
    expect(wakeAt(call)).toBe(NOW + 3_601_001)
  })
})

describe('a page that is not to poll', () => {
  it('waits offline and hidden without a time, and polls when it is neither', () => {
    const policy = { ...DEFAULT_POLL_POLICY, hidden: 'pause' as const }
    const offline = next(following(), wake, { isOnline: false }).call
    expect(wakeAt(offline)).toBeUndefined()
    expect(offline).toMatchObject({ blocked: 'offline' })
    const hidden = next(offline, wake, { isVisible: false }, { policy })
    expect(hidden.call).toMatchObject({ blocked: 'paused' })
    expect(next(hidden.call, wake, { now: NOW + 1000 }, { policy }).effects).toEqual([poll])
  })

  it('is not paused by being hidden, unless the app wants it', () => {
    const call = following()
    expect(next(call, wake, { isVisible: false }).call).toBe(call)
  })

  it.each([
    ['goes offline', following({ dueAt: NOW + 8000 }), false],
    ['goes offline during a poll', following({ dueAt: NOW + 8000, poll: 'sent' }), false],
    ['is back online during a poll', following({ dueAt: NOW + 8000, poll: 'sent' }), true],
  ])('does not cut a backoff short where it %s', (_, call, isOnline) => {
    expect(next(call, { type: 'online' }, { isOnline }).call).toMatchObject({ dueAt: NOW + 8000 })
  })

  it('back online polls no later than it would have', () => {
    const call = following({ dueAt: NOW + 50, earliestAt: NOW + 50, blocked: 'offline' })
    expect(wakeAt(next(call, { type: 'online' }).call)).toBe(NOW + 50)
  })

  it('back online spreads also a poll that is due in this moment', () => {
    const call = following({ dueAt: NOW, earliestAt: NOW, blocked: 'offline' })
    const online = next(call, { type: 'online' })
    expect(online.effects).toEqual([])
    expect(wakeAt(online.call)).toBe(NOW + 100)
  })

  it('back online polls an overdue task within 200 ms, not in the same moment as all others', () => {
    const call = following({ dueAt: NOW - 60_000, earliestAt: NOW - 60_000, blocked: 'offline' })
    const online = (jitter: number) => next(call, { type: 'online' }, { jitter }).call
    expect(online(0)).toMatchObject({ poll: 'queued' })
    expect(wakeAt(online(0.25))).toBe(NOW + 50)
    expect(wakeAt(online(0.99))).toBe(NOW + 198)
  })
})

describe('taking over', () => {
  const theirs = following({
    poller: 'another-tab',
    dueAt: NOW,
    earliestAt: NOW,
    leaderTimeoutAt: NOW + LEADER_TIMEOUT_MS,
  })
  const gain: CallEvent = { type: 'leader-changed' }
  const note = (nextPollAt?: number | 'unreadable'): CallEvent => ({ type: 'next-poll-read', nextPollAt })

  it('reads what the leader before has noted, for it may have received no message', () => {
    // tab A  polls ── response ── notes the next poll ─ closed
    // tab B  opens ▪ in the cache ▪ frozen              takes over: reads the note
    const { call, types } = play(theirs, [gain, { now: NOW + 500 }], [note(NOW + 4000), { now: NOW + 501 }])
    expect(types).toEqual(['read-next-poll'])
    expect(call).toMatchObject({ poller: 'this-tab' })
    expect(wakeAt(call)).toBe(NOW + 4000)
  })

  it('listens first where it has slept over the time to take over by itself', () => {
    // tab A  polls ── 429: not before 10:00:09 ─ closed
    // tab B  frozen ··································· wakes ─ takes over ─ receives A's message
    const now = NOW + LEADER_TIMEOUT_MS
    const { call, types } = play(theirs, [gain, { now }])
    expect(types).toEqual([])
    expect(wakeAt(call)).toBe(now + MESSAGE_DELAY_MS)
    expect(play(call, [wake, { now: now + MESSAGE_DELAY_MS }]).types).toEqual(['read-next-poll'])
  })

  it('polls an interval after a poll that the tab before has not finished', () => {
    // tab A  polls ─ crashed
    // tab B  receives it      takes over: one interval later
    const { call, types } = play(
      theirs,
      [received({ type: 'polling', until: NOW + 5000 }), { isLeader: false }],
      [gain, { now: NOW + 200 }],
      [note(), { now: NOW + 200 }],
    )
    expect(types).toEqual(['post', 'read-next-poll'])
    expect(wakeAt(call)).toBe(NOW + 1000)
  })

  it('after a crash tells the others that the poll is over, for one that takes over next', () => {
    // tab A  polls ─ crashed
    // tab B                   leads, hidden: the poll is over ─┐
    // tab C                                                    └─ can be seen: takes over
    const polling = received({ type: 'polling', until: NOW + 5000 })
    const away = { isLeader: false }
    const heir = play(theirs, [polling, away], [gain, { now: NOW + 200 }])
    const message = { type: 'poll-aborted', nextPollAt: NOW + 1000 } as const
    expect(heir.effects).toContainEqual({ type: 'post', message })

    const inFront = play(
      theirs,
      [polling, away],
      [gain, { now: NOW + 300, wasStolen: true }],
      [received(message), { now: NOW + 310 }],
    )
    expect(inFront.types).toEqual(['read-next-poll'])
    expect(wakeAt(play(inFront.call, [note(), { now: NOW + 311 }]).call)).toBe(NOW + 1000)
  })

  it('waits an interval for a note that the storage does not give away, and tells the others', () => {
    // tab A  polls ── 429: not before 10:00:09 ─ notes it ─ closed
    // tab B  opens                                          takes over: the storage fails
    const { call, effects } = play(theirs, [gain, { now: NOW + 500 }], [note('unreadable'), { now: NOW + 501 }])
    expect(wakeAt(call)).toBe(NOW + 1501)
    expect(effects).toContainEqual({ type: 'post', message: { type: 'poll-aborted', nextPollAt: NOW + 1501 } })
  })

  it('tells the others of the backoff, too, where polls fail', () => {
    const failing = { ...theirs, failureCount: 3, dueAt: NOW + 20_000 }
    const { call, effects } = play(failing, [gain, { now: NOW + 500 }], [note('unreadable'), { now: NOW + 501 }])
    expect(wakeAt(call)).toBe(NOW + 20_000)
    expect(effects).toContainEqual({ type: 'post', message: { type: 'poll-aborted', nextPollAt: NOW + 20_000 } })
  })

  it('does not wait for it where it has stolen the lead: two tabs that do so in turn would never poll', () => {
    const at = { now: NOW + 500, wasStolen: true }
    const { types } = play(theirs, [gain, at], [note('unreadable'), at])
    expect(types).toEqual(['read-next-poll', 'poll'])
  })

  it('from a tab that lives waits for the poll that this may have under way', () => {
    const { call, types } = play(
      theirs,
      [received({ type: 'polling', until: NOW + 5000 }), { isLeader: false }],
      [gain, { now: NOW + 200, wasStolen: true }],
    )
    expect(types).toEqual([])
    expect(wakeAt(call)).toBe(NOW + 5000)
    // Its response comes: there is nothing more to wait for.
    const message = received({ type: 'snapshot', task: working(), nextPollAt: NOW + 1300 })
    expect(play(call, [message, { now: NOW + 300 }]).types).toEqual(['read-next-poll'])
  })

  it('polls as soon as the server allows where the tab before was pushed to, and at its time where polls fail', () => {
    const pushed = following({ poller: 'checking', dueAt: NOW + 30_000, earliestAt: NOW + 1000 })
    expect(wakeAt(next(pushed, note()).call)).toBe(NOW + 1000)
    const failing = following({ poller: 'checking', dueAt: NOW + 8000, earliestAt: NOW + 1000, failureCount: 3 })
    expect(wakeAt(next(failing, note()).call)).toBe(NOW + 8000)
  })

  it('takes the lead when the other tab is overdue, a late timer listening first, once', () => {
    const isLeader = false
    const late = { now: NOW + 60_000, isLate: true, isLeader }
    const first = play(theirs, [wake, late])
    expect(first.types).toEqual([])
    expect(wakeAt(first.call)).toBe(NOW + 60_000 + MESSAGE_DELAY_MS)
    const second = play(first.call, [wake, { ...late, now: NOW + 120_000 }])
    expect(second.types).toEqual(['lead'])
    // Where the lead is not granted at once, it is asked for once a second.
    expect(wakeAt(second.call)).toBe(NOW + 120_000 + LEADER_TIMEOUT_MS)
  })

  it('waits until the task is due, although the poll that the other tab had under way is long overdue', () => {
    const polled = play({ ...theirs, dueAt: NOW + 20_000 }, [
      received({ type: 'polling', until: NOW + 5000 }),
      { isLeader: false },
    ]).call
    expect(wakeAt(polled)).toBe(NOW + 20_000)
    expect(play(polled, [wake, { now: NOW + 19_999, isLeader: false }]).types).toEqual([])
    expect(play(polled, [wake, { now: NOW + 20_000, isLeader: false }]).types).toEqual(['lead'])
  })

  it('tells the others nothing of a poll whose time is over', () => {
    const { types } = play(
      theirs,
      [received({ type: 'polling', until: NOW + 5000 }), { isLeader: false }],
      [gain, { now: NOW + 5000 }],
    )
    expect(types).toEqual(['read-next-poll'])
  })

  it('is over where the lead is lost again before the note was read', () => {
    const { call } = play(theirs, [gain], [{ type: 'leader-changed' }, { isLeader: false }], [note(NOW)])
    expect(call).toMatchObject({ poller: 'another-tab' })
    expect(isPolledHere(call)).toBe(false)
  })

  it('is for a tab that is overdue, not for one that has just posted', () => {
    const posted = play(theirs, [received({ type: 'poll-aborted', nextPollAt: NOW + 2000 }), { isLeader: false }])
    expect(wakeAt(posted.call)).toBe(NOW + 2000 + LEADER_TIMEOUT_MS)
  })
})

describe('a message of another tab', () => {
  const failed = { error: down, failureCount: 1, network: 'retrying' as const }

  it('never brings the next poll forward: it may have waited for this page to wake up', () => {
    // tab B  polls ── response: not before NOW + 3 ─ closed
    // tab A  frozen ·················· wakes ─ polls ── response: not before NOW + 9 ─ receives B's
    const { call } = play(
      following({ poll: 'sent' }),
      [own({ type: 'snapshot', task: working({ ...LATER, pollIntervalMs: 9000 }), nextPollAt: NOW + 9000 })],
      [received({ type: 'snapshot', task: working(OLDER), nextPollAt: NOW + 3000 }), { now: NOW + 10 }],
      [received({ type: 'poll-aborted', nextPollAt: NOW + 3000 }), { now: NOW + 20 }],
    )
    expect(call).toMatchObject({ task: { ...LATER, pollIntervalMs: 9000 } })
    expect(wakeAt(call)).toBe(NOW + 9000)
  })

  it.each([
    ['snapshot', { type: 'snapshot' as const, task: working(), nextPollAt: NOW + 1300 }],
    ['failure', { type: 'poll-failed' as const, ...failed, earliestAt: NOW + 1300, nextPollAt: NOW + 2000 }],
  ])('holds where it arrives during a poll of this tab whose response, a %s, asks for less', (_, response) => {
    const { call } = play(
      following({ dueAt: NOW }),
      [wake],
      [{ type: 'poll-sent' }],
      [
        received({ type: 'poll-failed', ...failed, earliestAt: NOW + 4200, nextPollAt: NOW + 4200 }),
        { now: NOW + 200 },
      ],
      [own(response), { now: NOW + 300 }],
    )
    expect(call).toMatchObject({ poll: 'idle', earliestAt: NOW + 4200 })
    expect(wakeAt(call)).toBe(NOW + 4200)
  })

  it.each([
    ['that credentials are missing', received, 'paused', ['report', 'hold-sign-in']],
    ['that the network is down', received, 'retrying', ['report']],
    ['what a poll of this tab, which knows already, came to', own, 'paused', ['report']],
  ] as const)('holds the sign-in here where it says %s', (_, from, network, types) => {
    const message = { type: 'poll-failed' as const, ...failed, network, earliestAt: NOW, nextPollAt: NOW + 1000 }
    expect(play(following({ poll: 'sent' }), [from(message)]).types).toEqual(types)
  })

  it('says what the server asked for where that is longer than the interval of the snapshot that counts', () => {
    const outdated = own({
      type: 'snapshot',
      task: working({ ...OLDER, pollIntervalMs: 9000 }),
      nextPollAt: NOW + 9000,
    })
    const { call: other } = play(following({ poll: 'sent', task: LATER }), [outdated])
    const call = knownMessages(other as Following, NOW).reduce<Call>(
      (known, message) => next(known, received(message), { isLeader: false }).call,
      following({ poller: 'another-tab', dueAt: NOW, earliestAt: NOW }),
    )
    expect(call).toMatchObject({ task: LATER, dueAt: NOW + 9000, earliestAt: NOW + 9000 })
  })

  it('that ends the task while a poll is under way ends the call, and the response comes to nothing', () => {
    const { call, types } = play(
      following({ poll: 'sent' }),
      [received({ type: 'snapshot', task: completed, nextPollAt: NOW })],
      [own({ type: 'snapshot', task: working(), nextPollAt: NOW + 1000 })],
      [own({ type: 'ended', error: gone })],
    )
    expect(types).toEqual(['end'])
    expect(call).toMatchObject({ stage: 'ending', end: completed })
  })
})

describe('a snapshot', () => {
  const take = (task: DetailedTask, call: Call = following(), rules: Partial<CallRules> = {}) =>
    next(call, own({ type: 'snapshot', task, nextPollAt: NOW + 1000 }), {}, rules)

  it('that brings nothing new keeps the references of the task and of its input requests', () => {
    const before = following()
    const { call } = take(structuredClone(asks(['q1'], TASK)), before)
    expect(call).toMatchObject({ stage: 'following' })
    expect('task' in call && call.task).toBe(before.task)
    expect('inputs' in call && call.inputs).toBe(before.inputs)
  })

  it('that is stale shows nothing, and says that the server is there', () => {
    const failing = following({ failureCount: 3, failure: { error: down, network: 'retrying' } })
    const { call } = take(working(OLDER), failing)
    expect(call).toMatchObject({ task: TASK, failureCount: 0, failure: undefined, inputs: asked({ q1: 'open' }) })
  })

  describe('that is stamped before the known one', () => {
    const response = (askedAt: number): CallEvent =>
      received({ type: 'snapshot', task: working(OLDER), nextPollAt: NOW + 9000, askedAt })

    it.each([
      ['before that arrived', NOW - 1],
      ['in the moment in which that arrived', NOW],
    ])('is passed over, however often, where it was asked for %s', (_, askedAt) => {
      const { call } = play(following({ knownAt: NOW }), [response(askedAt)], [response(askedAt)])
      expect(call).toMatchObject({ task: TASK, passedOver: undefined, snapshotAt: undefined })
    })

    it('is taken where it was asked for since, and the response to the next poll, made at once, says the same', () => {
      const first = play(following(), [response(NOW + 10), { now: NOW + 20 }])
      expect(first.call).toMatchObject({ task: TASK, passedOver: OLDER, snapshotAt: undefined, dueAt: NOW + 1020 })
      const second = play(first.call, [response(NOW + 30), { now: NOW + 40 }])
      expect(second.call).toMatchObject({ task: OLDER, passedOver: undefined, snapshotAt: NOW + 40 })
      expect(second.call).toMatchObject({ dueAt: NOW + 9000 })
    })

    const pushed: CallEvent = { type: 'pushed', task: working(OLDER) }

    it('and is pushed is passed over, and the next poll is brought forward to where the server allows it', () => {
      const { call } = play(following({ dueAt: NOW + 30_000 }), [pushed], [pushed])
      expect(call).toMatchObject({ task: TASK, passedOver: undefined, ...due(NOW + INTERVAL) })
    })

    it.each([
      ['polls fail', { failureCount: 2 }],
      ['a poll is queued', { poll: 'queued' }],
      ['a poll is under way', { poll: 'sent' }],
    ] as const)('and is pushed changes nothing while %s', (_, changes) => {
      const call = following({ dueAt: NOW + 30_000, ...changes })
      expect(next(call, pushed).call).toBe(call)
    })
  })

  it.each([
    ['that is pushed', { type: 'pushed', task: working() }],
    ['of this tab', own({ type: 'snapshot', task: working(), nextPollAt: NOW + 1000 })],
  ] satisfies [string, CallEvent][])('%s does not end the wait for the poll of another tab', (_, event) => {
    expect(next(following({ foreignPollUntil: NOW + 5000 }), event).call).toMatchObject({
      foreignPollUntil: NOW + 5000,
    })
  })

  it('carries nothing of its status into the task', () => {
    const { call } = take(asks(['q1', 'q2']))
    expect('task' in call && Object.keys(call.task ?? {})).not.toContain('inputRequests')
  })

  it('asks what is new, has handlers respond, and never asks again what was answered', () => {
    const isHandled = ({ params }: InputRequest) => params !== undefined
    const task: DetailedTask = {
      ...LATER,
      status: 'input_required',
      inputRequests: { q1: roots, q2: roots, q3: { method: 'roots/list', params: {} } },
    }
    const { call, effects } = take(task, following({ inputs: NO_INPUTS, answered: ['q1'] }), { isHandled })
    expect('inputs' in call && [...call.inputs].map(([key, { status }]) => [key, status])).toEqual([
      ['q2', 'open'],
      ['q3', 'handling'],
    ])
    expect(effects).toEqual([{ type: 'handle-input', inputKeys: ['q3'] }])
  })

  it.each([
    ['an input request changes under its key', {}, TaskProtocolError, 'changed under the key'],
    ['an input request needs a capability that was not declared', { missingCapability: () => 'roots' }, Error, 'roots'],
    ["nobody can respond, with missingInput: 'error'", { missingInput: 'error' }, Error, 'nobody to ask'],
  ] as const)('ends the call where %s', (_, rules, type, message) => {
    const other: InputRequest = { method: 'roots/list', params: { other: true } }
    const task: DetailedTask = { ...LATER, status: 'input_required', inputRequests: { q1: other } }
    const call = 'missingInput' in rules ? following({ inputs: NO_INPUTS }) : following()
    const { call: after, effects } = take(task, call, rules)
    expect(after).toMatchObject({ stage: 'ending', end: { message: expect.stringContaining(message) } })
    expect(effects.map(({ type }) => type)).toEqual(['end'])
    expect('end' in after && after.end).toBeInstanceOf(type)
  })

  it.each([
    ['there is a handler for all that it asks', asks(['q1', 'q2']), ['q1', 'q2']],
    ['it asks nothing', working(), []],
    ['it asks what was asked before', asks(['q0']), []],
  ])("goes on with missingInput: 'error' where %s", (_, task, inputKeys) => {
    const known = following({ inputs: asked({ q0: 'handling' }) })
    const { call, effects } = take(task, known, { missingInput: 'error', isHandled: () => true })
    expect(call).toMatchObject({ stage: 'following' })
    expect(effects.flatMap((effect) => (effect.type === 'handle-input' ? effect.inputKeys : []))).toEqual(inputKeys)
  })

  it('ends the call, and cancels the task, after too many in a row that ask nothing new', () => {
    const rules = { stuckAfterPolls: 3 }
    const idle = following({ inputs: asked({ q1: 'answered' }), answered: ['q1'], idlePolls: 1 })
    const second = take(asks(['q1']), idle, rules)
    expect(second.call).toMatchObject({ stage: 'following', idlePolls: 2 })
    const third = take(asks(['q1']), second.call, rules)
    expect(third.effects.map(({ type }) => type)).toEqual(['cancel-stuck', 'end'])
    expect(third.call).toMatchObject({ stage: 'ending', end: { name: 'TaskStuckError', taskId: 't1', callId: 'c1' } })
  })

  it.each(['open', 'handling', 'sending'] as const)(
    'counts for no such poll while an input request is %s',
    (status) => {
      const busy = following({ inputs: asked({ q1: status }), idlePolls: 1 })
      expect(take(asks(['q1']), busy).call).toMatchObject({ idlePolls: 0 })
    },
  )

  it('that is working starts that count over', () => {
    const idle = following({ inputs: asked({ q1: 'answered' }), answered: ['q1'], idlePolls: 2 })
    expect(take(working(), idle).call).toMatchObject({ idlePolls: 0 })
  })
})

describe('a response', () => {
  it('that is acknowledged hides its input request for good, in this page and in others', () => {
    const { call } = play(
      following(),
      [{ type: 'input', inputKey: 'q1', input: { status: 'sending' } }],
      [{ type: 'responded', inputKey: 'q1' }],
      [own({ type: 'snapshot', task: asks(['q1']), nextPollAt: NOW + 1000 })],
      [{ type: 'input', inputKey: 'q1', input: { status: 'rejected' } }],
    )
    expect(call).toMatchObject({ inputs: asked({ q1: 'answered' }), answered: ['q1'] })
  })

  it('that is acknowledged after its input request was withdrawn is noted all the same', () => {
    const { call } = play(
      following(),
      [own({ type: 'snapshot', task: working(), nextPollAt: NOW + 1000 })],
      [{ type: 'responded', inputKey: 'q1' }],
      [{ type: 'responded', inputKey: 'q1' }],
    )
    expect(call).toMatchObject({ inputs: NO_INPUTS, answered: ['q1'] })
  })

  it('that is sent anew has nothing of the rejection before', () => {
    const { call } = play(
      following(),
      [{ type: 'input', inputKey: 'q1', input: { status: 'rejected', isRetrying: false, error: down } }],
      [{ type: 'input', inputKey: 'q1', input: { status: 'sending' } }],
    )
    expect('inputs' in call && call.inputs.get('q1')).toStrictEqual({ request: roots, status: 'sending' })
  })
})

describe('a cancellation', () => {
  it.each([
    ['is asked for', 'sending', ['record', 'post']],
    ['is sent again', 'retrying', []],
    ['is taken', 'requested', []],
    ['is refused', 'none', ['record', 'post']],
  ] as const)('that %s is recorded and posted only where that is news to other pages', (_, status, expected) => {
    const { call, types } = play(following({ cancel: 'sending' }), [{ type: 'cancel', status }])
    expect(call).toMatchObject({ cancel: status })
    expect(types).toEqual(expected)
  })
})

describe('a clock that is set back', () => {
  it('sets back when the snapshot and the progress have arrived', () => {
    const call = following({ snapshotAt: NOW - 10, progress: { progress: 1 }, progressAt: NOW - 20 })
    expect(next(call, { type: 'clock-set-back', by: 600 }).call).toMatchObject({
      snapshotAt: NOW - 610,
      progressAt: NOW - 620,
    })
  })
})

describe('wakeAt', () => {
  it.each([
    ['waits for the lock', states.waiting, undefined],
    ['was sent', states.calling, undefined],
    ['is polled here', states.ours, NOW + INTERVAL],
    ['waits for a free connection', states.queued, undefined],
    ['has a poll under way', states.sent, undefined],
    ['is polled by another tab', states.theirs, NOW + INTERVAL + LEADER_TIMEOUT_MS],
    ['listens to the others', states.taking, NOW + 100],
    ['has its note read', states.checking, undefined],
    ['is offline', states.offline, undefined],
    ['rests', states.resting, undefined],
    ['has ended', states.ending, undefined],
    ['is settled', states.settled, undefined],
    ['waits for the poll of another tab', following({ foreignPollUntil: NOW + 9000 }), NOW + 9000],
  ] satisfies [string, Call, number | undefined][])('of a call that %s', (_, call, expected) => {
    expect(wakeAt(call)).toBe(expected)
  })
})
