/** Where the name of the start stands in `_meta` of a `tools/call`: to the app, each start of a key is the same call. */
export const NONCE_META = 'chaos/nonce'

/** What becomes of a call. But for the name, it travels as the arguments of the tool. */
export interface CallPlan {
  /** Names the start that the call came from. */
  readonly nonce: string
  readonly answer: 'task' | 'ended task' | 'result' | 'refusal'
  readonly seconds: number
  readonly outcome: 'success' | 'failure' | 'tool error'
  /** The interval that the server asks for, in the first half of the task and in the second, in ms. */
  readonly intervalsMs: readonly [number, number]
  readonly ttlMs: number | null
  readonly obeysCancel: boolean
  /** Input requests that the task sends at its start and waits for. */
  readonly questions: readonly string[]
}

/** A task with everything that happened to it. */
export interface ServerTask {
  readonly taskId: string
  readonly plan: CallPlan
  readonly createdAt: number
  cancelledAt?: number
  /** Whether a `tasks/cancel` for it has arrived. */
  isAskedToStop: boolean
  /** Answers by input request: the first that came, and when. */
  readonly answers: Map<string, { readonly response: unknown; readonly at: number }>
}

/** What a task comes to. */
export type Truth =
  | { readonly status: 'completed'; readonly text: string; readonly isError: boolean }
  | { readonly status: 'failed'; readonly code: number }
  | { readonly status: 'cancelled' }

/** What is to become of a `tools/call`. One by `callToolRaw` has no `_meta` of the app, and may be named in its arguments. */
export function planOf(params: Readonly<Record<string, unknown>>): CallPlan {
  const meta = params['_meta'] as Readonly<Record<string, unknown>> | undefined
  const plan = params['arguments'] as Omit<CallPlan, 'nonce'> & Partial<CallPlan>
  return { ...plan, nonce: String(meta?.[NONCE_META] ?? plan?.nonce) }
}

export interface RpcRequest {
  readonly id?: string | number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export type RpcResponse =
  | { readonly result: Record<string, unknown> }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

export interface ChaosServer {
  /** Answers a request; a `tasks/get` as a replica does that is `staleBy` ms behind. */
  handle(request: RpcRequest, staleBy?: number): RpcResponse
  /** Every task ever created. */
  readonly tasks: ReadonlyMap<string, ServerTask>
  /** Whether the server has dropped the task. */
  isExpired(task: ServerTask): boolean
  /** What a task has come to; undefined while it is at work. */
  truth(task: ServerTask): Truth | undefined
  /** Whether the task waits for responses. */
  isAsking(task: ServerTask): boolean
  /** Whether it has `subscriptions/listen`. */
  readonly pushes: boolean
  /** The task as it was so many ms ago, for a status notification. */
  notification(task: ServerTask, staleBy?: number): Record<string, unknown>
  /** When the task changes next of its own accord, ms since the epoch; undefined where it has ended. */
  changesAt(task: ServerTask): number | undefined
  /** The process ends and another one starts: it knows no task and no key, and counts task ids from 1 again. */
  restart(): void
  /** From now on it asks to be polled this seldom, in ms, or less often. */
  slowDown(intervalMs: number): void
}

export interface ChaosServerOptions {
  /** ms since the epoch; nobody corrects this clock. */
  readonly now: () => number
  /** A tool was run, which it must be once per call. */
  readonly onExecuted: (nonce: string) => void
  /** Whether it knows a call that comes again by its key. @default false */
  readonly isIdempotent?: boolean
  /** A call has come again under its key. */
  readonly onRepeated?: () => void
  /** Whether it has `subscriptions/listen`. @default false */
  readonly pushes?: boolean
  /** A client has changed a task. */
  readonly onChanged?: () => void
  /** The id of the task with this number. @default 'task-1' and so on */
  readonly taskId?: (sequence: number) => string
}

const TASKS = 'io.modelcontextprotocol/tasks'
const IDEMPOTENT_CALLS = 'dev.taskwire/idempotent-calls'
const KEY_META = 'dev.taskwire/idempotencyKey'
const FAILED = -32050
const CANCEL_TAKES_MS = 700
const NO_METHOD: RpcResponse = { error: { code: -32601, message: 'Method not found' } }
const UNKNOWN_TASK: RpcResponse = { error: { code: -32602, message: 'Unknown task' } }

const OTHER_CALL: RpcResponse = {
  error: {
    code: -32602,
    message: 'The key belongs to another call',
    data: { reason: 'idempotency-key-of-another-call' },
  },
}

const discovered = (extensions: object) => ({
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, extensions: { [TASKS]: {}, ...extensions } },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'chaos', version: '1.0.0' } },
})

