import type { TaskClient, TaskStorage, ToolCall } from 'taskwire'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { completed, created, held, http, result, silence, snapshot } from '../support/scriptedServer.js'
import { createVisits, knowsKeys, startReport, type Visit } from '../support/visits.js'

const setUp = () => createVisits(createTaskClient)

describe('a call', () => {
  it('[DUR-11] writes its intent before it is sent, and that it is a task before anything is shown of it', async () => {
    const visits = setUp()
    const response = held(created())
    visits.server.on('tools/call', response)
    visits.server.on('tasks/get', snapshot())
    const call = startReport(visits.open())
    const shown: unknown[] = []
    call.subscribe(() => {
      if (call.getState().phase === 'working') shown.push(visits.records()[0].task?.taskId)
    })
    await visits.browser.settle()
    expect(visits.count('tools/call')).toBe(1)
    expect(visits.records()).toMatchObject([{ key: 'weekly', tool: 'report' }])
    expect(visits.records()[0]).not.toHaveProperty('task')
    response.release()
    await visits.browser.settle()
    expect(shown.length).toBeGreaterThan(0)
    expect(new Set(shown)).toEqual(new Set(['task-secret-1']))
  })

  it('[DUR-12] is in a synchronous storage with its task in the turn in which the response is read', async () => {
    const visits = setUp()
    visits.server.on('tools/call', created())
    const recorded: boolean[] = []
    const fetch: typeof visits.server.fetch = async (url, init) => {
      const response = await visits.server.fetch(url, init)
      if (!String(init?.body).includes('"tools/call"')) return response
      const text = await response.text()
      setImmediate(() => recorded.push(visits.records()[0].task !== undefined))
      return new Response(text, response)
    }
    startReport(visits.open({ transportOptions: { fetch } }))
    await visits.browser.settle()
    expect(recorded).toEqual([true])
  })

  it('[DUR-85] waits for a slow storage before it is sent', async () => {
    const visits = setUp()
    visits.server.on('tools/call', created())
    let finish = () => {}
    const storage: TaskStorage = {
      getItem: () => Promise.resolve(null),
      setItem: () =>
        new Promise((resolve) => {
          finish = () => resolve(undefined)
        }),
      removeItem: () => Promise.resolve(),
      keys: () => Promise.resolve([]),
    }
    startReport(visits.open({ storage }))
    await visits.browser.advance(4000)
    expect(visits.count('tools/call')).toBe(0)
    finish()
    await visits.browser.settle()
    expect(visits.count('tools/call')).toBe(1)
  })

  it('waits for a network that goes while a slow storage writes', async () => {
    const visits = setUp()
    visits.server.on('tools/call', created())
    visits.server.on('tasks/get', completed())
    const items = new Map<string, string>()
    let finish = () => {}
    const writing = new Promise<void>((resolve) => {
      finish = resolve
    })
    const storage: TaskStorage = {
      getItem: async (key) => items.get(key) ?? null,
      setItem: (key, value) => writing.then(() => void items.set(key, value)),
      removeItem: async (key) => void items.delete(key),
      keys: async () => [...items.keys()],
    }
    const visit = visits.open({ storage })
    const call = startReport(visit)
    await visits.browser.advance(1000)
    await visit.page.setOnline(false)
    finish()
    await visits.browser.advance(60_000)
    expect(visits.count('tools/call')).toBe(0)
    expect(call.getState()).toMatchObject({ phase: 'calling', network: 'offline' })
    await visit.page.setOnline(true)
    await visits.browser.advance(0)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
    await visits.browser.advance(10_000)
    expect(visits.count('tools/call')).toBe(1)
    await expect(call.result).resolves.toBeDefined()
  })

  it.each([
    ['is cancelled', ({ call }: { call: ToolCall }) => call.cancel()],
    ['is closed with its client', ({ client }: { client: TaskClient }) => client.close()],
  ])('leaves no intent where it %s while a slow storage writes that, for it was not sent', async (_, end) => {
    const visits = setUp()
    visits.server.on('tools/call', created())
    visits.server.on('tasks/get', completed())
    const items = new Map<string, string>()
    const writes: (() => void)[] = []
    const storage: TaskStorage = {
      getItem: async (key) => items.get(key) ?? null,
      setItem: async (key, value) => void items.set(key, value),
      removeItem: async (key) => void items.delete(key),
      keys: async () => [...items.keys()],
    }
    const slow: TaskStorage = {
      ...storage,
      setItem: (key, value) => new Promise((resolve) => writes.push(() => resolve(void items.set(key, value)))),
    }
    const first = visits.open({ storage: slow })
    const call = startReport(first)
    await visits.browser.advance(1000)
    void end({ call, client: first.client })
    await visits.browser.advance(1000)
    for (const write of writes) write()
    await visits.browser.advance(1000)
    expect([...items.values()]).toEqual([])
    await first.page.close()
    const again = startReport(visits.open({ storage }))
    await visits.browser.advance(5000)
    expect([again.getState().phase, visits.count('tools/call')]).toEqual(['completed', 1])
  })
})

