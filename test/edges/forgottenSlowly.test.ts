import type { TaskClient, TaskStorage } from 'taskwire'
import { expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { asynchronous } from '../support/asynchronousStorage.js'
import { created, silence, snapshot } from '../support/scriptedServer.js'
import { createVisits, knowsKeys, startReport } from '../support/visits.js'

const SECOND = 1000

/** One asynchronous storage of all pages. The page that forgets is given one that removes when the test says so. */
function setUp() {
  const visits = createVisits(createTaskClient, knowsKeys())
  const items = new Map<string, string>()
  const storage: TaskStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => [...items.keys()],
  }
  let remove = () => {}
  const removing = new Promise<void>((resolve) => {
    remove = resolve
  })
  const slow = { ...asynchronous(storage), removeItem: (key: string) => removing.then(() => void items.delete(key)) }
  return { ...visits, items, storage: asynchronous(storage), slow, remove: () => remove() }
}

// tab A  forgets, and says so ─────────────────── removes the record, and says so again
// tab B                        opens: reads it                                         drops the call
it.each([
  ['a call', (client: TaskClient, callId: string) => client.forget({ callId })],
  ['all', (client: TaskClient) => client.forget()],
])('a tab that is opened while another one forgets %s in a slow storage follows nothing', async (_, forget) => {
  const { browser, server, open, items, storage, slow, remove } = setUp()
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  const first = open({ storage: slow, push: false })
  const { callId } = startReport(first)
  await browser.advance(SECOND)
  const forgotten = forget(first.client, callId)
  await browser.settle()
  const second = open({ storage, push: false })
  await Promise.all([second.client.resumeToolCalls(), browser.advance(SECOND)])
  expect(second.client.getToolCallState(callId)?.phase).toBe('working')
  remove()
  await Promise.all([forgotten, browser.advance(SECOND)])
  expect(second.client.getToolCallState(callId)).toBeUndefined()
  expect([...items.keys()]).toEqual([])
})

// tab A  tools/call, key 1 ─ forgets ──────────────────────── removes the intent
// tab B                               opens: finds the intent, sends it again, writes it
it('a call that a tab finds while another one forgets it in a slow storage leaves no record', async () => {
  const { browser, server, open, items, storage, slow, remove } = setUp()
  server.on('tools/call', silence)
  const first = open({ storage: slow, push: false })
  startReport(first)
  await browser.advance(SECOND)
  const forgotten = first.client.forget()
  await browser.settle()
  const second = open({ storage, push: false })
  const call = startReport(second)
  await browser.advance(SECOND)
  remove()
  await Promise.all([forgotten, browser.advance(SECOND)])
  expect(second.client.getToolCallState(call.callId)).toBeUndefined()
  expect([...items.keys()]).toEqual([])
})
