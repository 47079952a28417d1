import { createSimulatedEnvironment } from 'taskwire/testing'
import { expect } from 'vitest'
import type { CallRules } from '../../src/call/call.js'
import type { CallTap } from '../../src/call/callChange.js'
import { type CallRuntimeOptions, createCallRuntime } from '../../src/call/callRuntime.js'
import { type CallTabs, type Leadership, NOOP_CALL_TABS } from '../../src/call/callTabs.js'
import { handlerOf, type InputHandlers } from '../../src/call/inputHandlers.js'
import type { CallEnd } from '../../src/call/lockCall.js'
import type { Wish } from '../../src/call/planStart.js'
import { DEFAULT_POLL_POLICY, type PollPolicy } from '../../src/call/pollPolicy.js'
import { NO_PUSH, type PushSubscriptionOptions } from '../../src/call/pushSubscription.js'
import { resumeCancel, startCall } from '../../src/call/startCall.js'
import type { TaskMessage } from '../../src/call/taskMessage.js'
import type { TaskPort, ToolCallRequest } from '../../src/call/taskPort.js'
import type { CallToolResult } from '../../src/protocol/callToolResult.js'
import { TaskRequestError } from '../../src/protocol/errors.js'
import type { InputRequest } from '../../src/protocol/inputRequest.js'
import type { DetailedTask, Task } from '../../src/protocol/task.js'
import type { RecordedTask, ToolCallRecord } from '../../src/storage/toolCallRecord.js'

/** When a stubbed call is made, ms since the epoch. */
export const START: number = Date.UTC(2026, 6, 28)

export const TASK: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}

export const RESULT: CallToolResult = { content: [{ type: 'text', text: 'done' }] }

/** What is recorded of a call with a key before it is sent. */
export const INTENT: ToolCallRecord = {
  callId: 'c1',
  tool: 'report',
  key: 'weekly',
  endpoint: 'https://example.com/mcp',
  scope: '',
  era: 'modern',
  startedAt: START,
}

export const working = (changes: Partial<Task> = {}): DetailedTask => ({ ...TASK, ...changes, status: 'working' })
export const completed = (changes: Partial<Task> = {}): DetailedTask => ({
  ...TASK,
  ...changes,
  status: 'completed',
  result: RESULT,
})
export const failed: DetailedTask = { ...TASK, status: 'failed', error: { code: -32050, message: 'Out of paper' } }
export const cancelled: DetailedTask = { ...TASK, status: 'cancelled' }
export const asks: Extract<DetailedTask, { status: 'input_required' }> = {
  ...TASK,
  status: 'input_required',
  inputRequests: { q1: { method: 'roots/list' } },
}
/** A handler that responds when the test says so, and the signal that it was given. */
export function heldHandler() {
  const held = { signal: undefined as AbortSignal | undefined, finish: () => {} }
  const handlers: InputHandlers = {
    roots: (_request, { signal }) => {
      held.signal = signal
      return new Promise((resolve) => {
        held.finish = () => resolve({ roots: [] })
      })
    },
  }
  return { held, handlers }
}

export const down = (): TaskRequestError => new TaskRequestError('down', { kind: 'network' })

/** A record with a task, as an earlier page has left it. */
export const recorded = (changes: Partial<RecordedTask> = {}): ToolCallRecord => ({
  ...INTENT,
  task: { ...TASK, receivedAt: START, answered: [], isCancelling: false, ...changes },
})

/** What a request is answered with; `never`: not at all. */
export type Response<T> = T | Error | 'never'

export interface StubbedCallOptions {
  /** @default 'weekly' */
  key?: string | undefined
  request?: ToolCallRequest
  /** A record with a task that is followed at once. */
  follows?: ToolCallRecord
  /** What another page has left in the storage. */
  found?: ToolCallRecord
  /** @default 'call' */
  wish?: Wish
  lostTaskId?: string
  /** How the server answers the `tools/call`. @default by {@link TASK} */
  call?: Response<Task | CallToolResult>
  /** How it answers each `tools/call`, in place of `call`; the last one stays. */
  calls?: Response<Task | CallToolResult>[]
  /** How long the server knows the key of a `tools/call`, in ms. @default 0: it takes none */
  keyTtlMs?: number
  /** An input request that comes before the response to the `tools/call`. */
  askedFirst?: InputRequest
  /** How it answers each `tasks/get`; the last one stays. @default working */
  polls?: Response<DetailedTask>[]
  /** How long it takes for that, in ms. */
  latencyMs?: number
  cancels?: Response<undefined>[]
  updates?: Response<undefined>[]
  isRepeatable?: boolean
  /** @default true */
  followsUnobserved?: boolean
  isOffline?: boolean
  policy?: Partial<PollPolicy>
  rules?: Partial<CallRules>
  handlers?: InputHandlers
  /** What is wrong with a response. @default nothing */
  validateInputResponse?: TaskPort['validateInputResponse']
  /** What the storage does otherwise. */
  records?: Partial<CallRuntimeOptions['records']>
  tabs?: Partial<CallTabs>
  /** What the connection does otherwise. */
  port?: Partial<TaskPort>
  /** What the push stream does otherwise. */
  push?: Partial<ReturnType<CallRuntimeOptions['createPush']>>
  tap?: CallTap
}

