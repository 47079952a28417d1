import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/query-core'
import type { TaskClient, TaskClientUrlOptions, ToolCall, ToolCallOptions } from 'taskwire'
import { toolCallMutationOptions, toolCallQueryOptions } from 'taskwire/query'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  completed,
  created,
  createScriptedServer,
  held,
  result,
  rpcError,
  type ScriptedServer,
  silence,
  snapshot,
} from '../support/scriptedServer.js'

const Q2 = { quarter: 'Q2', format: { pages: 3, color: true } }
const Q3 = { quarter: 'Q3', format: { pages: 3, color: true } }

let browser: SimulatedBrowser
let server: ScriptedServer

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
})

function openTab(options: Partial<TaskClientUrlOptions> = {}, page: SimulatedPage = browser.openPage()): Tab {
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
    ...options,
  })
  return { page, client }
}

async function start({ client }: Tab, args: object | undefined, options: ToolCallOptions = {}): Promise<ToolCall> {
  const request = { name: 'report', ...(args && { arguments: args as Record<string, unknown> }) }
  const call = client.startToolCall(request, { key: 'weekly', ...options })
  call.result.catch(() => {})
  await browser.advance(500)
  return call
}

const CONFLICT = { name: 'ToolCallKeyConflictError', toolName: 'report' }
const calls = () => server.received('tools/call').map(({ params }) => params['arguments'])
const stored = () =>
  Array.from({ length: browser.storage.local.length }, (_, index) => browser.storage.local.key(index) ?? '')
    .map((key) => browser.storage.local.getItem(key))
    .join()

describe('a call with a key that belongs to a call with other arguments', () => {
  it('[EDGE-30] is refused while that one runs, and nothing is sent', async () => {
    const tab = openTab()
    const first = await start(tab, Q2)
    const second = await start(tab, Q3)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    await expect(second.result).rejects.toThrow(/"weekly" belongs to a call with other arguments/)
    server.on('tasks/get', completed())
    await browser.advance(2000)
    await expect(first.result).resolves.toBeDefined()
    expect(first.getState().arguments).toEqual(Q2)
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] is refused before that one was answered', async () => {
    server.on('tools/call', silence)
    const tab = openTab()
    await start(tab, Q2)
    const second = await start(tab, Q3)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    await start(openTab(), Q3)
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] is refused once that one has ended, also in callTool', async () => {
    server.on('tasks/get', completed())
    const tab = openTab()
    await start(tab, Q2)
    await browser.advance(2000)
    const { client } = tab
    const again = client.callTool({ name: 'report', arguments: Q3 }, { key: 'weekly' })
    await expect(again).rejects.toMatchObject(CONFLICT)
    expect(client.store.getState().calls[client.toolCallId('report', 'weekly')]).toMatchObject({
      phase: 'completed',
      arguments: Q2,
    })
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] is refused in another tab, which follows the call of that key as before', async () => {
    const [a, b] = [openTab(), openTab()]
    await start(a, Q2)
    const second = await start(b, Q3)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    expect(b.client.getToolCallState(second.callId)).toMatchObject({ phase: 'working' })
    expect(b.client.getToolCallState(second.callId)?.arguments).not.toEqual(Q3)
    server.on('tasks/get', completed())
    await browser.advance(3000)
    expect(b.client.getToolCallState(second.callId)).toMatchObject({ phase: 'completed' })
    // The right arguments lead to it there, too.
    const third = await start(b, Q2)
    await expect(third.result).resolves.toBeDefined()
    expect(calls()).toEqual([Q2])
  })

  it.each([
    ['a task', created()],
    ['a result', result({ content: [{ type: 'text', text: 'Q2' }] })],
  ])('[EDGE-30] is refused in a tab that waited for it, where it was answered by %s', async (_, reply) => {
    const response = held(reply)
    server.on('tools/call', response)
    const [a, b] = [openTab(), openTab()]
    await start(a, Q2)
    const [second, third] = [await start(b, Q3), await start(b, Q3)]
    response.release()
    await browser.advance(1000)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    await expect(third.result).rejects.toMatchObject(CONFLICT)
    expect(calls()).toEqual([Q2])
  })

  it.each(['eager', 'lazy'] as const)('[EDGE-30] is refused after a reload, with resume: %s', async (resume) => {
    const before = openTab({ resume })
    await start(before, Q2)
    const tab = openTab({ resume }, await before.page.reload())
    const second = await start(tab, Q3)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    expect(second.getState()).toMatchObject({ phase: 'failed', error: CONFLICT })
    const third = await start(tab, Q2)
    server.on('tasks/get', completed())
    await browser.advance(3000)
    await expect(third.result).resolves.toBeDefined()
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] is refused after a reload where that one has ended, which stays listed', async () => {
    const before = openTab()
    await start(before, Q2)
    server.on('tasks/get', completed())
    await browser.advance(3000)
    const tab = openTab({}, await before.page.reload())
    await Promise.all([tab.client.resumeToolCalls(), browser.settle()])
    const polled = server.received('tasks/get').length
    const second = await start(tab, Q3)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    expect(tab.client.getToolCallState(second.callId)).toMatchObject({ phase: 'ended' })
    expect(server.received('tasks/get')).toHaveLength(polled)
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] is refused after a reload in which the response of that one was lost', async () => {
    server.on('tools/call', silence)
    const before = openTab()
    await start(before, Q2)
    const tab = openTab({}, await before.page.reload())
    const second = await start(tab, Q3)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    const third = await start(tab, Q2)
    await expect(third.result).rejects.toMatchObject({ name: 'ToolCallInterruptedError' })
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] is refused where the server has lost the task of that one', async () => {
    const before = openTab()
    await start(before, Q2)
    server.on('tasks/get', rpcError(-32602, 'Unknown task'))
    await browser.advance(3000)
    const tab = openTab({}, await before.page.reload())
    const second = await start(tab, Q3)
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    expect(calls()).toEqual([Q2])
  })
})

