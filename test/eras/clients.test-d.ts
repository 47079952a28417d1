import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { createTaskClient, type TaskClientOptions, withTasks } from 'taskwire'
import { expectTypeOf, test } from 'vitest'

const info = { name: 'app', version: '1' }

test('createTaskClient takes a client of either SDK as it is', () => {
  const v1 = new ClientV1(info)
  const v2 = new Client(info)
  createTaskClient({ client: v1, legacy: { tasks: 'required-only', ttlMs: 60_000 } })
  createTaskClient({
    client: v2,
    transport: withTasks(new StreamableHTTPClientTransport(new URL('https://a.example'))),
  })
  expectTypeOf<{ client: ClientV1 }>().toExtend<TaskClientOptions>()
})

test('createTaskClient takes nothing else for a client', () => {
  // @ts-expect-error a client has methods
  createTaskClient({ client: {} })
  // @ts-expect-error there are three ways
  createTaskClient({ url: '/mcp', legacy: { tasks: 'sometimes' } })
})
