import { onTestFinished } from 'vitest'
import type { TaskServerErrorContext } from '../../../src/server/base/reportError.js'
import { createTaskServer, type TaskServer } from '../../../src/server/createTaskServer.js'
import type { TaskServerOptions } from '../../../src/server/taskServerOptions.js'
import { createManualClock, type ManualClock, settle } from './manualClock.js'
import { type Json, type RpcOptions, type RpcResponse, rpc } from './rpc.js'

/** A server on a clock that stands still, with the calls a test makes of it. */
export interface ServerUnderTest {
  server: TaskServer
  clock: ManualClock
  /** What `onError` heard. */
  errors: { error: unknown; context: TaskServerErrorContext }[]
  call(name: string, args?: Json, options?: RpcOptions): Promise<RpcResponse>
  /** Calls a tool that becomes a task, and gives its id. */
  start(name: string, args?: Json, options?: RpcOptions): Promise<string>
  /** Everything `tasks/get` says, once all that can run has run. */
  get(taskId: string, options?: RpcOptions): Promise<Json>
  update(taskId: string, inputResponses: unknown, options?: RpcOptions): Promise<RpcResponse>
  cancel(taskId: string, options?: RpcOptions): Promise<RpcResponse>
  rpc(method: string, params: Json, options?: RpcOptions): Promise<RpcResponse>
}

/** What a test chooses. */
export type TestServerOptions = Omit<TaskServerOptions, 'serverInfo' | 'clock' | 'onError'> & {
  /** For servers that share their time. @default a clock of its own */
  clock?: ManualClock
}

export function startServer(options: TestServerOptions): ServerUnderTest {
  const { clock = createManualClock() } = options
  const errors: ServerUnderTest['errors'] = []
  const server = createTaskServer({
    serverInfo: { name: 'test', version: '1.0.0' },
    onError: (error, context) => errors.push({ error, context }),
    ...options,
    clock,
  })
  onTestFinished(() => server.close())

  const call: ServerUnderTest['call'] = (name, args = {}, rest = {}) =>
    rpc(server, 'tools/call', { name, arguments: args }, rest)

  return {
    server,
    clock,
    errors,
    call,
    async start(name, args, rest) {
      const { result } = await call(name, args, rest)
      if (result?.['resultType'] !== 'task') throw new Error(`no task but ${JSON.stringify(result)}`)
      return String(result['taskId'])
    },
    async get(taskId, rest) {
      await settle()
      const { result, error } = await rpc(server, 'tasks/get', { taskId }, rest)
      if (result === undefined) throw new Error(`no task but ${JSON.stringify(error)}`)
      return result
    },
    update: (taskId, inputResponses, rest) => rpc(server, 'tasks/update', { taskId, inputResponses }, rest),
    cancel: (taskId, rest) => rpc(server, 'tasks/cancel', { taskId }, rest),
    rpc: (method, params, rest) => rpc(server, method, params, rest),
  }
}