describe('a call with a key that belongs to a call with the same arguments', () => {
  it('[EDGE-30] is that call, whatever the order of their members and in whichever tab', async () => {
    const tab = openTab()
    await start(tab, { a: 1, b: { c: 2, d: undefined } })
    const same = { b: { c: 2 }, a: 1 }
    const others = [await start(tab, same), await start(openTab(), same)]
    const after = openTab({}, await tab.page.reload())
    others.push(await start(after, same))
    for (const call of others) expect(call.getState().phase).not.toBe('failed')
    expect(calls()).toHaveLength(1)
  })

  it('[EDGE-30] is that call where neither has any', async () => {
    const tab = openTab()
    await start(tab, undefined)
    const call = await start(openTab({}, await tab.page.reload()), {})
    expect(call.getState().phase).toBe('working')
    expect(calls()).toHaveLength(1)
  })
})

describe('a call that is made in any case', () => {
  it("[EDGE-30] takes the key for itself: repeat: 'always', and 'settled' after the end", async () => {
    server.on('tasks/get', completed())
    server.on('tools/call', created({ taskId: 'task-1' }), created({ taskId: 'task-2' }), created({ taskId: 'task-3' }))
    server.on('tasks/get', (request) => completed({ taskId: request.params['taskId'] })(request))
    const tab = openTab()
    await start(tab, Q2)
    await browser.advance(2000)
    const second = await start(tab, Q3, { repeat: 'settled' })
    await browser.advance(2000)
    await expect(second.result).resolves.toBeDefined()
    const third = await start(tab, Q2, { repeat: 'always' })
    await browser.advance(2000)
    await expect(third.result).resolves.toBeDefined()
    expect(calls()).toEqual([Q2, Q3, Q2])
    const after = openTab({}, await tab.page.reload())
    await expect((await start(after, Q3)).result).rejects.toMatchObject(CONFLICT)
  })

  it("[EDGE-30] is refused by repeat: 'settled' while the call of that key runs", async () => {
    const tab = openTab()
    await start(tab, Q2)
    const second = await start(tab, Q3, { repeat: 'settled' })
    await expect(second.result).rejects.toMatchObject(CONFLICT)
    const third = await start(openTab(), Q3, { repeat: 'settled' })
    await expect(third.result).rejects.toMatchObject(CONFLICT)
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] can be made with other arguments where the server has refused the first', async () => {
    server.on('tools/call', rpcError(-32602, 'No such quarter'), created())
    const tab = openTab()
    await start(tab, Q2)
    const second = await start(tab, Q3)
    expect(second.getState().phase).toBe('working')
  })
})