describe('a call with a key, after a reload', () => {
  it('[DUR-24] fetches the result of a task that had ended', async () => {
    const visits = setUp()
    visits.server.on('tools/call', created())
    visits.server.on('tasks/get', completed())
    const first = visits.open()
    startReport(first)
    await visits.browser.advance(5000)
    expect(visits.times('tasks/get')).toEqual([1000])
    const call = startReport(visits.open({}, await first.page.reload()))
    await visits.browser.settle()
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
    await visits.browser.advance(60_000)
    expect(visits.times('tasks/get')).toEqual([1000, 5000])
    expect(visits.count('tools/call')).toBe(1)
  })

  const again: [string, (visit: Visit) => ReturnType<typeof startReport>][] = [
    ['is made again', (visit) => startReport(visit)],
    [
      "is made again with repeat: 'settled'",
      ({ client }) => client.startToolCall({ name: 'report' }, { key: 'weekly', repeat: 'settled' }),
    ],
  ]
  it.each(again)('[DUR-28] whose response was lost is sent under the same key where it %s', async (_, start) => {
    const visits = createVisits(createTaskClient, knowsKeys())
    visits.server.on('tools/call', silence, result({ content: [] }))
    const first = visits.open()
    const { startedAt } = startReport(first).getState()
    await visits.browser.advance(9000)
    const call = start(visits.open({}, await first.page.reload()))
    await visits.browser.settle()
    await expect(call.result).resolves.toEqual({ content: [] })
    expect(call.getState().startedAt).toBe(startedAt)
    expect(visits.callKeys()).toHaveLength(2)
    expect(new Set(visits.callKeys()).size).toBe(1)
    expect(visits.keys()).toEqual([])
  })
})

it('Many calls that were interrupted are found with one list of the tools', async () => {
  const visits = setUp()
  visits.server.on('tools/call', silence)
  const before = visits.open()
  for (let n = 0; n < 30; n++) {
    before.client.startToolCall({ name: 'report' }, { key: `k${n}` }).result.catch(() => {})
  }
  await visits.browser.advance(1000)
  await before.page.close()
  const listed = visits.count('tools/list')
  const { client } = visits.open()
  await Promise.all([client.resumeToolCalls(), visits.browser.advance(5000)])
  expect(Object.values(client.store.getState().calls).map(({ phase }) => phase)).toEqual(Array(30).fill('failed'))
  expect(visits.count('tools/list') - listed).toBe(1)
})

describe('a call of a tool that only reads, cut off by a reload while the server restarts', () => {
  const tool = { name: 'report', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }

  async function cutOff() {
    const visits = setUp()
    visits.server.on('tools/list', result({ tools: [tool], ttlMs: 0, cacheScope: 'private' }))
    visits.server.on('tools/call', silence)
    const before = visits.open()
    startReport(before)
    await visits.browser.advance(1000)
    await before.page.close()
    visits.server.on('server/discover', http(503))
    visits.server.on('tools/call', created())
    visits.server.on('tasks/get', snapshot())
    const visit = visits.open()
    const restart = () =>
      visits.server.on('server/discover', result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }))
    return { visits, visit, restart, call: startReport(visit) }
  }

  // tools/call ▪ reload ─ server/discover: 503 ··· server/discover ─ tools/list ─ tools/call
  it('[DUR-30] waits for the server, and is called again', async () => {
    const { visits, visit, call, restart } = await cutOff()
    await visits.browser.advance(60_000)
    expect(call.getState()).toMatchObject({ phase: 'calling', isCancelling: false })
    expect(visit.client.store.getState().connection).toMatchObject({ status: 'connecting' })
    restart()
    await visits.browser.advance(60_000)
    expect(call.getState().phase).toBe('working')
    expect(visits.count('tools/call')).toBe(2)
  })

  it('is cancelled at once, and its connection is not opened for it', async () => {
    const { visits, call } = await cutOff()
    await visits.browser.advance(10_000)
    const attempts = visits.count('server/discover')
    await call.cancel()
    await visits.browser.settle()
    expect(call.getState()).toMatchObject({ phase: 'cancelled', error: { name: 'TaskCancelledError' } })
    await visits.browser.advance(60_000)
    expect(visits.count('server/discover')).toBe(attempts)
    expect(visits.count('tools/call')).toBe(1)
  })

  it('is forgotten at once', async () => {
    const { visits, visit, call, restart } = await cutOff()
    await visits.browser.advance(10_000)
    await visit.client.forget()
    await expect(call.result).rejects.toMatchObject({ name: 'AbortError' })
    restart()
    await visits.browser.advance(60_000)
    expect(visits.count('tools/call')).toBe(1)
  })

  it('is left to another tab that waits, too, where it is cancelled', async () => {
    const { visits, call, restart } = await cutOff()
    const other = startReport(visits.open())
    await visits.browser.advance(10_000)
    await call.cancel()
    await visits.browser.settle()
    restart()
    await visits.browser.advance(60_000)
    expect(call.getState().phase).toBe('cancelled')
    expect(other.getState().phase).toBe('working')
    expect(visits.count('tools/call')).toBe(2)
  })
})