const tool = (name: string, annotations: object) => ({ name, annotations, inputSchema: { type: 'object' } })
const LISTED = {
  resultType: 'complete',
  tools: [tool('work', {}), tool('look', { readOnlyHint: true })],
  ttlMs: 0,
  cacheScope: 'private',
}

/** A server of revision 2026-07-28 that computes its tasks from the time, so that it has no timers, and keeps the books. */
export function createChaosServer({ now, onExecuted, ...options }: ChaosServerOptions): ChaosServer {
  const { taskId: newTaskId = (sequence: number) => `task-${sequence}`, isIdempotent = false, pushes = false } = options
  const { onRepeated, onChanged } = options
  const tasks = new Map<string, ServerTask>()
  let leastIntervalMs = 0
  /** What became of calls, by their keys. */
  const byKey = new Map<string, { readonly request: string; readonly became: RpcResponse | ServerTask }>()

  function endsAt({ plan, createdAt, answers, cancelledAt }: ServerTask): number {
    if (cancelledAt !== undefined) return cancelledAt
    if (plan.answer === 'ended task') return createdAt
    const answeredAt = plan.questions.map((key) => answers.get(key)?.at ?? Number.POSITIVE_INFINITY)
    return Math.max(createdAt + plan.seconds * 1000, ...answeredAt.map((at) => at + 1))
  }

  function truthAt(task: ServerTask, at: number): Truth | undefined {
    if (at < endsAt(task)) return undefined
    const { plan, cancelledAt } = task
    if (cancelledAt !== undefined) return { status: 'cancelled' }
    if (plan.outcome === 'failure') return { status: 'failed', code: FAILED }
    return { status: 'completed', text: plan.nonce, isError: plan.outcome === 'tool error' }
  }

  function openInputRequests({ plan, answers }: ServerTask, at: number): string[] {
    return plan.questions.filter((key) => (answers.get(key)?.at ?? Number.POSITIVE_INFINITY) > at)
  }

  function snapshot(task: ServerTask, at: number): Record<string, unknown> {
    const { taskId, plan, createdAt } = task
    const truth = truthAt(task, at)
    const end = truth ? endsAt(task) : at
    const step = Math.floor((end - createdAt) / 2000)
    const open = openInputRequests(task, at)
    const isAsking = truth === undefined && open.length > 0
    const isLate = at - createdAt > plan.seconds * 500
    return {
      taskId,
      status: truth?.status ?? (isAsking ? 'input_required' : 'working'),
      statusMessage: `step ${step}`,
      createdAt: iso(createdAt),
      lastUpdatedAt: iso(truth ? end : createdAt + step * 2000),
      ttlMs: plan.ttlMs,
      pollIntervalMs: Math.max(plan.intervalsMs[isLate ? 1 : 0], leastIntervalMs),
      ...(isAsking && { inputRequests: Object.fromEntries(open.map((key) => [key, question(key)])) }),
      ...(truth?.status === 'completed' && { result: toolResult(truth.text, truth.isError) }),
      ...(truth?.status === 'failed' && { error: { code: truth.code, message: 'It went wrong.' } }),
    }
  }

  function call(params: Readonly<Record<string, unknown>>): RpcResponse {
    const key = (params['_meta'] as Readonly<Record<string, unknown>> | undefined)?.[KEY_META]
    if (!isIdempotent || typeof key !== 'string') return respond(run(params))
    const request = JSON.stringify([params['name'], params['arguments']])
    const known = byKey.get(key)
    if (known !== undefined && known.request !== request) return OTHER_CALL
    if (known !== undefined) onRepeated?.()
    const became = known?.became ?? run(params)
    byKey.set(key, { request, became })
    return respond(became)
  }

  function respond(became: RpcResponse | ServerTask): RpcResponse {
    if (!('taskId' in became)) return became
    const { result: _, error: __, inputRequests: ___, ...created } = snapshot(became, now())
    return { result: { ...created, resultType: 'task' } }
  }

  function run(params: Readonly<Record<string, unknown>>): RpcResponse | ServerTask {
    const plan = planOf(params)
    if (plan.answer === 'refusal') return { error: { code: -32602, message: 'Such arguments do not do.' } }
    onExecuted(plan.nonce)
    if (plan.answer === 'result')
      return { result: { ...toolResult(plan.nonce, plan.outcome !== 'success'), resultType: 'complete' } }
    const task = { taskId: newTaskId(tasks.size + 1), plan, createdAt: now(), isAskedToStop: false, answers: new Map() }
    tasks.set(task.taskId, task)
    return task
  }

  function cancel(task: ServerTask): undefined {
    const at = now() + CANCEL_TAKES_MS
    task.isAskedToStop = true
    if (task.plan.obeysCancel && truthAt(task, at) === undefined) task.cancelledAt ??= at
    onChanged?.()
  }

  function update(task: ServerTask, responses: unknown): undefined {
    for (const [key, response] of Object.entries(responses as object)) {
      if (!task.answers.has(key)) task.answers.set(key, { response, at: now() })
    }
    onChanged?.()
  }

  const isExpired = ({ plan, createdAt }: ServerTask) => plan.ttlMs !== null && now() >= createdAt + plan.ttlMs

  function onTask(taskId: unknown, action: (task: ServerTask) => Record<string, unknown> | undefined): RpcResponse {
    const task = tasks.get(String(taskId))
    if (task === undefined || isExpired(task)) return UNKNOWN_TASK
    return { result: { resultType: 'complete', ...action(task) } }
  }

  return {
    tasks,
    isExpired,
    truth: (task) => truthAt(task, now()),
    pushes,
    notification: (task, staleBy = 0) => snapshot(task, Math.max(task.createdAt, now() - staleBy)),
    changesAt: (task) => {
      if (truthAt(task, now()) !== undefined) return undefined
      const step = Math.floor((now() - task.createdAt) / 2000) + 1
      return Math.min(endsAt(task), task.createdAt + step * 2000)
    },
    restart: () => {
      tasks.clear()
      byKey.clear()
    },
    slowDown: (intervalMs) => {
      leastIntervalMs = intervalMs
    },
    isAsking: (task) => truthAt(task, now()) === undefined && openInputRequests(task, now()).length > 0,
    handle: ({ method, params = {} }, staleBy = 0) => {
      switch (method) {
        case 'server/discover':
          return { result: discovered(isIdempotent ? { [IDEMPOTENT_CALLS]: {} } : {}) }
        case 'tools/list':
          return { result: LISTED }
        case 'tools/call':
          return call(params)
        case 'subscriptions/listen':
          return pushes ? { result: { resultType: 'complete' } } : NO_METHOD
        case 'tasks/get':
          return onTask(params['taskId'], (task) => snapshot(task, Math.max(task.createdAt, now() - staleBy)))
        case 'tasks/cancel':
          return onTask(params['taskId'], cancel)
        case 'tasks/update':
          return onTask(params['taskId'], (task) => update(task, params['inputResponses']))
        default:
          return NO_METHOD
      }
    },
  }
}

function toolResult(text: string, isError: boolean): Record<string, unknown> {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) }
}

function question(key: string): object {
  const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } } }
  return { method: 'elicitation/create', params: { message: key, requestedSchema } }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
