import fc from 'fast-check'
import { edits } from './clientCase.js'
import { REQUEST_MANGLES, type RequestMangle } from './kinds.js'
import type { Edit } from './mutateJson.js'

type Json = Record<string, unknown>

/** A request before it is mangled. `taskId` is put in by the run, which knows one. */
export interface ServerStep {
  readonly request: { readonly method: string; readonly params: Json; readonly isNotification?: boolean }
  readonly era: 'modern' | 'legacy'
  /** Undefined: it is sent as it is. */
  readonly mangle: RequestMangle | undefined
  readonly edits: readonly Edit[]
  /** Time that passes after it. */
  readonly waitMs: number
}

export interface ServerCase {
  readonly steps: readonly ServerStep[]
}

/** Stands in params for a task that a step before has made. */
export const SOME_TASK = 'some task'

const call = (name: string, args: Json, more: Json = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args, ...more },
})
const onTask = (method: string, more: Json = {}) => ({ method, params: { taskId: SOME_TASK, ...more } })

const request = fc.constantFrom<ServerStep['request']>(
  call('greet', { name: 'Ada' }),
  call('greet', { name: 'Ada' }, { _meta: { progressToken: 'p' } }),
  call('slow', { ms: 1500 }),
  call('slow', { ms: 0 }),
  call('slow', { ms: 400 }, { task: { ttl: 1000 } }),
  call('required', { ms: 800 }),
  call('failing', { how: 'isError' }),
  call('failing', { how: 'protocol' }),
  call('ask', { times: 2 }),
  call('unheard-of', {}),
  onTask('tasks/get'),
  onTask('tasks/get'),
  onTask('tasks/cancel'),
  onTask('tasks/result'),
  onTask('tasks/update', { inputResponses: { 'input-1': { action: 'accept', content: { name: 'Ada' } } } }),
  { method: 'subscriptions/listen', params: { notifications: { taskIds: [SOME_TASK, 'nobody'] } } },
  { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } },
  { method: 'server/discover', params: {} },
  { method: 'tools/list', params: {} },
  { method: 'tools/list', params: { cursor: 'x' } },
  { method: 'ping', params: {} },
  { method: 'resources/list', params: {} },
  { method: 'logging/setLevel', params: { level: 'debug' } },
  {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
  },
  { method: 'notifications/initialized', params: {}, isNotification: true },
  { method: 'notifications/cancelled', params: { requestId: 1 }, isNotification: true },
)

const step: fc.Arbitrary<ServerStep> = fc.record({
  request,
  era: fc.constantFrom('modern' as const, 'modern' as const, 'legacy' as const),
  mangle: fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 5, arbitrary: fc.constantFrom(...REQUEST_MANGLES, 'request members' as const, 'request text' as const) },
  ),
  edits,
  waitMs: fc.constantFrom(0, 0, 100, 2000),
})

/** How runs of the server are made. */
export const serverCases: fc.Arbitrary<ServerCase> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
})
