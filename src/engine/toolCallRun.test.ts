import { describe, expect, it } from 'vitest'
import type { CallToolResult } from '../protocol/callToolResult.js'
import {
  TaskCancelledError,
  TaskExpiredError,
  TaskFailedError,
  TaskProtocolError,
  TaskRequestError,
  type TaskStorageError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import { createRecordStore } from '../storage/recordStore.js'
import type { TaskRecord, TaskRecordTask } from '../storage/taskRecord.js'
import { createSimulatedEnvironment } from '../testing/simulatedEnvironment.js'
import { type CallTabs, NO_TABS } from './callTabs.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'
import { NO_PUSH_FEED } from './pushFeed.js'
import type { TaskPort, ToolCallRequest } from './taskPort.js'
import { type ToolCallEvent, toolCallReducer } from './toolCallReducer.js'
import { startToolCallRun, type ToolCallRunOptions } from './toolCallRun.js'
import type { ToolCallState } from './toolCallState.js'

const START = Date.UTC(2026, 6, 28)
const TASK: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}
const RESULT: CallToolResult = { content: [{ type: 'text', text: 'done' }] }
const INTENT: TaskRecord = {
  callId: 'c1',
  tool: 'report',
  key: 'weekly',
  endpoint: 'https://example.com/mcp',
  scope: '',
  era: 'modern',
  startedAt: START,
}
const { key: _key, ...KEYLESS } = INTENT
const RECORDED: TaskRecordTask = { ...TASK, receivedAt: START, answered: [], isCancelling: false }

const working = (changes: Partial<Task> = {}): DetailedTask => ({ ...TASK, ...changes, status: 'working' })
const completed = (changes: Partial<Task> = {}): DetailedTask => ({
  ...TASK,
  ...changes,
  status: 'completed',
  result: RESULT,
})
const failed: DetailedTask = { ...TASK, status: 'failed', error: { code: -32050, message: 'Out of paper' } }
const cancelled: DetailedTask = { ...TASK, status: 'cancelled' }
const asks: DetailedTask = { ...TASK, status: 'input_required', inputRequests: { q1: { method: 'roots/list' } } }
const down = () => new TaskRequestError('down', { kind: 'network' })

/** What a request is answered with. */
type Answer<T> = T | Error | 'never'

interface RunTestOptions {
  record?: TaskRecord
  recall?: TaskRecord | undefined | 'none'
  request?: ToolCallRequest
  /** How the server answers the `tools/call`. @default by {@link TASK} */
  call?: Task | CallToolResult | Error | 'never'
  /** When the connection that carried the `tools/call` breaks, in ms after the task was created. */
  breaksAfter?: number
  /** How it answers each `tasks/get`; the last one stays. @default working */
  polls?: Answer<DetailedTask>[]
  cancels?: Answer<undefined>[]
  updates?: Answer<undefined>[]
  isRepeatable?: boolean
  followUnwatched?: boolean
  isOffline?: boolean
  records?: ToolCallRunOptions['records']
  tabs?: Partial<CallTabs>
}

