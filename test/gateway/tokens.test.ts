import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskGateway } from 'taskwire/gateway'
import { createTaskServer, defineTool } from 'taskwire/server'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { type Json, readResponse, rpcRequest } from '../server/support/rpc.js'

/** A gateway in front of a server with tasks that accepts one token; its transport sends the newest one of the user. */
function startGuarded() {
  const clock = createManualClock()
  let end = () => {}
  const work = defineTool({
    name: 'work',
    inputSchema: z.object({}),
    taskSupport: 'required',
    handler: () =>
      new Promise((resolve) => {
        end = () => resolve({ content: [{ type: 'text', text: 'done' }] })
      }),
  })
  const behind = createTaskServer({
    serverInfo: { name: 'behind', version: '1' },
    tools: [work],
    clock,
    pollIntervalMs: 1000,
  })
  const accepted = { token: 'first' }
  const polls: (string | null)[] = []
  const fetch = async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init)
    const authorization = request.headers.get('authorization')
    if (request.headers.get('mcp-method') === 'tasks/get') polls.push(authorization)
    return authorization === `Bearer ${accepted.token}` ? behind.fetch(request) : new Response(null, { status: 401 })
  }
  const gateway = createTaskGateway({
    authenticate: ({ headers }) => {
      const token = headers.get('authorization')?.slice('Bearer '.length) ?? ''
      return { token, clientId: 'page', scopes: [], extra: { sub: token === 'of bob' ? 'bob' : 'ann' } }
    },
    transport: (caller) =>
      new StreamableHTTPClientTransport(new URL('http://behind.example/mcp'), {
        fetch,
        authProvider: { token: async () => caller.authInfo?.token },
      }),
    onError: () => {},
    idleMs: 60_000,
    maxServers: 1,
    clock,
  })
  onTestFinished(async () => {
    await gateway.close()
    await behind.close()
  })
  const rpc = async (token: string, method: string, params: Json) => {
    const headers = { authorization: `Bearer ${token}` }
    return readResponse(await gateway.fetch(rpcRequest(method, params, { headers })))
  }
  return { accepted, clock, end: () => end(), polls, rpc }
}

it('a task behind continues with the next token of its user, after one was refused', async () => {
  const { accepted, clock, end, polls, rpc } = startGuarded()
  const started = rpc('first', 'tools/call', { name: 'work', arguments: {} })
  await settle()
  await clock.advance(2000)
  const taskId = String((await started).result?.['taskId'])
  accepted.token = 'second'
  await clock.advance(5000)
  const refused = polls.length
  await clock.advance(60_000)
  // The same token again says nothing new.
  await rpc('first', 'tasks/get', { taskId })
  await clock.advance(60_000)
  expect(polls).toHaveLength(refused)
  expect((await rpc('second', 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' })
  end()
  await clock.advance(60_000)
  expect(polls.at(-1)).toBe('Bearer second')
  expect((await rpc('second', 'tasks/get', { taskId })).result).toMatchObject({ status: 'completed' })
})

const HOUR = 60 * 60_000

/** A task whose token is refused from now on. */
async function startRefused() {
  const guarded = startGuarded()
  const { accepted, clock, rpc } = guarded
  const started = rpc('first', 'tools/call', { name: 'work', arguments: {} })
  await settle()
  await clock.advance(2000)
  const taskId = String((await started).result?.['taskId'])
  accepted.token = 'second'
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) await clock.advance(HOUR)
  }
  return { ...guarded, taskId, pass }
}

it('a task behind waits for a token of its user overnight', async () => {
  const { clock, end, rpc, taskId, pass } = await startRefused()
  await pass(12)
  expect((await rpc('second', 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' })
  end()
  await clock.advance(60_000)
  expect((await rpc('second', 'tasks/get', { taskId })).result).toMatchObject({ status: 'completed' })
})

it('a task behind fails if no token of its user comes for days, and others get its place', async () => {
  const { accepted, rpc, taskId, pass } = await startRefused()
  const statusOf = async () => (await rpc('first', 'tasks/get', { taskId })).result?.['status']
  await pass(12)
  expect(await statusOf()).toBe('working')
  const statuses = new Set()
  for (let hour = 0; hour < 48; hour++) {
    await pass(1)
    statuses.add(await statusOf())
  }
  expect(statuses).toContain('failed')
  accepted.token = 'of bob'
  expect((await rpc('of bob', 'tools/list', {})).result).toHaveProperty('tools')
})

it('a task behind whose token is refused gives its place to others soon after it was cancelled', async () => {
  const { accepted, clock, rpc, taskId } = await startRefused()
  await clock.advance(60_000)
  await rpc('first', 'tasks/cancel', { taskId })
  await clock.advance(HOUR)
  accepted.token = 'of bob'
  expect((await rpc('of bob', 'tools/list', {})).result).toHaveProperty('tools')
})
