import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { createTaskGateway, type TaskGateway, type TaskGatewayOptions } from 'taskwire/gateway'
import type { TaskServerErrorContext } from 'taskwire/server'
import { onTestFinished } from 'vitest'
import { createManualClock, type ManualClock, settle } from '../server/support/manualClock.js'
import { type Json, type RpcOptions, type RpcResponse, readResponse, rpcRequest } from '../server/support/rpc.js'

/** A server behind that a test has started by its first request, and can stop. */
export interface StartedServer {
  readonly owner: string
  readonly server: McpServer
  /** As a process that ends: the connection is gone. */
  stop(): Promise<void>
}

/** A gateway on a clock that stands still, in front of servers in memory. */
export interface GatewayUnderTest {
  readonly gateway: TaskGateway
  readonly clock: ManualClock
  /** In the order of their starts. */
  readonly started: StartedServer[]
  readonly errors: { error: unknown; context: TaskServerErrorContext }[]
  rpc(method: string, params: Json, options?: RpcOptions): Promise<RpcResponse>
  call(name: string, args?: Json, options?: RpcOptions): Promise<RpcResponse>
  /** Calls a tool that becomes a task once so many ms have passed, and gives its id. */
  start(name: string, args?: Json, afterMs?: number, options?: RpcOptions): Promise<string>
  get(taskId: string, options?: RpcOptions): Promise<Json>
}

/** A gateway whose servers behind `setUp` fills with tools. */
export function startGateway(
  setUp: (server: McpServer) => void,
  options: Partial<TaskGatewayOptions> = {},
): GatewayUnderTest {
  const clock = createManualClock()
  const started: StartedServer[] = []
  const errors: GatewayUnderTest['errors'] = []
  const gateway = createTaskGateway({
    async transport({ owner }) {
      const server = new McpServer({ name: 'behind', version: '1' })
      setUp(server)
      const [front, behind] = InMemoryTransport.createLinkedPair()
      await server.connect(behind)
      started.push({ owner, server, stop: () => server.close() })
      return front
    },
    onError: (error, context) => errors.push({ error, context }),
    clock,
    ...options,
  })
  onTestFinished(() => gateway.close())
  const rpc: GatewayUnderTest['rpc'] = async (method, params, rest) =>
    readResponse(await gateway.fetch(rpcRequest(method, params, rest)))
  const call: GatewayUnderTest['call'] = (name, args = {}, rest = {}) =>
    rpc('tools/call', { name, arguments: args }, rest)

  return {
    gateway,
    clock,
    started,
    errors,
    rpc,
    call,
    async start(name, args, afterMs = 2000, rest = {}) {
      const answer = call(name, args, rest)
      await settle()
      await clock.advance(afterMs)
      const { result, error } = await answer
      if (result?.['resultType'] !== 'task') throw new Error(`no task but ${JSON.stringify(result ?? error)}`)
      return String(result['taskId'])
    },
    async get(taskId, rest) {
      await settle()
      const { result, error } = await rpc('tasks/get', { taskId }, rest)
      if (result === undefined) throw new Error(`no task but ${JSON.stringify(error)}`)
      return result
    },
  }
}
