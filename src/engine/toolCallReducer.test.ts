import { describe, expect, it } from 'vitest'
import { TaskCancelledError, TaskExpiredError, TaskFailedError, TaskRequestError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import { isSettled, type ToolCallEvent, toolCallReducer } from './toolCallReducer.js'
import type { ToolCallPhase, ToolCallState } from './toolCallState.js'

const TASK: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:10Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}
const QUESTION: InputRequest = { method: 'roots/list' }
const RESULT = { content: [] }
const NOTHING = {}

const network = new TaskRequestError('down', { kind: 'network' })
const cancelled = new TaskCancelledError()
const failed = new TaskFailedError({ code: 1, message: 'no' })

const base = {
  callId: 'c1',
  name: 'report',
  inputRequests: {},
  isCancelling: false,
  network: 'ok',
  failureCount: 0,
  startedAt: 0,
} as const

/** One state of each phase. */
const states: Record<ToolCallPhase, ToolCallState> = {
  calling: { ...base, phase: 'calling' },
  working: { ...base, phase: 'working', task: TASK },
  input_required: {
    ...base,
    phase: 'input_required',
    task: { ...TASK, status: 'input_required' },
    inputRequests: { q1: QUESTION },
  },
  completed: { ...base, phase: 'completed', task: { ...TASK, status: 'completed' }, result: RESULT },
  failed: { ...base, phase: 'failed', task: { ...TASK, status: 'failed' }, error: failed },
  cancelled: { ...base, phase: 'cancelled', task: { ...TASK, status: 'cancelled' }, error: cancelled },
}

const later: Task = { ...TASK, lastUpdatedAt: '2026-07-28T00:00:20Z' }
const asks = {
  ...later,
  status: 'input_required',
  inputRequests: { q1: QUESTION, q2: QUESTION },
} satisfies DetailedTask

/** One event of each kind, snapshots by what they bring. */
const events = {
  recalled: { type: 'recalled', startedAt: 5 },
  created: { type: 'created', task: { ...TASK, status: 'input_required' } },
  'poll-answered': { type: 'poll-answered' },
  'snapshot working': { type: 'snapshot', task: { ...later, status: 'working' }, inputRequests: NOTHING },
  'snapshot asks': { type: 'snapshot', task: asks, inputRequests: asks.inputRequests },
  'snapshot completed': {
    type: 'snapshot',
    task: { ...later, status: 'completed', result: RESULT },
    inputRequests: NOTHING,
  },
  'poll-failed': { type: 'poll-failed', error: network, failureCount: 2, network: 'retrying' },
  blocked: { type: 'blocked', network: 'offline' },
  unblocked: { type: 'unblocked' },
  'question asked': { type: 'questions', inputRequests: { q3: QUESTION } },
  'question answered': { type: 'questions', inputRequests: NOTHING },
  'cancel-requested': { type: 'cancel-requested' },
  'cancel-withdrawn': { type: 'cancel-withdrawn' },
  'cancel-failed': { type: 'cancel-failed', error: network },
  resolved: { type: 'resolved', result: RESULT, task: undefined },
  failed: { type: 'rejected', error: failed, task: undefined },
  cancelled: { type: 'rejected', error: cancelled, task: undefined },
} satisfies Record<string, ToolCallEvent>

type EventName = keyof typeof events

/** What an event changes; `same`: nothing, not even the reference. */
type Cell = 'same' | Partial<ToolCallState>

const asked = { q1: QUESTION, q2: QUESTION }
const atLater = (status: Task['status']): Task => ({ ...later, status })
const retrying = { network: 'retrying', failureCount: 2, lastError: network } as const

