import { randomUUID } from 'node:crypto'
import {
  type CreateTaskRequestHandlerExtra,
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { ToolContext } from 'taskwire/server'
import { type RenderInput, renderInput } from '../shared/render.js'
import type { NodeHandler } from './nodeHandler.js'
import { farmStatus, renderShot } from './tools.js'

/**
 * The same tools on a server of MCP 2025-11-25, where tasks were an experiment: by SDK v1 and its task store, with a
 * session for each client.
 */
export function createLegacyServer(): { readonly handle: NodeHandler; close(): Promise<void> } {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const taskStore = new InMemoryTaskStore()
  const taskMessageQueue = new InMemoryTaskMessageQueue()

  async function open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    // SDK v1 is not written for exactOptionalPropertyTypes.
    await createMcpServer().connect(transport as Parameters<McpServer['connect']>[0])
    return transport
  }

  function createMcpServer(): McpServer {
    const server = new McpServer(
      { name: 'taskwire-demo-legacy', version: '1.0.0' },
      {
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore,
        taskMessageQueue,
      },
    )
    server.registerTool(
      farmStatus.name,
      { annotations: { readOnlyHint: true, idempotentHint: true } },
      async () => (await farmStatus.handler({}, direct)) as CallToolResult,
    )
    server.experimental.tasks.registerToolTask(
      renderShot.name,
      { inputSchema: renderInput.shape, execution: { taskSupport: 'optional' } },
      {
        createTask: async (args, extra) => {
          const ttl = extra.taskRequestedTtl
          const task = await extra.taskStore.createTask({ ...(ttl !== undefined && { ttl }), pollInterval: 1000 })
          void work(args, task.taskId, extra.taskStore)
          return { task }
        },
        getTask: (_, extra) => extra.taskStore.getTask(extra.taskId),
        getTaskResult: async (_, extra) => (await extra.taskStore.getTaskResult(extra.taskId)) as CallToolResult,
      },
    )
    return server
  }

  return {
    handle: async (request, response) => {
      const id = request.headers['mcp-session-id']
      const known = typeof id === 'string' ? sessions.get(id) : undefined
      if (id !== undefined && known === undefined) {
        const error = { code: -32001, message: 'Session not found' }
        response.writeHead(404, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
        return
      }
      await (known ?? (await open())).handleRequest(request, response)
    },
    close: async () => {
      for (const transport of sessions.values()) await transport.close()
      taskStore.cleanup()
    },
  }
}

/** What a tool may do that is answered directly. */
const direct: ToolContext = {
  signal: new AbortController().signal,
  attempt: 1,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  clientCapabilities: {},
  meta: {},
  inputResponses: {},
  progress: async () => {},
  elicit: unasked,
  sample: unasked,
  listRoots: unasked,
  once: async (_, step) => step(),
  requestState: () => undefined,
}

/** Runs the handler of the other server, as far as a task of that time can show it. */
async function work(
  args: RenderInput,
  taskId: string,
  store: CreateTaskRequestHandlerExtra['taskStore'],
): Promise<void> {
  try {
    const result = await renderShot.handler(args, {
      ...direct,
      taskId,
      // Throws once the task is cancelled, and so ends the work.
      progress: (done: number | string, total?: number, message?: string) =>
        store.updateTaskStatus(taskId, 'working', `${message} (${done} of ${total})`),
    })
    await store.storeTaskResult(taskId, result.isError ? 'failed' : 'completed', result as CallToolResult)
  } catch (error) {
    // Cancelled meanwhile, it takes no more changes.
    await store.updateTaskStatus(taskId, 'failed', String((error as Error).message)).catch(() => {})
  }
}

function unasked(): never {
  throw new TypeError('A render asks nothing.')
}
