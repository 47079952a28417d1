import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type CreateTaskRequestHandlerExtra,
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  type CallToolResult,
  CreateMessageResultSchema,
  ElicitResultSchema,
  type ServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js'
import { listen } from '../../support/listen.js'
import {
  type EraRequest,
  type EraServer,
  POLL_INTERVAL_MS,
  prompt,
  question,
  TOOLS,
  workInput,
  workOutput,
} from './eraServer.js'

type Work = { outcome: string; steps: number }

export interface LegacyServerOptions {
  /** What the server says that it can do with tasks; undefined: nothing. */
  tasks?: ServerCapabilities['tasks']
  /** How long the server asks to be left alone, in ms. */
  pollIntervalMs?: number
  /** Whether tasks begin once a client listens: what is notified before is lost. */
  waitsForListener?: boolean
}

export interface LegacyServer extends EraServer {
  /** Ends every session, as a restart does. */
  restart(): void
}

const ALL_TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } }

/** A server of MCP 2025-11-25, by SDK v1 and its experimental task store, over HTTP with a session for each client. */
export async function startLegacyServer(options: LegacyServerOptions = {}): Promise<LegacyServer> {
  const { tasks = 'tasks' in options ? undefined : ALL_TASKS, pollIntervalMs = POLL_INTERVAL_MS } = options
  const requests: EraRequest[] = []
  let hearListener = () => {}
  const listened = new Promise<void>((resolve) => {
    hearListener = resolve
  })
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const taskStore = new InMemoryTaskStore()
  const taskMessageQueue = new InMemoryTaskMessageQueue()

  async function open(): Promise<StreamableHTTPServerTransport> {
    const server = createMcpServer()
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    // SDK v1 is not written for exactOptionalPropertyTypes.
    await server.connect(transport as Parameters<McpServer['connect']>[0])
    return transport
  }

  function createMcpServer(): McpServer {
    const server = new McpServer(
      { name: 'legacy', version: '1.0.0' },
      { capabilities: { tools: {}, ...(tasks && { tasks }) }, taskStore, taskMessageQueue },
    )
    server.registerTool(
      TOOLS.echo,
      { inputSchema: { text: workInput.text } },
      async ({ text }, { _meta, sendNotification }): Promise<CallToolResult> => {
        const { progressToken } = _meta ?? {}
        if (progressToken !== undefined) {
          const params = { progressToken, progress: 1, total: 2, message: 'half' }
          await sendNotification({ method: 'notifications/progress', params })
          // What comes with the response has no time to be seen.
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        return { content: [{ type: 'text', text }], structuredContent: { text } }
      },
    )
    server.registerTool(TOOLS.askPlainly, {}, async (extra): Promise<CallToolResult> => {
      const answer = await extra.sendRequest(
        { method: 'elicitation/create', params: question('Plainly?') },
        ElicitResultSchema,
      )
      return { content: [{ type: 'text', text: JSON.stringify(answer.content) }] }
    })
    for (const taskSupport of ['required', 'optional'] as const) {
      server.experimental.tasks.registerToolTask(
        taskSupport === 'required' ? TOOLS.work : TOOLS.workOptionally,
        {
          inputSchema: { outcome: workInput.outcome, steps: workInput.steps },
          outputSchema: workOutput,
          execution: { taskSupport },
        },
        {
          createTask: async (args, extra) => {
            const ttl = extra.taskRequestedTtl
            const task = await extra.taskStore.createTask({
              ...(ttl !== undefined && { ttl }),
              pollInterval: pollIntervalMs,
            })
            // A task that is cancelled meanwhile takes no more changes.
            const start = () =>
              work(args, task.taskId, extra, (progress) => notify(server, task.taskId, extra, progress))
            void (options.waitsForListener ? listened : Promise.resolve()).then(start).catch(() => {})
            return { task }
          },
          getTask: (_, extra) => extra.taskStore.getTask(extra.taskId),
          getTaskResult: async (_, extra) => (await extra.taskStore.getTaskResult(extra.taskId)) as CallToolResult,
        },
      )
    }
    return server
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request)
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    const message = (body ?? {}) as { method?: string; params?: Record<string, unknown> }
    requests.push({
      method: message.method ?? (text === '' ? `${request.method}` : 'response'),
      params: message.params ?? {},
    })
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (id !== undefined && known === undefined) {
      const error = { code: -32001, message: 'Session not found' }
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
      return
    }
    if (request.method === 'GET') hearListener()
    await (known ?? (await open())).handleRequest(request, response, body)
  }

  const http = await listen((request, response) => void serve(request, response))
  return {
    url: `${http.origin}/mcp`,
    requests,
    count: (method) => requests.filter((request) => request.method === method).length,
    restart: () => sessions.clear(),
    close: async () => {
      for (const transport of sessions.values()) await transport.close()
      taskStore.cleanup()
      await http.close()
    },
  }
}

/** Notifies the progress of a task under the token of its call, on the stream of the session. */
async function notify(
  server: McpServer,
  taskId: string,
  { _meta }: CreateTaskRequestHandlerExtra,
  progress: { progress: number; total: number; message: string },
): Promise<void> {
  const { progressToken } = _meta ?? {}
  if (progressToken === undefined) return
  const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } }
  await server.server.notification({
    method: 'notifications/progress',
    params: { progressToken, ...progress, ...related },
  })
}

/**
 * What the tool does once it is a task: `steps` steps, an input request where the outcome is one, and then the outcome.
 */
async function work(
  { outcome, steps }: Work,
  taskId: string,
  { taskStore, sendRequest }: CreateTaskRequestHandlerExtra,
  onProgress: (progress: { progress: number; total: number; message: string }) => Promise<void>,
): Promise<void> {
  for (let step = 1; step <= steps; step++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    await onProgress({ progress: step, total: steps, message: `part ${step}` })
    await taskStore.updateTaskStatus(taskId, 'working', `step ${step}`)
  }
  let said = 'done'
  if (outcome === 'input') {
    const request = { method: 'elicitation/create' as const, params: question('Go on?') }
    // The option is there, as the published servers use it; its type leaves it out.
    const answer = await sendRequest(request, ElicitResultSchema, { relatedTask: { taskId } } as object)
    await taskStore.updateTaskStatus(taskId, 'working')
    said = `${answer.action} ${JSON.stringify(answer.content)}`
  }
  if (outcome === 'sampling') {
    const request = { method: 'sampling/createMessage' as const, params: prompt }
    const completion = await sendRequest(request, CreateMessageResultSchema, { relatedTask: { taskId } } as object)
    await taskStore.updateTaskStatus(taskId, 'working')
    said = JSON.stringify(completion.content)
  }
  if (outcome === 'failure') return taskStore.updateTaskStatus(taskId, 'failed', 'Out of paper')
  const isError = outcome === 'tool error'
  const structuredContent = { steps: outcome === 'bad output' ? 'many' : steps }
  const result = { content: [{ type: 'text' as const, text: said }], structuredContent, ...(isError && { isError }) }
  await taskStore.storeTaskResult(taskId, isError ? 'failed' : 'completed', result)
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
