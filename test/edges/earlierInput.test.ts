import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { defineTool, type TaskServer, type ToolContext, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createCuttableProcess } from '../server/support/cuttableProcess.js'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { post } from '../server/support/rpc.js'
import { startServer } from '../server/support/serverUnderTest.js'
import { SharedStore } from '../server/support/silentStore.js'
import { text } from '../server/support/tools.js'

const EVERY_INPUT: ClientCapabilities = { elicitation: {}, sampling: {}, roots: {} }
const form = { message: 'Name?', requestedSchema: z.object({ name: z.string() }) }
const accept = { action: 'accept' as const, content: { name: 'Luca' } }

const toolOf = (handler: (context: ToolContext) => Promise<unknown>, changes: Partial<ToolDefinition> = {}) =>
  defineTool({
    name: 'work',
    inputSchema: z.object({}),
    taskSupport: 'optional',
    handler: async (_, context) => text(String(await handler(context))),
    ...(changes as object),
  })

const askName = async ({ elicit }: ToolContext) => {
  const answer = await elicit(form)
  return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action
}

/** The official client of 2025-11-25. Each request goes to the next of the servers, as behind a load balancer. */
async function connect(servers: readonly Pick<TaskServer, 'fetch'>[], capabilities: ClientCapabilities = EVERY_INPUT) {
  const client = new Client({ name: 'old', version: '1' }, { capabilities })
  let requests = 0
  const transport = new StreamableHTTPClientTransport(new URL('https://tasks.example/mcp'), {
    fetch: async (url, init) => {
      const server = servers[requests % servers.length]
      requests += 1
      if (server === undefined) throw new TypeError('There is no server.')
      return server.fetch(new Request(url, init as RequestInit))
    },
  })
  await client.connect(transport as Transport)
  onTestFinished(() => client.close())
  return client
}

const call = (client: Client) => client.callTool({ name: 'work', arguments: {} })