describe('the record of a call with a key', () => {
  it('[EDGE-30] has a hash in place of the arguments, and that of another record stays', async () => {
    const [a, b] = [openTab(), openTab()]
    await start(a, Q2)
    expect(stored()).toContain('"argumentsHash":"')
    for (const secret of ['Q2', 'quarter', 'pages']) expect(stored()).not.toContain(secret)
    const text = stored()
    await Promise.all([b.client.resumeToolCalls(), browser.settle()])
    await b.page.hidePage()
    const hashOf = (record: string) => /"argumentsHash":"(\w+)"/.exec(record)?.[1]
    expect(hashOf(stored())).toBe(hashOf(text))
  })

  it('[EDGE-30] of an earlier version, or of a task that the app has named, conflicts with nothing', async () => {
    const before = openTab()
    await start(before, Q2)
    const page = await before.page.reload()
    for (let index = 0; index < browser.storage.local.length; index++) {
      const key = browser.storage.local.key(index) ?? ''
      const text = browser.storage.local.getItem(key) ?? ''
      browser.storage.local.setItem(key, text.replace(/"argumentsHash":"\w+",/, ''))
    }
    const call = await start(openTab({}, page), Q3)
    expect(call.getState().phase).toBe('working')
    const tab = openTab()
    tab.client.resumeTask({ taskId: 'task-secret-1', name: 'report' }, { key: 'named' })
    await browser.advance(500)
    const named = await start(tab, Q3, { key: 'named' })
    expect(named.getState().phase).toBe('working')
  })
})

describe('a tool behind a button', () => {
  it('[EDGE-30] whose call runs with other arguments fails by mutate(), and shows the call that runs', async () => {
    const { client } = openTab()
    const queryClient = new QueryClient()
    const options = toolCallMutationOptions(client, { name: 'report', key: 'weekly' })
    const mutation = () => new MutationObserver<unknown, Error, object>(queryClient, options as never)
    void mutation().mutate(Q2)
    await browser.advance(500)
    const second = mutation()
    await expect(second.mutate(Q3)).rejects.toMatchObject(CONFLICT)
    expect(client.getToolCallState(client.toolCallId('report', 'weekly'))).toMatchObject({ arguments: Q2 })
    expect(calls()).toEqual([Q2])
  })
})

describe('a call as a query, whose key is that of the query', () => {
  const observe = ({ client }: Tab, args: Record<string, unknown>, queryClient = new QueryClient()) => {
    const options = toolCallQueryOptions(client, { name: 'report', arguments: args, key: 'weekly' })
    const observer = new QueryObserver(queryClient, options as never)
    observer.subscribe(() => {})
    return observer
  }

  it('[EDGE-30] shows the call of the key, and a developer is warned once that its arguments have changed', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const tab = openTab()
    const queryClient = new QueryClient()
    observe(tab, Q2, queryClient)
    await browser.advance(500)
    observe(tab, { ...Q2, format: { color: true, pages: 3 } }, queryClient)
    expect(warn).not.toHaveBeenCalled()
    for (let render = 0; render < 3; render++) observe(tab, Q3, queryClient)
    expect(warn).toHaveBeenCalledOnce()
    expect(warn.mock.calls[0]?.[0]).toMatch(/"report".*"weekly".*other arguments/)
    const other = observe(tab, Q3)
    server.on('tasks/get', completed())
    await browser.advance(3000)
    expect(other.getCurrentResult().status).toBe('success')
    expect(calls()).toEqual([Q2])
  })

  it('[EDGE-30] shows the call of the key after a reload, too, with the same warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const before = openTab()
    observe(before, Q2)
    await browser.advance(500)
    const tab = openTab({}, await before.page.reload())
    const observer = observe(tab, Q3)
    server.on('tasks/get', completed())
    await browser.advance(3000)
    expect(observer.getCurrentResult().status).toBe('success')
    expect(warn).toHaveBeenCalledOnce()
    expect(calls()).toEqual([Q2])
    // What it has recorded still stands for the arguments that were sent.
    const after = openTab({}, await tab.page.reload())
    await expect((await start(after, Q3)).result).rejects.toMatchObject(CONFLICT)
  })
})
