import { describe, expect, it, onTestFinished } from 'vitest'
import { createTaskWorker } from '../../src/server/createTaskWorker.js'
import { defineTool, type ToolDefinition } from '../../src/server/tools/defineTool.js'
import { createCuttableProcess } from './support/cuttableProcess.js'
import { createManualClock } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { rpcRequest } from './support/rpc.js'
import { type ServerUnderTest, startServer, type TestServerOptions } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { greet, required, slow, text } from './support/tools.js'

const as = (name: string) => ({ authInfo: { token: name, clientId: name, scopes: [] } })
const owner: NonNullable<TestServerOptions['owner']> = (_, authInfo) => authInfo?.clientId

async function namesOf({ rpc }: ServerUnderTest, who: string): Promise<string[]> {
  const { result } = await rpc('tools/list', {}, as(who))
  const tools = result?.['tools'] as readonly { name: string }[] | undefined
  return tools?.map(({ name }) => name) ?? []
}

describe('tools of owners', () => {
  it('are listed and called by their owner alone', async () => {
    const lists: Record<string, ToolDefinition[]> = { ann: [slow, greet], bob: [greet] }
    const server = startServer({ owner, tools: (name) => lists[name] ?? [] })
    expect(await namesOf(server, 'ann')).toEqual(['slow', 'greet'])
    expect(await namesOf(server, 'bob')).toEqual(['greet'])
    const taskId = await server.start('slow', {}, as('ann'))
    expect(await server.get(taskId, as('ann'))).toMatchObject({ status: 'working' })
    expect((await server.call('slow', {}, as('bob'))).error).toMatchObject({ code: -32602 })
  })

  it('may change: clients that listen are told, and work that has begun ends', async () => {
    let tools: readonly ToolDefinition[] = [slow]
    const server = startServer({ owner, tools: () => tools })
    const taskId = await server.start('slow', { ms: 10 }, as('ann'))
    const params = { notifications: { toolsListChanged: true } }
    const client = new AbortController()
    const stream = await server.server.fetch(
      rpcRequest('subscriptions/listen', params, { signal: client.signal }),
      as('ann'),
    )
    const reader = stream.body?.getReader()
    const next = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await next()).toContain('toolsListChanged')
    tools = [greet]
    server.server.notify.toolsChanged()
    expect(await next()).toContain('notifications/tools/list_changed')
    expect(await namesOf(server, 'ann')).toEqual(['greet'])
    await server.clock.advance(10)
    expect(await server.get(taskId, as('ann'))).toMatchObject({ status: 'completed' })
    client.abort()
  })

  it('are found for a job by the owner of its task', async () => {
    const store = new SharedStore()
    const queue = createMemoryQueue()
    const tool = defineTool({ ...greet, taskSupport: 'required', handler: () => text('hello') })
    const options = { owner, store, tools: (name: string) => (name === 'ann' ? [tool] : []) }
    const server = startServer({ ...options, executor: queue })
    const taskId = await server.start('greet', { name: 'Luca' }, as('ann'))
    expect(await server.get(taskId, as('ann'))).toMatchObject({ status: 'working' })
    expect(server.errors).toEqual([])
  })

  it('are those of the owner of a task in a worker, which knows nothing of the request', async () => {
    const store = new SharedStore()
    const queue = createMemoryQueue()
    const clock = createManualClock()
    const userOf: typeof owner = (_, authInfo) => String(authInfo?.extra?.['userId'])
    const options = { store, clock, tools: (name: string) => (name === 'ann' ? [slow] : []) }
    const server = startServer({ ...options, owner: userOf, executor: queue })
    const worker = createTaskWorker({ ...options, serverInfo: { name: 'test', version: '1' }, queue })
    onTestFinished(() => worker.close())
    const authInfo = { token: 'secret', clientId: 'app', scopes: [], extra: { userId: 'ann' } }
    const taskId = await server.start('slow', { ms: 10 }, { authInfo })
    await clock.advance(10)
    expect(await server.get(taskId, { authInfo })).toMatchObject({ status: 'completed', result: text('done') })
  })

  it('are those of the owner of a task that a server rescues, whose request had the name in a header', async () => {
    const store = new SharedStore()
    const clock = createManualClock()
    const userOf: typeof owner = ({ headers }) => headers.get('x-user') ?? 'nobody'
    const rescued = defineTool({ ...slow, onOrphan: 'retry' })
    const tools = (name: string) => (name === 'ann' ? [rescued] : [])
    const { kill, ...process } = createCuttableProcess(store, clock)
    const options = { owner: userOf, tools, leaseMs: 3000 }
    const lost = startServer({ ...options, ...process })
    const other = startServer({ ...options, store, clock })
    const ann = { headers: { 'x-user': 'ann' } }
    const taskId = await lost.start('slow', { ms: 10_000 }, ann)
    kill()
    await clock.advance(20_000)
    expect(await other.get(taskId, ann)).toMatchObject({ status: 'completed', result: text('done') })
  })

  it.each([
    ['no list', undefined, 'returned no array'],
    ['two of one name', [greet, greet], 'two tools'],
    ['something else', [{ ...required, handler: 1 }], 'handler'],
  ])('refuse requests where the function returns %s', async (_, tools, problem) => {
    const server = startServer({ owner, tools: () => tools as unknown as ToolDefinition[] })
    expect(await server.rpc('tools/list', {}, as('ann'))).toMatchObject({ status: 500 })
    expect(server.errors[0]?.error).toMatchObject({
      name: 'TaskConfigurationError',
      message: expect.stringContaining(problem),
    })
  })
})