const table: Record<'calling' | 'working' | 'input_required', Record<EventName, Cell>> = {
  calling: {
    recalled: { startedAt: 5 },
    created: { phase: 'input_required', task: { ...TASK, status: 'input_required' } },
    'poll-answered': 'same',
    'snapshot working': { phase: 'working', task: atLater('working') },
    'snapshot asks': { phase: 'input_required', task: atLater('input_required'), inputRequests: asked },
    'snapshot completed': { phase: 'working', task: atLater('completed') },
    'poll-failed': retrying,
    blocked: { network: 'offline' },
    unblocked: 'same',
    'question asked': { phase: 'input_required', inputRequests: { q3: QUESTION } },
    'question answered': 'same',
    'cancel-requested': { isCancelling: true },
    'cancel-withdrawn': 'same',
    'cancel-failed': { lastError: network },
    resolved: { phase: 'completed', result: RESULT },
    failed: { phase: 'failed', error: failed },
    cancelled: { phase: 'cancelled', error: cancelled },
  },
  working: {
    recalled: { startedAt: 5 },
    created: { phase: 'input_required', task: { ...TASK, status: 'input_required' } },
    'poll-answered': 'same',
    'snapshot working': { task: atLater('working') },
    'snapshot asks': { phase: 'input_required', task: atLater('input_required'), inputRequests: asked },
    'snapshot completed': { task: atLater('completed') },
    'poll-failed': retrying,
    blocked: { network: 'offline' },
    unblocked: 'same',
    'question asked': { inputRequests: { q3: QUESTION } },
    'question answered': 'same',
    'cancel-requested': { isCancelling: true },
    'cancel-withdrawn': 'same',
    'cancel-failed': { lastError: network },
    resolved: { phase: 'completed', result: RESULT },
    failed: { phase: 'failed', error: failed },
    cancelled: { phase: 'cancelled', error: cancelled },
  },
  input_required: {
    recalled: { startedAt: 5 },
    created: 'same',
    'poll-answered': 'same',
    'snapshot working': { phase: 'working', task: atLater('working'), inputRequests: {} },
    'snapshot asks': { task: atLater('input_required'), inputRequests: asked },
    'snapshot completed': { task: atLater('completed'), inputRequests: {} },
    'poll-failed': retrying,
    blocked: { network: 'offline' },
    unblocked: 'same',
    'question asked': { inputRequests: { q3: QUESTION } },
    'question answered': { inputRequests: {} },
    'cancel-requested': { isCancelling: true },
    'cancel-withdrawn': 'same',
    'cancel-failed': { lastError: network },
    resolved: { phase: 'completed', result: RESULT, inputRequests: {} },
    failed: { phase: 'failed', error: failed, inputRequests: {} },
    cancelled: { phase: 'cancelled', error: cancelled, inputRequests: {} },
  },
}

const cells = Object.entries(table).flatMap(([phase, row]) =>
  Object.entries(row).map(([event, cell]) => [phase as ToolCallPhase, event as EventName, cell] as const),
)

/** A state of this shape after these events. */
const reduce = (state: ToolCallState, ...next: ToolCallEvent[]): ToolCallState => next.reduce(toolCallReducer, state)