describe('a tool that asks a client of 2025-11-25', () => {
  it('[EDGE-48] gets the response to its form, by a request on the stream of the answer', async () => {
    const { server } = startServer({ tools: [toolOf(askName)] })
    const client = await connect([server])
    const asked: unknown[] = []
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params)
      return accept
    })
    expect(await call(client)).toMatchObject(text('Hello, Luca!'))
    expect(asked).toMatchObject([{ message: 'Name?', requestedSchema: { properties: { name: { type: 'string' } } } }])
  })

  it('[EDGE-48] gets completions and roots, and several responses at once', async () => {
    const { server } = startServer({
      tools: [
        toolOf(async ({ elicit, sample, listRoots }) => {
          const [name, completion, { roots }] = await Promise.all([
            elicit(form),
            sample({ messages: [], maxTokens: 10 }),
            listRoots(),
          ])
          return [name.content?.name, completion.model, roots[0]?.uri]
        }),
      ],
    })
    const client = await connect([server])
    client.setRequestHandler(ElicitRequestSchema, () => accept)
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant' as const,
      content: { type: 'text' as const, text: 'Hello!' },
      model: 'm',
    }))
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }))
    expect(await call(client)).toMatchObject(text('Luca,m,file:///a'))
  })

  it('[EDGE-48] gets the responses of a batch, which clients of 2025-03-26 may send', async () => {
    const { server } = startServer({
      tools: [
        toolOf(async ({ elicit, listRoots }) => {
          const [name, { roots }] = await Promise.all([elicit(form), listRoots()])
          return [name.content?.name, roots[0]?.uri]
        }),
      ],
    })
    const responses: unknown[] = []
    async function batching(request: Request): Promise<Response> {
      const body: unknown = await request
        .clone()
        .json()
        .catch(() => undefined)
      if (!Object.hasOwn(Object(body), 'result')) return server.fetch(request)
      responses.push(body)
      if (responses.length < 2) return new Response(null, { status: 202 })
      return server.fetch(
        new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify(responses) }),
      )
    }
    const client = await connect([{ fetch: batching }])
    client.setRequestHandler(ElicitRequestSchema, () => accept)
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }))
    expect(await call(client)).toMatchObject(text('Luca,file:///a'))
  })

  it('[EDGE-48] gets a response that another process of the server has received', async () => {
    const [store, clock] = [new SharedStore(), createManualClock()]
    const servers = [1, 2, 3].map(() => startServer({ tools: [toolOf(askName)], store, clock }).server)
    const client = await connect(servers)
    client.setRequestHandler(ElicitRequestSchema, () => accept)
    expect(await call(client)).toMatchObject(text('Hello, Luca!'))
  })

  it.each([
    ['refuses', () => Promise.reject(new McpError(ErrorCode.InvalidRequest, 'The user is away')), -32600],
    ['answers with another form', () => ({ action: 'accept' as const, content: { name: 7 } }), -32602],
  ])('[EDGE-48] gets an error that it can catch where the client %s', async (_, respond, code) => {
    const { server } = startServer({
      tools: [toolOf((context) => askName(context).catch((error: { code: number }) => `caught ${error.code}`))],
    })
    const client = await connect([server])
    client.setRequestHandler(ElicitRequestSchema, respond as () => never)
    expect(await call(client)).toMatchObject(text(`caught ${code}`))
  })

  it('[EDGE-48] is refused with -32021 where the client has declared no input', async () => {
    const { server } = startServer({ tools: [toolOf(askName)] })
    await expect(call(await connect([server], {}))).rejects.toMatchObject({ code: -32021 })
  })

  it('[EDGE-48] runs again with what it has had where its process is lost, and answers get_result', async () => {
    const runs: number[] = []
    const tool = toolOf(
      async (context) => {
        runs.push(await context.once('charge', () => runs.length))
        return askName(context)
      },
      { onOrphan: 'retry' },
    )
    const [store, clock, leaseMs] = [new SharedStore(), createManualClock(), 3000]
    const resultTool = { afterMs: 1000 }
    const { kill, ...process } = createCuttableProcess(store, clock)
    const first = startServer({ tools: [tool], ...process, leaseMs, resultTool })
    const second = startServer({ tools: [tool], store, clock, leaseMs, resultTool })
    const client = await connect([first.server])
    client.setRequestHandler(ElicitRequestSchema, () => new Promise(() => {}))
    const waiting = call(client)
    await settle()
    await clock.advance(1000)
    const handle = /handle "([^"]+)"/.exec(JSON.stringify(await waiting).replaceAll('\\"', '"'))?.[1]
    kill()
    await clock.advance(2 * leaseMs)
    const other = await connect([second.server])
    other.setRequestHandler(ElicitRequestSchema, () => accept)
    const result = other.callTool({ name: 'get_result', arguments: { handle } })
    await settle()
    expect(await result).toMatchObject(text('Hello, Luca!'))
    expect(runs).toEqual([0, 0])
  })

  it('[EDGE-48] takes no response of another owner, and none to what was not asked', async () => {
    const ids: unknown[] = []
    const { server } = startServer({
      tools: [toolOf(askName)],
      owner: (request) => request.headers.get('x-user') ?? 'ann',
    })
    const client = await connect([server])
    const respond = (id: unknown, user: string) =>
      server.fetch(
        post(JSON.stringify({ jsonrpc: '2.0', id, result: accept }), {
          'mcp-protocol-version': '2025-11-25',
          'x-user': user,
        }),
      )
    client.setRequestHandler(ElicitRequestSchema, async (_, { requestId }) => {
      const unasked = String(requestId).replace('elicitation-1', 'elicitation-2')
      ids.push(requestId, (await respond(requestId, 'bob')).status, (await respond(unasked, 'ann')).status)
      return { action: 'decline' as const }
    })
    expect(await call(client)).toMatchObject(text('decline'))
    expect(ids.slice(1)).toEqual([202, 202])
  })
})
