import type { TaskStorage } from 'taskwire'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { completed, created, held, result, silence, snapshot } from '../support/scriptedServer.js'
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
