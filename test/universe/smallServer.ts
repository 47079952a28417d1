import type { RpcRequest, RpcResponse } from '../chaos/chaosServer.js'

/** The text of the result of a call, by its number. */
export const textOf = (call: number): string => `the result of ${call}`
export const INPUT_KEY = 'size'

/** A server with one tool, of which each change is a step: nothing about it depends on time. */
export interface SmallServer {
  handle(request: RpcRequest): RpcResponse
  /** How often the tool was run for a call. */
  executions(call: number): number
  readonly tasks: ReadonlyMap<string, SmallTask>
  /** The task asks the user something. */
  ask(task: SmallTask): void
  /** The task comes to its end. */
  end(task: SmallTask): void
  state(): unknown
}

export interface SmallTask {
  readonly taskId: string
  /** The number of the call, from 0. */
  readonly call: number
  readonly createdAt: number
  status: 'working' | 'input_required' | 'completed' | 'cancelled'
  lastUpdatedAt: number
  answer?: unknown
  /** The server was asked to stop it, in time or not. */
  isStopAsked?: true
}

const TASKS = 'io.modelcontextprotocol/tasks'
const INTERVAL_MS = 1000

const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, extensions: { [TASKS]: {} } },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'small', version: '1.0.0' } },
}

const INPUT_REQUEST = {
  method: 'elicitation/create',
  params: { message: 'Which size?', requestedSchema: { type: 'object', properties: { answer: { type: 'string' } } } },
}

export function createSmallServer(now: () => number): SmallServer {
  const tasks = new Map<string, SmallTask>()
  const executions = [0, 0]

  function set(task: SmallTask, status: SmallTask['status']): void {
    task.status = status
    task.lastUpdatedAt = Math.max(now(), task.lastUpdatedAt + 1)
  }

  function snapshot({ taskId, status, createdAt, lastUpdatedAt }: SmallTask) {
    return {
      taskId,
      status,
      createdAt: new Date(createdAt).toISOString(),
      lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
      ttlMs: null,
      pollIntervalMs: INTERVAL_MS,
    }
  }

  function detailed(task: SmallTask): Record<string, unknown> {
    return {
      ...snapshot(task),
      ...(task.status === 'input_required' && { inputRequests: { [INPUT_KEY]: INPUT_REQUEST } }),
      ...(task.status === 'completed' && { result: { content: [{ type: 'text', text: textOf(task.call) }] } }),
    }
  }

  function run(params: Readonly<Record<string, unknown>>): RpcResponse {
    const { call } = params['arguments'] as { call: number }
    executions[call] = (executions[call] ?? 0) + 1
    const task: SmallTask = {
      taskId: `task-${tasks.size + 1}`,
      call,
      createdAt: now(),
      lastUpdatedAt: now(),
      status: 'working',
    }
    tasks.set(task.taskId, task)
    return { result: { ...snapshot(task), resultType: 'task' } }
  }

  function update(task: SmallTask, responses: unknown): undefined {
    if (task.status !== 'input_required') return
    task.answer = (responses as Readonly<Record<string, unknown>>)[INPUT_KEY]
    set(task, 'working')
  }

  function cancel(task: SmallTask): undefined {
    task.isStopAsked = true
    if (isAtWork(task)) set(task, 'cancelled')
  }

  function onTask(taskId: unknown, action: (task: SmallTask) => Record<string, unknown> | undefined): RpcResponse {
    const task = tasks.get(String(taskId))
    if (task === undefined) return { error: { code: -32602, message: 'Unknown task' } }
    return { result: { resultType: 'complete', ...action(task) } }
  }

  return {
    handle: ({ method, params = {} }) => {
      switch (method) {
        case 'server/discover':
          return { result: DISCOVERED }
        case 'tools/list':
          return { result: { resultType: 'complete', tools: [TOOL], ttlMs: 0, cacheScope: 'private' } }
        case 'tools/call':
          return run(params)
        case 'tasks/get':
          return onTask(params['taskId'], detailed)
        case 'tasks/update':
          return onTask(params['taskId'], (task) => update(task, params['inputResponses']))
        case 'tasks/cancel':
          return onTask(params['taskId'], cancel)
        default:
          return { error: { code: -32601, message: 'Method not found' } }
      }
    },
    executions: (call) => executions[call] ?? 0,
    tasks,
    ask: (task) => set(task, 'input_required'),
    end: (task) => set(task, 'completed'),
    state: () => [...tasks.values()].map((task) => ({ ...task })),
  }
}

const TOOL = { name: 'work', inputSchema: { type: 'object' } }

export function isAtWork({ status }: SmallTask): boolean {
  return status === 'working' || status === 'input_required'
}
