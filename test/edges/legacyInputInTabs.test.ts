import type { ToolCall } from 'taskwire'
import { expect } from 'vitest'
import { createTaskClient, itFull } from '../support/anyClient.js'
import { ANSWER, openStream, result, silence, speakLegacy } from '../support/scriptedServer.js'
import { createVisits } from '../support/visits.js'

const TASK = {
  taskId: 'legacy-1',
  status: 'input_required',
  createdAt: '2025-11-25T00:00:00Z',
  lastUpdatedAt: '2025-11-25T00:00:00Z',
  ttl: null,
  pollInterval: 1000,
}
const FORM = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}
const RELATED = { 'io.modelcontextprotocol/related-task': { taskId: 'legacy-1' } }

/** A server that asks once, on the first `tasks/result`, and two tabs that follow the task. */
async function setUp() {
  const { server, browser, open, count } = createVisits(createTaskClient)
  speakLegacy(server, { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } })
  const report = { name: 'report', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }
  server.on('tools/list', result({ tools: [report] }))
  server.on('tools/call', result({ task: TASK }))
  server.on('tasks/get', result(TASK))
  const stream = openStream()
  server.on('tasks/result', stream, silence)
  const tabs = [open(), open()] as const
  const calls: ToolCall[] = []
  for (const { client } of tabs) {
    await client.connect()
    const call = client.startToolCall({ name: 'report' }, { key: 'weekly' })
    call.result.catch(() => {})
    calls.push(call)
    await browser.advance(1500)
  }
  stream.send({ id: 5, ...FORM, params: { ...FORM.params, _meta: RELATED } })
  await browser.advance(1500)
  const asked = () => calls.map((call) => Object.keys(call.getState().inputRequests))
  expect(asked()).toEqual([['5'], ['5']])
  return { server, browser, stream, tabs, calls, asked, count }
}

itFull('an input request stays open in all tabs when another one takes the lead, and is answered there', async () => {
  const { server, browser, tabs, calls, asked, count } = await setUp()
  await tabs[0].page.setVisible(false)
  await browser.advance(70_000)
  expect(asked()).toEqual([['5'], ['5']])
  expect(count('tasks/cancel')).toBe(0)
  const response = calls[1]?.respond('5', { action: 'accept', content: {} })
  await Promise.all([response, browser.advance(1000)])
  expect(server.received(ANSWER).map(({ body }) => body['id'])).toEqual([5])
  await browser.advance(5000)
  expect(asked()).toEqual([[], []])
})

itFull('an input request that the server withdraws is gone, also from the tab that follows', async () => {
  const { browser, stream, asked } = await setUp()
  stream.send({ method: 'notifications/cancelled', params: { requestId: 5 } })
  await browser.advance(3000)
  expect(asked()).toEqual([[], []])
})

itFull('a tab that has lost the lead keeps no request open for what it does not poll', async () => {
  const { server, browser, tabs } = await setUp()
  const [first] = server.received('tasks/result')
  await tabs[0].page.setVisible(false)
  await browser.advance(5000)
  expect(first?.signal?.aborted).toBe(true)
})