function begin(options: RunTestOptions = {}) {
  const page = createSimulatedEnvironment({ now: START })
  if (options.isOffline) void page.setOnline(false)
  /** What happened, in order. */
  const log: string[] = []
  const written: TaskRecord[] = []
  const storage: { record?: TaskRecord | undefined } = {}
  const polls: number[] = []
  const scheduled: (number | undefined)[] = []
  const sent: { callSignal?: AbortSignal; request?: ToolCallRequest; updates: unknown[] } = { updates: [] }
  let state: ToolCallState = {
    callId: 'c1',
    name: 'report',
    phase: 'calling',
    inputRequests: {},
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
    startedAt: START,
  }
  const store = (what: string, record: TaskRecord) => {
    log.push(`${what} ${record.task === undefined ? 'intent' : record.task.status}`)
    written.push(record)
    storage.record = record
  }
  const records: ToolCallRunOptions['records'] = options.records ?? {
    write: async (record) => {
      store('write', record)
      return true
    },
    update: async (record) => {
      store('update', record)
      return true
    },
    read: () => Promise.resolve(storage.record),
    has: () => Promise.resolve(storage.record !== undefined),
    isNewer: () => Promise.resolve(false),
    remove: () => {
      log.push('remove')
      storage.record = undefined
      return Promise.resolve()
    },
  }

  function answer<T>(line: Answer<T>[], signal: AbortSignal | undefined): Promise<T> {
    const next = line.length > 1 ? line.shift() : line[0]
    if (next instanceof Error) return Promise.reject(next)
    if (next !== 'never') return Promise.resolve(next as T)
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
  }
  const answers = {
    polls: options.polls ?? [working()],
    cancels: options.cancels ?? [undefined],
    updates: options.updates ?? [undefined],
  }
  const port: TaskPort = {
    era: 'modern',
    callTool: async (request, { beforeSend, hold, signal }) => {
      await beforeSend()
      signal.throwIfAborted()
      log.push('tools/call')
      Object.assign(sent, { request, callSignal: signal })
      const { call = TASK } = options
      if (call !== 'never' && !(call instanceof Error) && 'taskId' in call) {
        const held = hold(call)
        log.push('hold returned')
        if (options.breaksAfter === undefined) return held
        const broken = new Promise<never>((_, reject) => {
          page.environment.setTimeout(() => reject(new ToolCallInterruptedError('report')), options.breaksAfter ?? 0)
        })
        return Promise.race([held, broken])
      }
      return answer([call as Answer<CallToolResult>], signal)
    },
    completeCall: (name, result) => {
      log.push(`complete ${name}`)
      return Promise.resolve(result)
    },
    isRepeatable: () => Promise.resolve(options.isRepeatable ?? false),
    checkAnswer: () => Promise.resolve(undefined),
    listen: () => Promise.reject(new Error('nobody listens')),
    getTask: (taskId, signal) => {
      log.push('tasks/get')
      expect(taskId).toBe('t1')
      polls.push(page.now() - START)
      return answer(answers.polls, signal)
    },
    updateTask: (_taskId, inputResponses, signal) => {
      log.push('tasks/update')
      sent.updates.push(inputResponses)
      return answer<undefined>(answers.updates, signal)
    },
    cancelTask: (_taskId, signal) => {
      log.push('tasks/cancel')
      return answer<undefined>(answers.cancels, signal)
    },
  }
  const { recall } = options
  const run = startToolCallRun({
    record: options.record ?? INTENT,
    recall: recall && (() => Promise.resolve(recall === 'none' ? undefined : recall)),
    request: options.request ?? { name: 'report' },
    port,
    environment: page.environment,
    policy: DEFAULT_POLL_POLICY,
    records,
    tabs: { ...NO_TABS, ...options.tabs },
    push: NO_PUSH_FEED,
    followUnwatched: options.followUnwatched ?? true,
    inputHandlers: {},
    missingInput: 'wait',
    stuckAfterPolls: 60,
    onError: () => {},
    dispatch: (event: ToolCallEvent) => {
      log.push(event.type)
      state = toolCallReducer(state, event)
    },
    onForgotten: () => log.push('forgotten'),
    onScheduled: (at) => scheduled.push(at === undefined ? undefined : at - START),
  })
  const outcome: { result?: CallToolResult; error?: unknown } = {}
  run.outcome.then(
    (result) => Object.assign(outcome, { result }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  const count = (what: string) => log.filter((entry) => entry === what).length
  return { page, run, log, written, storage, polls, scheduled, sent, outcome, count, state: () => state }
}

describe('a call', () => {
  it('that is answered at once leaves nothing behind', async () => {
    const { page, log, outcome, storage, state } = begin({ call: RESULT })
    await page.settle()
    expect(log).toEqual(['write intent', 'tools/call', 'remove', 'resolved'])
    expect(outcome.result).toBe(RESULT)
    expect(storage.record).toBeUndefined()
    expect(state()).toMatchObject({ phase: 'completed', result: RESULT })
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('writes its intent before it is sent, and that it is a task before anything else', async () => {
    const { page, log } = begin({ polls: [completed()] })
    await page.advance(1000)
    expect(log.slice(0, 5)).toEqual([
      'write intent',
      'tools/call',
      // Before the function that was handed the task has even returned.
      'write working',
      'hold returned',
      'created',
    ])
    expect(log.slice(5)).toEqual(['tasks/get', 'update completed', 'resolved'])
  })

  it('waits for a slow storage before it is sent', async () => {
    let finish = () => {}
    const { page, count } = begin({
      records: {
        write: () =>
          new Promise((resolve) => {
            finish = () => resolve(true)
          }),
        update: () => Promise.resolve(true),
        read: () => Promise.resolve(undefined),
        has: () => Promise.resolve(false),
        isNewer: () => Promise.resolve(false),
        remove: () => Promise.resolve(),
      },
    })
    await page.settle()
    expect(count('tools/call')).toBe(0)
    finish()
    await page.settle()
    expect(count('tools/call')).toBe(1)
  })

  it('is sent as it was asked for, once', async () => {
    const request = { name: 'report', arguments: { seconds: 3 } }
    const { page, sent, count } = begin({ request, polls: [down()] })
    await page.advance(60_000)
    expect(sent.request).toEqual(request)
    expect(count('tools/call')).toBe(1)
  })

  it.each([
    ['refused', new ToolCallRejectedError('No', { code: -32602 }), false],
    ['interrupted', new ToolCallInterruptedError('report'), true],
  ])('that is %s leaves an intent only where it may be running', async (_, error, isKept) => {
    const { page, outcome, storage, state } = begin({ call: error })
    await page.settle()
    expect(outcome.error).toBe(error)
    expect(state()).toMatchObject({ phase: 'failed', error })
    expect(storage.record).toEqual(isKept ? INTENT : undefined)
  })

  describe('offline', () => {
    it('is not sent until the network is back, and says so', async () => {
      const { page, log, written, state } = begin({ isOffline: true, call: RESULT })
      await page.advance(60_000)
      expect(log).not.toContain('tools/call')
      // Nor is it said that it was: a reload now makes the call anew.
      expect(written).toEqual([])
      expect(state()).toMatchObject({ phase: 'calling', network: 'offline' })
      await page.setOnline(true)
      await page.advance(200)
      expect(log.filter((entry) => entry === 'tools/call')).toHaveLength(1)
      expect(state()).toMatchObject({ phase: 'completed', network: 'ok' })
    })

    it('can be cancelled without ever being sent', async () => {
      const { page, run, log, outcome, storage } = begin({ isOffline: true })
      await page.advance(1000)
      await run.cancel()
      await page.setOnline(true)
      expect(log).not.toContain('tools/call')
      expect(outcome.error).toBeInstanceOf(TaskCancelledError)
      expect(storage.record).toBeUndefined()
    })
  })
})

describe('polling', () => {
  it('begins one interval after creation and ends with the task', async () => {
    const { page, polls, outcome } = begin({ polls: [working(), completed()] })
    await page.advance(60_000)
    expect(polls).toEqual([1000, 2000])
    expect(outcome.result).toBe(RESULT)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it.each([
    ['its own interval', { ...TASK, pollIntervalMs: 3000 }, 3000],
    ['the default where it has none', bare(TASK), 1000],
    ['the least where it asks for none at all', { ...TASK, pollIntervalMs: 0 }, 50],
  ])('begins after %s', async (_, call, expected) => {
    const { page, polls } = begin({ call, polls: [completed()] })
    await page.advance(60_000)
    expect(polls).toEqual([expected])
  })

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'begins at once for a task that is born %s',
    async (status) => {
      const { page, polls } = begin({
        call: { ...TASK, status },
        polls: [status === 'completed' ? completed() : failed],
      })
      await page.settle()
      expect(polls).toEqual([0])
    },
  )

  it('tells when the next poll is, and that there is none', async () => {
    const { page, scheduled } = begin({ polls: [working({ pollIntervalMs: 2000 }), completed()] })
    await page.advance(500)
    expect(scheduled.at(-1)).toBe(1000)
    await page.advance(1000)
    expect(scheduled.at(-1)).toBe(3000)
    await page.advance(60_000)
    expect(scheduled.at(-1)).toBeUndefined()
  })

  it('that brings nothing new changes no state', async () => {
    const { page, state } = begin()
    await page.advance(1500)
    const before = state()
    await page.advance(10_000)
    expect(state()).toBe(before)
  })

  it.each([
    ['failed', [failed], TaskFailedError],
    ['was cancelled', [cancelled], TaskCancelledError],
    ['is unknown to the server', [new TaskExpiredError('unknown-task')], TaskExpiredError],
    ['breaks the protocol', [new TaskProtocolError('nonsense', { source: 'tasks/get' })], TaskProtocolError],
  ])('of a task that %s rejects', async (_, polls, type) => {
    const { page, outcome, state } = begin({ polls })
    await page.advance(60_000)
    expect(outcome.error).toBeInstanceOf(type)
    expect(state().error).toBe(outcome.error)
    expect(state().phase).toBe(type === TaskCancelledError ? 'cancelled' : 'failed')
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it.each([
    ['an interval longer than the ttl', { pollIntervalMs: 1e12, ttlMs: 60_000 }, []],
    [
      'a server that asks for a year',
      { ttlMs: 60_000 },
      [new TaskRequestError('busy', { kind: 'http', retryAfterMs: 365 * 24 * 3_600_000 })],
    ],
  ])('is bounded by the ttl: %s', async (_, changes, polls) => {
    const { page, outcome } = begin({ call: { ...TASK, ...changes }, polls: [...polls, working(changes)] })
    await page.advance(10 * 60_000)
    expect(outcome.error).toBeInstanceOf(TaskExpiredError)
    expect(outcome.error).toMatchObject({ reason: 'ttl' })
  })
})

describe('a connection that breaks under a task', () => {
  it('does not end the task: it is known, and followed to its end', async () => {
    const { page, outcome, count, polls, state } = begin({
      breaksAfter: 1500,
      polls: [working(), working(), completed()],
    })
    await page.advance(2500)
    expect(outcome).toEqual({})
    expect(state().phase).toBe('working')
    await page.advance(60_000)
    expect(polls).toEqual([1000, 2000, 3000])
    expect(outcome.result).toEqual(RESULT)
    expect(count('tools/call')).toBe(1)
  })

  it('leaves no poll loop behind', async () => {
    const { page, run, scheduled } = begin({ breaksAfter: 1500 })
    await page.advance(2500)
    run.stop(new Error('closed'))
    await page.settle()
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
    expect(scheduled.at(-1)).toBeUndefined()
  })
})

describe('a record', () => {
  const task = (storage: { record?: TaskRecord | undefined }) => storage.record?.task

  it('says all that is needed to take the task up again', async () => {
    const { page, storage } = begin({ call: { ...TASK, ttlMs: 60_000, statusMessage: 'Reading' } })
    await page.settle()
    expect(storage.record).toEqual({
      ...INTENT,
      task: {
        taskId: 't1',
        status: 'working',
        createdAt: TASK.createdAt,
        lastUpdatedAt: TASK.lastUpdatedAt,
        ttlMs: 60_000,
        pollIntervalMs: 1000,
        receivedAt: START,
        nextPollAt: START + 1000,
        notedAt: START,
        answered: [],
        isCancelling: false,
      },
    })
  })

  it.each([
    ['completed', [completed()], 'completed'],
    ['failed', [failed], 'failed'],
    ['cancelled', [cancelled], 'cancelled'],
  ] as const)('of a task that has %s is kept, so that a reload need not call again', async (_, polls, status) => {
    const { page, storage } = begin({ polls: [...polls] })
    await page.advance(60_000)
    expect(task(storage)?.status).toBe(status)
  })

  it('of a call whose answer breaks the protocol is kept: the tool may have run', async () => {
    const { page, storage } = begin({ call: new TaskProtocolError('no task', { source: 'tools/call' }) })
    await page.advance(60_000)
    expect(storage.record).toMatchObject({ callId: 'c1' })
  })

  it('of a task that has expired is removed', async () => {
    const { page, storage } = begin({ record: KEYLESS, polls: [new TaskExpiredError('unknown-task')] })
    await page.advance(60_000)
    expect(storage.record).toBeUndefined()
  })

  it('of a task that is past its ttl is removed', async () => {
    const call = { ...TASK, ttlMs: 2500 }
    const { page, storage } = begin({ record: KEYLESS, call, polls: [working({ ttlMs: 2500 })] })
    await page.advance(60_000)
    expect(storage.record).toBeUndefined()
  })

  it('of a task that has expired is kept where the call has a key, so that a reload does not call again', async () => {
    const { page, storage } = begin({ record: INTENT, polls: [new TaskExpiredError('unknown-task')] })
    await page.advance(60_000)
    expect(task(storage)?.taskId).toBe('t1')
  })

  it('of a task whose server broke the protocol is kept: a later version may do better', async () => {
    const { page, storage } = begin({ polls: [new TaskProtocolError('nonsense', { source: 'tasks/get' })] })
    await page.advance(60_000)
    expect(task(storage)?.taskId).toBe('t1')
  })

  it('never holds arguments, results, answers, errors or status messages', async () => {
    const secret = 'SECRET'
    const question: DetailedTask = {
      ...TASK,
      status: 'input_required',
      statusMessage: secret,
      inputRequests: { q1: { method: 'elicitation/create', params: { message: secret, requestedSchema: {} } } },
    }
    for (const end of [
      { ...completed(), result: { content: [{ type: 'text', text: secret }] } } as DetailedTask,
      { ...failed, statusMessage: secret, error: { code: 1, message: secret, data: secret } } as DetailedTask,
    ]) {
      const { page, run, written, storage } = begin({
        request: { name: 'report', arguments: { password: secret } },
        call: { ...TASK, statusMessage: secret },
        polls: [question, new TaskRequestError(secret, { kind: 'network' }), question, end],
      })
      await page.advance(1500)
      await run.respond('q1', { action: 'accept', content: { secret } })
      await page.hidePage()
      await page.advance(60_000)
      expect(task(storage)).toBeDefined()
      expect(written.length).toBeGreaterThan(3)
      expect(JSON.stringify(written)).not.toContain(secret)
    }
  })

  it('knows on pagehide when the next poll is, before the page is gone', async () => {
    const { page, storage } = begin({ polls: [working(), working({ pollIntervalMs: 7000 })] })
    await page.advance(2500)
    expect(task(storage)?.nextPollAt).toBe(START + 1000)
    await page.hidePage()
    expect(task(storage)).toMatchObject({ nextPollAt: START + 9000, pollIntervalMs: 7000 })
  })

  it('counts a poll that the page cuts off', async () => {
    const { page, storage, polls } = begin({ polls: ['never'] })
    await page.advance(1100)
    expect(polls).toEqual([1000])
    await page.hidePage()
    expect(task(storage)?.nextPollAt).toBeGreaterThanOrEqual(START + 2000)
  })

  it('is written by nobody once the run has stopped', async () => {
    const { page, run, written } = begin()
    await page.advance(1500)
    run.stop(new Error('closed'))
    await page.settle()
    const count = written.length
    await page.hidePage()
    await page.advance(60_000)
    expect(written).toHaveLength(count)
  })
})

describe('a call taken up again', () => {
  const resumed = (changes: Partial<TaskRecordTask> = {}): TaskRecord => ({
    ...INTENT,
    task: { ...RECORDED, ...changes },
  })

  it('is polled when the record says so, and not sent again', async () => {
    const { page, polls, log, outcome } = begin({
      record: resumed({ nextPollAt: START + 4200 }),
      polls: [working(), completed()],
    })
    await page.advance(60_000)
    expect(polls).toEqual([4200, 5200])
    expect(log).not.toContain('tools/call')
    expect(log).toContain('complete report')
    expect(outcome.result).toEqual(RESULT)
  })

  it.each([
    ['none', undefined],
    ['one that has passed', START - 60_000],
  ])('is polled at once where the record has %s', async (_, nextPollAt) => {
    const { page, polls } = begin({
      record: resumed(nextPollAt === undefined ? {} : { nextPollAt }),
      polls: [completed()],
    })
    await page.settle()
    expect(polls).toEqual([0])
  })

  it('is shown as it was left', async () => {
    const { page, state } = begin({
      record: resumed({ nextPollAt: START + 1000, isCancelling: true, pollIntervalMs: 500 }),
    })
    await page.settle()
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true, task: { ...TASK, pollIntervalMs: 500 } })
  })

  it('does not ask again what was answered before', async () => {
    const { page, state } = begin({ record: resumed({ answered: ['q1'] }), polls: [asks] })
    await page.advance(5000)
    expect(state()).toMatchObject({ phase: 'input_required', inputRequests: {} })
  })

  it('counts its ttl from when it was received, not from the reload', async () => {
    const { page, outcome } = begin({
      record: resumed({ ttlMs: 60_000, receivedAt: START - 58_000 }),
      polls: [working({ ttlMs: 60_000 })],
    })
    await page.advance(5000)
    expect(outcome.error).toMatchObject({ reason: 'ttl' })
  })

  it('waits as long as an earlier page was asked to, however long that is', async () => {
    const record = resumed({ nextPollAt: START + 90_000, notedAt: START - 10_000, pollIntervalMs: 1000 })
    const { page, polls } = begin({ record, polls: [completed()] })
    await page.advance(200_000)
    expect(polls).toEqual([90_000])
  })

  it.each([
    ['from now on, where the clock was ahead when it was noted', 3_600_000, 3_602_000, [2000]],
    ['a day at most', -1000, Number.MAX_SAFE_INTEGER, []],
  ])('waits %s', async (_, notedAt, nextPollAt, expected) => {
    const record = resumed({ notedAt: START + notedAt, nextPollAt: START + nextPollAt })
    const { page, polls } = begin({ record, polls: [completed()] })
    await page.advance(60_000)
    expect(polls).toEqual(expected)
  })

  it.each([
    ['goes on', 'working', 1],
    ['has come to an end', 'completed', 0],
  ] as const)(
    'asks for a cancellation anew that may not have got through, where the task %s',
    async (_, status, times) => {
      const { page, count, state } = begin({ record: resumed({ isCancelling: true, status }), cancels: ['never'] })
      await page.settle()
      expect(count('tasks/cancel')).toBe(times)
      expect(state().isCancelling).toBe(times === 1)
    },
  )

  it('can be cancelled', async () => {
    const { page, run, count, storage } = begin({ record: resumed({ nextPollAt: START + 1000 }) })
    await page.settle()
    await run.cancel()
    expect(count('tasks/cancel')).toBe(1)
    expect(storage.record?.task?.isCancelling).toBe(true)
  })

  describe('by its key', () => {
    it('is the task that an earlier page left', async () => {
      const { page, log, polls, state } = begin({
        recall: { ...resumed({ nextPollAt: START + 500 }), startedAt: START - 9000 },
        polls: [completed()],
      })
      await page.advance(500)
      expect(log).not.toContain('tools/call')
      expect(polls).toEqual([500])
      expect(state()).toMatchObject({ phase: 'completed', startedAt: START - 9000 })
    })

    it('is made where none was left', async () => {
      const { page, count } = begin({ recall: 'none', call: RESULT })
      await page.settle()
      expect(count('tools/call')).toBe(1)
    })

    it('is interrupted where an earlier page left only its intent, and stays so', async () => {
      const { page, log, outcome, storage } = begin({ recall: { ...INTENT, startedAt: START - 9000 } })
      await page.settle()
      expect(log).not.toContain('tools/call')
      expect(log).not.toContain('remove')
      expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
      expect(outcome.error).toMatchObject({ callId: 'c1', toolName: 'report' })
      expect(storage.record).toBeUndefined()
    })

    it('is made again where calling twice does no harm', async () => {
      const { page, count, outcome } = begin({ recall: INTENT, isRepeatable: true, call: RESULT })
      await page.settle()
      expect(count('tools/call')).toBe(1)
      expect(outcome.result).toEqual(RESULT)
    })

    it('fetches the result of a task that had ended', async () => {
      const { page, polls, outcome } = begin({ recall: resumed({ status: 'completed' }), polls: [completed()] })
      await page.settle()
      expect(polls).toEqual([0])
      expect(outcome.result).toEqual(RESULT)
    })
  })
})

describe('cancelling', () => {
  it('before an answer aborts the call: there is no task to cancel', async () => {
    const { page, run, sent, log, outcome, state, storage } = begin({ call: 'never' })
    await page.settle()
    await run.cancel()
    await page.settle()
    expect(sent.callSignal?.aborted).toBe(true)
    expect(log).not.toContain('tasks/cancel')
    expect(outcome.error).toBeInstanceOf(TaskCancelledError)
    expect(state().phase).toBe('cancelled')
    // The tool may run all the same: the intent says so to whoever starts the call again.
    expect(storage.record).toMatchObject({ callId: 'c1' })
    expect(storage.record?.task).toBeUndefined()
  })

  it('a task is asked for once, however often', async () => {
    const { page, run, count, state } = begin()
    await page.advance(1500)
    await Promise.all([run.cancel(), run.cancel()])
    await run.cancel()
    expect(count('tasks/cancel')).toBe(1)
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
  })

  it('without an answer is given up, and can be asked for again', async () => {
    const { page, run, count, state } = begin({ cancels: ['never', undefined] })
    await page.advance(1500)
    const cancelled = run.cancel()
    cancelled.catch(() => {})
    await page.advance(30_000)
    await expect(cancelled).rejects.toMatchObject({ name: 'TaskRequestError', kind: 'network' })
    expect(state().isCancelling).toBe(false)
    await run.cancel()
    expect(count('tasks/cancel')).toBe(2)
  })

  it('is not over with the acknowledgement: polling goes on at its pace, and the server decides', async () => {
    const { page, run, polls, outcome, state } = begin({ polls: [working(), working(), cancelled] })
    await page.advance(1500)
    await run.cancel()
    expect(outcome).toEqual({})
    expect(polls).toEqual([1000])
    await page.advance(1000)
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
    await page.advance(1000)
    expect(polls).toEqual([1000, 2000, 3000])
    expect(outcome.error).toBeInstanceOf(TaskCancelledError)
    expect(state()).toMatchObject({ phase: 'cancelled', isCancelling: false })
  })

  it('a task that completes anyway resolves', async () => {
    const { page, run, outcome, state } = begin({ polls: [working(), completed()] })
    await page.advance(1500)
    await run.cancel()
    await page.advance(1000)
    expect(outcome.result).toBe(RESULT)
    expect(state()).toMatchObject({ phase: 'completed', isCancelling: false })
  })

  it('survives a reload', async () => {
    const { page, run, storage } = begin({ cancels: ['never'] })
    await page.advance(1500)
    void run.cancel().catch(() => {})
    expect(storage.record?.task?.isCancelling).toBe(true)
  })

  it('that failed says so, is taken back, and can be repeated', async () => {
    const { page, run, count, state, storage } = begin({ cancels: [down(), undefined] })
    await page.advance(1500)
    await expect(run.cancel()).rejects.toThrow('down')
    expect(state()).toMatchObject({ isCancelling: false, lastError: { message: 'down' } })
    expect(storage.record?.task?.isCancelling).toBe(false)
    await run.cancel()
    expect(count('tasks/cancel')).toBe(2)
    expect(state().isCancelling).toBe(true)
  })

  it('after the end does nothing', async () => {
    const { page, run, count } = begin({ polls: [completed()] })
    await page.advance(1000)
    await run.cancel()
    expect(count('tasks/cancel')).toBe(0)
  })

  it('that is under way when the run stops stays noted: the server may have heard it', async () => {
    const { page, run, storage, written } = begin({ cancels: ['never'] })
    await page.advance(1500)
    run.cancel().catch(() => {})
    await page.settle()
    const count = written.length
    run.stop(new Error('closed'))
    await page.settle()
    expect(storage.record?.task?.isCancelling).toBe(true)
    expect(written).toHaveLength(count)
  })

  it('that fails when the task is gone does not bring its record back', async () => {
    const gone = new TaskExpiredError('unknown-task')
    const { page, run, storage, outcome } = begin({ record: KEYLESS, polls: [gone], cancels: ['never'] })
    await page.advance(500)
    run.cancel().catch(() => {})
    await page.advance(1000)
    expect(outcome.error).toBe(gone)
    expect(storage.record).toBeUndefined()
    run.stop(new Error('closed'))
    await page.settle()
    expect(storage.record).toBeUndefined()
  })
})

it('a call that ends while storage is asked for the task of another tab stays as it has ended', async () => {
  let answer: (record: TaskRecord) => void = () => {}
  let finish: (isWritten: boolean) => void = () => {}
  const { page, run, state } = begin({
    record: { ...INTENT, task: { ...RECORDED, nextPollAt: START + 1000 } },
    polls: [new TaskExpiredError('unknown-task', { taskId: 't1' })],
    records: {
      write: async () => true,
      update: () =>
        new Promise((resolve) => {
          finish = resolve
        }),
      read: () =>
        new Promise((resolve) => {
          answer = resolve
        }),
      has: async () => true,
      isNewer: () => Promise.resolve(false),
      remove: async () => {},
    },
  })
  await page.advance(500)
  const newer = { ...INTENT, task: { ...RECORDED, taskId: 't2' } }
  run.receive({ type: 'created', record: newer })
  // The task is lost, which is being written down when the other one is read.
  await page.advance(500)
  answer(newer)
  await page.settle()
  finish(true)
  await page.settle()
  expect(state()).toMatchObject({ phase: 'failed', task: { taskId: 't1' } })
})

describe('answering', () => {
  it('sends the answer, hides the question, and leaves the pace alone', async () => {
    const { page, run, sent, polls, state, storage } = begin({ polls: [asks] })
    await page.advance(1300)
    expect(state()).toMatchObject({ phase: 'input_required', inputRequests: { q1: { method: 'roots/list' } } })
    await run.respond('q1', { roots: [] })
    expect(sent.updates).toEqual([{ q1: { roots: [] } }])
    expect(state().inputRequests).toEqual({})
    expect(storage.record?.task?.answered).toEqual(['q1'])
    await page.advance(2699)
    expect(polls).toEqual([1000, 2000, 3000])
    expect(state().inputRequests).toEqual({})
  })

  it('is sent again where no answer comes', async () => {
    const { page, run, sent, storage } = begin({ polls: [asks], updates: ['never', undefined] })
    await page.advance(1000)
    const answered = run.respond('q1', { roots: [] })
    await page.advance(60_000)
    await answered
    expect(sent.updates).toHaveLength(2)
    expect(storage.record?.task?.answered).toEqual(['q1'])
  })

  it('in another tab counts for the task it was for: the call may have been made anew since', async () => {
    const { page, run, state, storage } = begin({ polls: [asks] })
    await page.advance(1300)
    run.receive({ type: 'answered', taskId: 'earlier', inputKey: 'q1' })
    run.receive({ type: 'cancelling', taskId: 'earlier', isCancelling: true })
    await page.settle()
    expect(state()).toMatchObject({ inputRequests: { q1: {} }, isCancelling: false })
    run.receive({ type: 'answered', taskId: TASK.taskId, inputKey: 'q1' })
    await page.settle()
    expect(state().inputRequests).toEqual({})
    expect(storage.record?.task?.answered).toEqual(['q1'])
  })

  it('is not sent where another tab has answered while this one waited for its turn', async () => {
    let takeTurn = () => {}
    const turn = new Promise<void>((resolve) => {
      takeTurn = resolve
    })
    const { page, run, sent, storage } = begin({
      polls: [asks],
      tabs: { exclusively: (_name, _signal, work) => turn.then(work) },
    })
    await page.advance(1300)
    const answered = run.respond('q1', { roots: [] })
    run.receive({ type: 'answered', taskId: TASK.taskId, inputKey: 'q1' })
    // The call has been made anew by now, and its record is about another task.
    await page.settle()
    storage.record = { ...INTENT, task: { ...RECORDED, taskId: 't2' } }
    run.receive({ type: 'created', record: storage.record })
    takeTurn()
    await answered
    expect(sent.updates).toEqual([])
  })

  it('that is acknowledged when the task is over is noted, for pages that do not know yet', async () => {
    const { page, run, storage } = begin({ polls: [asks, cancelled], updates: ['never', undefined] })
    await page.advance(1500)
    const answered = run.respond('q1', { roots: [] })
    await page.advance(1000)
    expect(storage.record?.task).toMatchObject({ status: 'cancelled', answered: [] })
    await page.advance(40_000)
    await answered
    expect(storage.record?.task).toMatchObject({ status: 'cancelled', answered: ['q1'] })
  })

  it('that the server refuses rejects, and the question stands', async () => {
    const refusal = new TaskRequestError('no', { kind: 'server', code: -32602 })
    const { page, run, state, storage } = begin({ polls: [asks], updates: [refusal, undefined] })
    await page.advance(1300)
    await expect(run.respond('q1', { roots: [] })).rejects.toThrow('no')
    expect(Object.keys(state().inputRequests)).toEqual(['q1'])
    expect(storage.record?.task?.answered).toEqual([])
    await run.respond('q1', { roots: [] })
    expect(state().inputRequests).toEqual({})
  })

  it('goes out once a question, however often it is given', async () => {
    const { page, run, sent } = begin({ polls: [asks] })
    await page.advance(1300)
    await Promise.allSettled([run.respond('q1', { roots: [] }), run.respond('q1', { roots: [] })])
    await run.respond('q1', { roots: [] }).catch(() => {})
    expect(sent.updates).toHaveLength(1)
  })

  it('a question named __proto__ is one like any other', async () => {
    const hostile = JSON.parse('{"__proto__":{"method":"roots/list"}}')
    const { page, run, sent, state } = begin({ polls: [{ ...asks, inputRequests: hostile }] })
    await page.advance(1300)
    await run.respond('__proto__', { roots: [] })
    expect(JSON.stringify(sent.updates)).toBe('[{"__proto__":{"roots":[]}}]')
    expect(Object.keys(state().inputRequests)).toEqual([])
  })
})

describe('followed only while watched', () => {
  const lazy = { followUnwatched: false }

  it('is not polled before somebody watches', async () => {
    const { page, run, polls, scheduled } = begin(lazy)
    await page.advance(10_000)
    expect(polls).toEqual([])
    expect(scheduled.at(-1)).toBeUndefined()
    expect(page.pendingTimers()).toBe(0)
    run.watch()
    await page.settle()
    expect(polls).toEqual([10_000])
  })

  it('is polled at its pace while watched, by however many', async () => {
    const { page, run, polls } = begin(lazy)
    run.watch()
    run.watch()
    await page.advance(3500)
    expect(polls).toEqual([1000, 2000, 3000])
  })

  it('rests a tick after the last one has left, and not before', async () => {
    const { page, run, polls } = begin(lazy)
    const [first, second] = [run.watch(), run.watch()]
    await page.advance(1500)
    first()
    await page.advance(1000)
    expect(polls).toEqual([1000, 2000])
    second()
    await page.advance(60_000)
    expect(polls).toEqual([1000, 2000])
    expect(page.pendingTimers()).toBe(0)
  })

  it('one who leaves twice takes nobody else along', async () => {
    const { page, run, polls } = begin(lazy)
    const leave = run.watch()
    run.watch()
    leave()
    leave()
    await page.advance(1500)
    leave()
    await page.advance(1000)
    expect(polls).toEqual([1000, 2000])
  })

  it('goes on where somebody leaves and comes back in one breath, as StrictMode does', async () => {
    const { page, run, polls } = begin({ ...lazy, polls: ['never'] })
    const leave = run.watch()
    await page.advance(1200)
    leave()
    run.watch()
    await page.advance(5000)
    // The poll that was under way was not cut off.
    expect(polls).toEqual([1000])
  })

  it('goes on without polling early', async () => {
    const { page, run, polls } = begin(lazy)
    const leave = run.watch()
    await page.advance(1100)
    leave()
    await page.advance(100)
    run.watch()
    await page.advance(799)
    expect(polls).toEqual([1000])
    await page.advance(1)
    expect(polls).toEqual([1000, 2000])
  })

  it('goes on without polling early after a poll that was cut off', async () => {
    const { page, run, polls } = begin({ ...lazy, polls: ['never', working()] })
    const leave = run.watch()
    await page.advance(1100)
    leave()
    await page.advance(100)
    run.watch()
    await page.advance(799)
    expect(polls).toEqual([1000])
    await page.advance(200)
    expect(polls).toHaveLength(2)
  })

  it('goes on at once where the poll is long due', async () => {
    const { page, run, polls } = begin(lazy)
    const leave = run.watch()
    await page.advance(1500)
    leave()
    await page.advance(60_000)
    run.watch()
    await page.settle()
    expect(polls).toEqual([1000, 61_500])
  })

  it('makes the call all the same: only following can wait', async () => {
    const { page, outcome } = begin({ ...lazy, call: RESULT })
    await page.settle()
    expect(outcome.result).toBe(RESULT)
  })
})

describe('stop()', () => {
  it.each([
    ['before the answer', { call: 'never' }, 0, true],
    ['while waiting for the next poll', {}, 1500, true],
    ['in the middle of a poll', { polls: ['never'] }, 1500, true],
    ['before the call was sent', { isOffline: true }, 1500, false],
    ['while nobody watches', { followUnwatched: false }, 1500, true],
  ] satisfies [string, RunTestOptions, number, boolean][])(
    '%s rejects with its reason and leaves no timer and no listener',
    async (_, options, at, isRecorded) => {
      const { page, run, outcome, log, storage } = begin(options)
      await page.advance(at)
      const reason = new Error('closed')
      run.stop(reason)
      await page.settle()
      expect(outcome.error).toBe(reason)
      expect(page.pendingTimers()).toBe(0)
      expect(page.listeners()).toBe(0)
      expect(log).not.toContain('tasks/cancel')
      expect(log).not.toContain('remove')
      // A call that was never sent leaves nothing to take up again.
      expect(storage.record !== undefined).toBe(isRecorded)
    },
  )

  it('changes no state: the task goes on', async () => {
    const { page, run, state } = begin()
    await page.advance(1500)
    const before = state()
    run.stop(new Error('closed'))
    await page.settle()
    expect(state()).toBe(before)
  })

  it('makes cancel() and respond() harmless', async () => {
    const { page, run, log } = begin({ polls: [asks] })
    await page.advance(1500)
    run.stop(new Error('closed'))
    await page.settle()
    await run.cancel()
    expect(log).not.toContain('tasks/cancel')
  })
})

describe('a storage that throws on every call', () => {
  it('harms nothing but the memory of a reload', async () => {
    const throwing = (): never => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    const errors: TaskStorageError[] = []
    const records = createRecordStore({
      storage: { getItem: throwing, setItem: throwing, removeItem: throwing, keys: throwing },
      endpoint: '',
      scope: '',
      now: () => START,
      pause: () => Promise.resolve(),
      onError: (error) => errors.push(error),
    })
    const { page, run, outcome, polls } = begin({ records, polls: [asks, working(), completed()] })
    await page.advance(1500)
    await run.respond('q1', { roots: [] })
    await run.cancel()
    await page.hidePage()
    await page.advance(10_000)
    expect(outcome.result).toBe(RESULT)
    expect(polls).toEqual([1000, 2000, 3000])
    expect(errors.length).toBeGreaterThan(3)
  })
})

function bare({ pollIntervalMs: _, ...task }: Task): Task {
  return task
}
