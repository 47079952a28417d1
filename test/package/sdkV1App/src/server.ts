import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

/** A server of SDK v1 with a tool that has to be a task. */
export function createServer(): McpServer {
  const server = new McpServer(
    { name: 'reports', version: '1.0.0' },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  )
  server.experimental.tasks.registerToolTask(
    'generate_report',
    {
      inputSchema: { title: z.string(), pages: z.unknown() },
      outputSchema: { pages: z.number() },
      execution: { taskSupport: 'required' },
    },
    {
      createTask: async ({ title, pages }, { taskStore }) => {
        const task = await taskStore.createTask({ pollInterval: 50 })
        setTimeout(() => {
          const content = [{ type: 'text' as const, text: `Report: ${title}` }]
          void taskStore.storeTaskResult(task.taskId, 'completed', { content, structuredContent: { pages } })
        }, 100)
        return { task }
      },
      getTask: (_, { taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: async (_, { taskId, taskStore }) => {
        const result = await taskStore.getTaskResult(taskId)
        return { content: [], ...result }
      },
    },
  )
  return server
}