/** One call of a page whose time, server and storage the test decides, and a log of what happens to it. */
export function beginCall(options: StubbedCallOptions = {}) {
  const page = createSimulatedEnvironment({ now: START })
  const { environment } = page
  if (options.isOffline) void page.setOnline(false)
  /** What happened, in order. */
  const log: string[] = []
  const written: ToolCallRecord[] = []
  const storage: { record?: ToolCallRecord | undefined } = { record: options.found ?? options.follows }
  const polls: number[] = []
  const errors: unknown[] = []
  const posted: TaskMessage[] = []
  const sent: {
    callSignal?: AbortSignal
    request?: ToolCallRequest
    updates: unknown[]
    keys: unknown[]
    at: number[]
  } = {
    updates: [],
    keys: [],
    at: [],
  }
  const policy = { ...DEFAULT_POLL_POLICY, ...options.policy }
  const handlers = options.handlers ?? {}

  function store(what: string, record: ToolCallRecord): Promise<boolean> {
    log.push(`${what} ${record.task === undefined ? 'intent' : record.task.status}`)
    written.push(record)
    storage.record = record
    return Promise.resolve(true)
  }
  const records: CallRuntimeOptions['records'] = {
    write: (record) => store('write', record),
    update: (record) => store('update', record),
    read: () => Promise.resolve(storage.record),
    find: () => Promise.resolve(storage.record),
    remove: () => {
      log.push('remove')
      storage.record = undefined
      return Promise.resolve()
    },
    ...options.records,
  }

  function respond<T>(line: Response<T>[], signal: AbortSignal | undefined): Promise<T> {
    const next = line.length > 1 ? line.shift() : line[0]
    if (next instanceof Error) return Promise.reject(next)
    if (next !== 'never') return Promise.resolve(next as T)
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
  }
  const lines = {
    calls: options.calls ?? [options.call ?? TASK],
    polls: options.polls ?? [working()],
    cancels: options.cancels ?? [undefined],
    updates: options.updates ?? [undefined],
  }
  const port: TaskPort = {
    era: 'modern',
    callTool: async (request, { beforeSend, ask, signal }) => {
      const idempotencyKey = await beforeSend(options.keyTtlMs ?? 0)
      signal.throwIfAborted()
      log.push('tools/call')
      Object.assign(sent, { request, callSignal: signal })
      sent.keys.push(idempotencyKey)
      sent.at.push(page.now() - START)
      const { askedFirst } = options
      if (askedFirst !== undefined) sent.updates.push(await ask('r1', askedFirst, signal))
      const response = await respond(lines.calls, signal)
      return 'taskId' in response ? { type: 'task', task: response } : { type: 'result', result: response }
    },
    completeCall: (name, result) => {
      log.push(`complete ${name}`)
      return Promise.resolve(result)
    },
    isRepeatable: () => Promise.resolve(options.isRepeatable ?? false),
    missingCapability: () => undefined,
    validateInputResponse: options.validateInputResponse ?? (() => Promise.resolve(undefined)),
    listen: () => Promise.reject(new Error('nobody listens')),
    getTask: async (taskId, signal) => {
      log.push('tasks/get')
      expect(taskId).toBe(entryTask())
      polls.push(page.now() - START)
      const { latencyMs } = options
      if (latencyMs !== undefined) await new Promise<void>((resolve) => environment.setTimeout(resolve, latencyMs))
      return respond(lines.polls, signal)
    },
    updateTask: (_taskId, inputResponses, signal) => {
      log.push('tasks/update')
      sent.updates.push(inputResponses)
      return respond(lines.updates, signal)
    },
    cancelTask: (_taskId, signal) => {
      log.push('tasks/cancel')
      return respond(lines.cancels, signal)
    },
    ...options.port,
  }
  const tabs: CallTabs = {
    ...NOOP_CALL_TABS,
    postTask: (_taskId, message) => void posted.push(message),
    ...options.tabs,
  }
  const { endpoint, scope } = INTENT
  const context = { port, environment, records, owner: { endpoint, scope }, tabs }
  let push: Pick<PushSubscriptionOptions, 'onTask' | 'onHint' | 'onChange'> | undefined
  const isPushed = { value: false }
  const runtime = createCallRuntime({
    ...context,
    rules: {
      policy,
      missingInput: 'wait',
      stuckAfterPolls: 60,
      isHandled: (request) => handlerOf(handlers, request) !== undefined,
      missingCapability: () => undefined,
      ...options.rules,
    },
    handlers,
    createPush: (pushOptions) => {
      push = pushOptions
      return { ...NO_PUSH, isPushed: () => isPushed.value, ...options.push }
    },
    maxConcurrentPolls: 5,
    followsUnobserved: options.followsUnobserved ?? true,
    onChange: ({ shown }) => log.push(`show ${shown.phase}`),
    onPageShown: () => log.push('page shown'),
    onSettled: () => log.push('settled'),
    onError: (error) => errors.push(error),
    tap: options.tap ?? {},
  })
  const { follows } = options
  const key = 'key' in options ? options.key : 'weekly'
  const { name, arguments: args } = options.request ?? { name: 'report' }
  const entry = runtime.create({
    callId: 'c1',
    name,
    key,
    ...(args && { arguments: args }),
    startedAt: START,
    stage: 'waiting',
    for: 'lock',
  })
  const outcome: { result?: CallToolResult; error?: unknown } = {}
  entry.outcome.then(
    (result) => Object.assign(outcome, { result }),
    (error: unknown) => Object.assign(outcome, { error }),
  )

  function entryTask(): string | undefined {
    return 'task' in entry.call ? entry.call.task?.taskId : undefined
  }

  function follow(record: ToolCallRecord): void {
    const { task, startedAt, era } = record
    if (task === undefined) return
    storage.record = record
    delete entry.cancelling
    runtime.dispatch(entry, { type: 'adopted', task, startedAt, era })
    resumeCancel(entry, runtime)
  }

  const waiting: { settle?: ((end: CallEnd) => void) | undefined } = {}
  if (follows !== undefined) follow(follows)
  else {
    const { wish = 'call', lostTaskId } = options
    const onWaiting = (settle: ((end: CallEnd) => void) | undefined) => {
      waiting.settle = settle
    }
    const found = {
      records: { ...records, isNewer: () => Promise.resolve(false) },
      readFound: (callId: string) => records.read(callId),
    }
    void Promise.resolve().then(() =>
      startCall(
        { entry, wish, lostTaskId, isRefused: () => true, onConflict: () => {}, onWaiting },
        { ...context, ...found, runtime, rules: { policy } },
      ),
    )
  }

  return {
    page,
    runtime,
    entry,
    log,
    written,
    storage,
    polls,
    errors,
    posted,
    sent,
    outcome,
    waiting,
    isPushed,
    /** Follows the task of another record instead. */
    follow,
    state: () => entry.shown,
    count: (what: string) => log.filter((logged) => logged === what).length,
    /** When the next poll is due, ms since {@link START}. */
    nextPollIn: () => (entry.call.stage === 'following' ? entry.call.dueAt - START : undefined),
    cancel: () => runtime.cancel(entry),
    respond: (inputKey: string, response: Record<string, unknown>) => runtime.respond(entry, inputKey, response),
    leave: (reason: Error) => runtime.leave(entry, reason),
    /** What another tab posts about a task, by default about the one of this call. */
    receive: (message: TaskMessage, taskId = 't1') =>
      runtime.receive(taskId, { type: 'message', message, isOwn: false }),
    push: (task: DetailedTask) => push?.onTask(task),
    /** The server hints that a poll of the task would show something new. */
    hint: () => push?.onHint('t1'),
    changePush: (value: boolean) => {
      isPushed.value = value
      push?.onChange('t1')
    },
  }
}

/** The tabs of a page that has others beside it, and this election. */
export const tabsOf = (leadership: Leadership): Partial<CallTabs> => ({
  isAlone: false,
  hasPeers: () => true,
  isLeader: leadership.isLeader,
  leadershipOf: () => leadership,
})

/** An election that the test decides. */
export function stubLeadership(isLeader: boolean): {
  readonly leadership: Leadership
  readonly log: string[]
  set(isLeader: boolean, isStolen?: boolean): void
} {
  const log: string[] = []
  const listeners = new Set<() => void>()
  const state = { isLeader, wasStolen: false }
  const leadership: Leadership = {
    isLeader: () => state.isLeader,
    wasStolen: () => state.wasStolen,
    join: () => {
      log.push('join')
      return () => log.push('leave')
    },
    steal: () => log.push('take'),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    leadership,
    log,
    set: (leads, wasStolen = false) => {
      Object.assign(state, { isLeader: leads, wasStolen })
      for (const listener of [...listeners]) listener()
    },
  }
}
