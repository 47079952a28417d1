import { createTaskServer, defineTool, type ElicitParams } from 'taskwire/server'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createDemoSite, type DemoSite, isServed, LEASE_MS, RESCUE_MS, RESTART_MS } from '../../demo/server/site.js'
import { createManualClock, type ManualClock, settle } from '../server/support/manualClock.js'
import { type Json, type RpcResponse, readResponse, rpcRequest } from '../server/support/rpc.js'

let clock: ManualClock
let site: DemoSite
/** The signal of each time that a handler was started. */
let started: AbortSignal[]
/** The first step of `render`, each time that it was done. */
let scenes: number

/** Draws a scene, takes a minute, asks nothing. */
const render = (onOrphan: 'retry' | 'fail') =>
  defineTool({
    name: onOrphan === 'retry' ? 'render' : 'render_once',
    inputSchema: z.object({}),
    taskSupport: 'required',
    onOrphan,
    async handler(_, { progress, once, sleep, signal }) {
      started.push(signal)
      await once('scene', async () => {
        scenes += 1
      })
      await progress('Rendering')
      await sleep(60_000)
      return { content: [{ type: 'text', text: 'rendered' }] }
    },
  })

const release = defineTool({
  name: 'release',
  inputSchema: z.object({}),
  taskSupport: 'required',
  onOrphan: 'retry',
  async handler(_, { elicit }) {
    const answer = await elicit(question)
    return { content: [{ type: 'text', text: answer.action }] }
  },
})

const question: ElicitParams = {
  message: 'Release it?',
  requestedSchema: { type: 'object', properties: {} },
}

beforeEach(() => {
  clock = createManualClock()
  started = []
  scenes = 0
  site = createDemoSite({
    clock,
    createServer: (options) =>
      createTaskServer({
        serverInfo: { name: 'films', version: '1.0.0' },
        tools: [render('retry'), render('fail'), release],
        ...options,
      }),
  })
})

const ask = (path: string, method = 'GET') => site.fetch(path, new Request('https://films.example/', { method }))

async function rpc(method: string, params: Json): Promise<RpcResponse> {
  return readResponse(await site.fetch('mcp', rpcRequest(method, params)))
}

async function start(name: string): Promise<string> {
  const { result } = await rpc('tools/call', { name, arguments: {} })
  await settle()
  return String(result?.['taskId'])
}

const taskOf = async (taskId: string) => (await rpc('tasks/get', { taskId })).result

test('a restart breaks connections for two seconds', async () => {
  const taskId = await start('render')
  expect((await ask('__server/restart', 'POST')).status).toBe(202)
  await clock.advance(RESTART_MS - 1)
  await expect(rpc('tasks/get', { taskId })).rejects.toThrow('it is not there')
  await clock.advance(1)
  expect(await taskOf(taskId)).toMatchObject({ status: 'working', statusMessage: 'Rendering' })
})

test('a restart breaks requests and streams that are under way', async () => {
  const taskId = await start('render')
  const listening = await site.fetch(
    'mcp',
    rpcRequest('subscriptions/listen', { notifications: { taskIds: [taskId] } }),
  )
  const reader = listening.body?.getReader()
  await reader?.read()
  const request = site.fetch('mcp', rpcRequest('tasks/get', { taskId }))
  await ask('__server/restart', 'POST')
  await expect(request).rejects.toThrow('it is not there')
  // What had been sent may be read before.
  const readAll = async () => {
    while ((await reader?.read())?.done === false);
  }
  await expect(readAll()).rejects.toThrow('it is not there')
})

test('a restart stops the tools at once, and the next server goes on with their work', async () => {
  const taskId = await start('render')
  await clock.advance(10_000)
  await ask('__server/restart', 'POST')
  await settle()
  expect(started.map(({ aborted }) => aborted)).toEqual([true])

  await clock.advance(RESTART_MS + RESCUE_MS)
  expect(started.map(({ aborted }) => aborted)).toEqual([true, false])
  await clock.advance(60_000)
  expect(await taskOf(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'rendered' }] } })
  expect(scenes).toBe(1)
})

test('a restart hands nothing over: work that must not run twice fails when the next server finds it', async () => {
  const taskId = await start('render_once')
  await ask('__server/restart', 'POST')
  await clock.advance(RESTART_MS)
  expect(await taskOf(taskId)).toMatchObject({ status: 'working' })
  await clock.advance(RESCUE_MS + LEASE_MS)
  expect(await taskOf(taskId)).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('was lost') })
})

test('a question stays open over a restart, and is answered to the next server', async () => {
  const taskId = await start('release')
  const before = await taskOf(taskId)
  expect(before).toMatchObject({ status: 'input_required' })
  await ask('__server/restart', 'POST')
  await clock.advance(RESTART_MS + RESCUE_MS)
  const after = await taskOf(taskId)
  expect(after?.['inputRequests']).toEqual(before?.['inputRequests'])
  const [key = ''] = Object.keys(after?.['inputRequests'] as Json)
  await rpc('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } })
  await settle()
  expect(await taskOf(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'decline' }] } })
})

test('a second restart while the server is away changes nothing', async () => {
  await ask('__server/restart', 'POST')
  await clock.advance(RESTART_MS - 1)
  await ask('__server/restart', 'POST')
  await clock.advance(1)
  expect((await rpc('tools/list', {})).status).toBe(200)
})

test('the list of requests outlives a restart, until it is emptied', async () => {
  await start('render')
  await ask('__server/restart', 'POST')
  await clock.advance(RESTART_MS)
  expect(await (await ask('__requests')).json()).toMatchObject([{ method: 'tools/call', name: 'render' }])
  await ask('__requests', 'DELETE')
  expect(await (await ask('__requests')).json()).toEqual([])
})

test('other methods and paths are refused', async () => {
  expect((await ask('__server/restart')).status).toBe(405)
  expect(isServed('index.html')).toBe(false)
})

test('a site that is closed does not come back from a restart', async () => {
  await ask('__server/restart', 'POST')
  await site.close()
  expect(clock.pending).toBe(0)
})