describe('toolCallReducer', () => {
  it('every event has a row in the table', () => {
    const types = new Set<ToolCallEvent['type']>(Object.values(events).map(({ type }) => type))
    const all: Record<ToolCallEvent['type'], true> = {
      recalled: true,
      created: true,
      snapshot: true,
      'poll-failed': true,
      blocked: true,
      unblocked: true,
      'poll-answered': true,
      questions: true,
      'cancel-requested': true,
      'cancel-withdrawn': true,
      'cancel-failed': true,
      resolved: true,
      rejected: true,
    }
    expect([...types].sort()).toEqual(Object.keys(all).sort())
  })

  it.each(cells)('%s + %s', (phase, event, cell) => {
    const before = states[phase]
    const frozen = structuredClone({ ...before, error: undefined })
    const next = toolCallReducer(before, events[event])
    if (cell === 'same') expect(next).toBe(before)
    else expect(next).toEqual({ ...before, ...cell })
    expect({ ...before, error: undefined }).toEqual(frozen)
  })

  it.each(['completed', 'failed', 'cancelled'] as const)('%s absorbs everything', (phase) => {
    for (const event of Object.values(events)) expect(toolCallReducer(states[phase], event)).toBe(states[phase])
    expect(isSettled(phase)).toBe(true)
  })

  it.each(['calling', 'working', 'input_required'] as const)('%s is not settled', (phase) => {
    expect(isSettled(phase)).toBe(false)
  })

  describe('snapshots', () => {
    /** A snapshot whose questions all wait for somebody. */
    const snapshot = (task: DetailedTask): ToolCallEvent => ({
      type: 'snapshot',
      task,
      inputRequests: task.status === 'input_required' ? task.inputRequests : NOTHING,
    })
    const working = (changes: Partial<Task> = {}): DetailedTask => ({ ...TASK, ...changes, status: 'working' })

    it('an unchanged one changes no reference, however deep it is', () => {
      const schema = { type: 'object', properties: { name: { enum: ['a', 'b'] } } }
      const question: DetailedTask = {
        ...TASK,
        status: 'input_required',
        inputRequests: {
          q1: { method: 'elicitation/create', params: { mode: 'form', message: 'Name?', requestedSchema: schema } },
        },
      }
      const state = reduce(states.working, snapshot(question))
      expect(reduce(state, snapshot(structuredClone(question)))).toBe(state)
    })

    it('one that differs deep inside changes the reference', () => {
      const question = (message: string): DetailedTask => ({
        ...TASK,
        status: 'input_required',
        inputRequests: {
          q1: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: {} } },
        },
      })
      const state = reduce(states.working, snapshot(question('Name?')))
      const next = reduce(state, snapshot(question('Age?')))
      expect(next.inputRequests).not.toBe(state.inputRequests)
      expect(next.task).toBe(state.task)
    })

    it('keeps the reference of what has not changed', () => {
      const state = states.input_required
      const next = reduce(state, snapshot({ ...later, status: 'input_required', inputRequests: { q1: QUESTION } }))
      expect(next).not.toBe(state)
      expect(next.inputRequests).toBe(state.inputRequests)
    })

    it('one of the same moment is taken: clocks are coarse', () => {
      expect(reduce(states.working, snapshot(working({ statusMessage: 'half way' }))).task?.statusMessage).toBe(
        'half way',
      )
    })

    it.each(['', 'yesterday'])('one dated %j is taken: it cannot be put in order', (lastUpdatedAt) => {
      const next = reduce(states.working, snapshot(working({ lastUpdatedAt, statusMessage: 'half way' })))
      expect(next.task?.statusMessage).toBe('half way')
    })

    it('a terminal one is taken although older: nothing comes after it', () => {
      const end: DetailedTask = { ...TASK, lastUpdatedAt: '2026-07-28T00:00:01Z', status: 'cancelled' }
      expect(reduce(states.working, snapshot(end)).task?.status).toBe('cancelled')
    })

    it('shows the questions that wait for somebody, and no other', () => {
      const next = reduce(states.working, { type: 'snapshot', task: asks, inputRequests: { q2: QUESTION } })
      expect(Object.keys(next.inputRequests)).toEqual(['q2'])
      expect(next.phase).toBe('input_required')
    })

    it('a question that the server takes back is gone', () => {
      const state = reduce(states.working, snapshot(asks))
      const fewer: DetailedTask = { ...later, status: 'input_required', inputRequests: { q2: QUESTION } }
      expect(Object.keys(reduce(state, snapshot(fewer)).inputRequests)).toEqual(['q2'])
    })

    it('a question under the key __proto__ is one like any other', () => {
      const requests = JSON.parse('{"__proto__":{"method":"roots/list"}}')
      const state = reduce(states.working, snapshot({ ...later, status: 'input_required', inputRequests: requests }))
      expect(Object.keys(state.inputRequests)).toEqual(['__proto__'])
      expect(
        reduce(state, snapshot({ ...later, status: 'input_required', inputRequests: structuredClone(requests) })),
      ).toBe(state)
    })

    it('what the status carries stays out of the task', () => {
      expect(Object.keys(reduce(states.working, snapshot(asks)).task ?? {})).not.toContain('inputRequests')
    })
  })

  describe('network', () => {
    const failedPoll = events['poll-failed']
    const same: ToolCallEvent = { type: 'snapshot', task: { ...TASK, status: 'working' }, inputRequests: NOTHING }

    it('has recovered with the next answer, also with one that brings nothing new', () => {
      const state = reduce(states.working, failedPoll)
      expect(state).toMatchObject({ network: 'retrying', failureCount: 2, lastError: network })
      const next = reduce(state, same)
      expect(next).toEqual(states.working)
      expect('lastError' in next).toBe(false)
    })

    it('is still retrying when the browser is back online after failures, and ok without', () => {
      expect(reduce(states.working, failedPoll, events.blocked, events.unblocked).network).toBe('retrying')
      expect(reduce(states.working, events.blocked, events.unblocked).network).toBe('ok')
    })

    it('the same block twice changes nothing', () => {
      const state = reduce(states.working, events.blocked)
      expect(reduce(state, events.blocked)).toBe(state)
    })

    it('is ok at the end, whatever came before', () => {
      expect(reduce(states.working, failedPoll, events.resolved)).toEqual({
        ...states.working,
        phase: 'completed',
        result: RESULT,
      })
    })
  })

  describe('cancelling', () => {
    it('lasts through snapshots until the truth arrives', () => {
      const state = reduce(states.working, events['cancel-requested'], events['snapshot working'])
      expect(state.isCancelling).toBe(true)
      expect(reduce(state, events.cancelled)).toMatchObject({ phase: 'cancelled', isCancelling: false })
    })

    it('is over where the task completes anyway', () => {
      expect(reduce(states.working, events['cancel-requested'], events.resolved)).toMatchObject({
        phase: 'completed',
        isCancelling: false,
      })
    })

    it('is over where the request failed, and says why', () => {
      expect(reduce(states.working, events['cancel-requested'], events['cancel-failed'])).toMatchObject({
        phase: 'working',
        isCancelling: false,
        lastError: network,
      })
    })

    it('is over where the tab that has asked for it takes it back', () => {
      expect(reduce(states.working, events['cancel-requested'], events['cancel-withdrawn'])).toEqual(states.working)
    })

    it('asked for twice changes nothing', () => {
      const state = reduce(states.working, events['cancel-requested'])
      expect(reduce(state, events['cancel-requested'])).toBe(state)
    })
  })

  describe('questions before there is a task', () => {
    it('make the call wait for input, and let it go on', () => {
      const asked = reduce(states.calling, events['question asked'])
      expect(asked).toMatchObject({ phase: 'input_required', inputRequests: { q3: QUESTION } })
      expect(reduce(asked, events['question answered'])).toEqual(states.calling)
    })
  })

  describe('the end', () => {
    it('keeps the last snapshot, without what it carries', () => {
      const task: DetailedTask = { ...later, status: 'completed', result: RESULT }
      expect(reduce(states.working, { type: 'resolved', result: RESULT, task })).toEqual({
        ...states.working,
        phase: 'completed',
        result: RESULT,
        task: { ...later, status: 'completed' },
      })
    })

    it('has no next poll', () => {
      const state = { ...states.working, nextPollAt: 1000 }
      expect('nextPollAt' in reduce(state, events.resolved)).toBe(false)
    })

    it('keeps the very error, so that it is told apart', () => {
      const expired = new TaskExpiredError('ttl')
      const state = reduce(states.working, { type: 'rejected', error: expired, task: undefined })
      expect(state.error).toBe(expired)
      expect(state.phase).toBe('failed')
    })
  })
})
