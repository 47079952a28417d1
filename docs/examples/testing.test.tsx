// #region whole
import { notifyManager } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer, scriptTask, type TestServerOptions } from 'taskwire/testing'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { App } from './testingApp.js'

beforeAll(() => {
  // TanStack Query notifies components by a timer of the machine, which no simulated clock moves.
  notifyManager.setScheduler(queueMicrotask)
  // React warns of changes outside of act() where this is set. Testing Library sets it where test globals are on.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
})

afterEach(cleanup)

function openApp(tools: TestServerOptions['tools']) {
  const server = createTestServer({ tools })
  const client = createTaskClient({ url: server.url, environment: server.environment })
  const { unmount } = render(<App client={client} />)
  const advance = (ms: number) => act(() => server.advance(ms))
  return { server, unmount, advance }
}

const start = () => fireEvent.click(screen.getByText('Write the report'))

const report = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.string() }),
  taskSupport: 'required',
  async handler({ quarter }, { task, sleep }) {
    await task?.setStatus('Collecting the figures')
    await sleep(5000)
    return { content: [{ type: 'text', text: `The report of ${quarter}` }] }
  },
})

test('shows progress, then the report', async () => {
  const { server, advance } = openApp([report])
  start()
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe('Collecting the figures')
  await advance(4000)
  expect(screen.getByText('The report of Q3')).toBeDefined()
  expect(server.count('tools/call', 'generate_report')).toBe(1)
  expect(server.times('tasks/get')).toEqual([1000, 2000, 3000, 4000, 5000])
})
// #endregion whole

// #region script
test('asks what the task asks, and sends the response', async () => {
  const sure = { message: 'Publish it?', requestedSchema: { type: 'object', properties: {} } }
  const { server, advance } = openApp([
    scriptTask([
      { status: 'working', statusMessage: 'Writing' },
      { status: 'input_required', inputRequests: { sure: { method: 'elicitation/create', params: sure } } },
      { status: 'completed', result: { content: [{ type: 'text', text: 'Published' }] } },
    ]),
  ])
  start()
  await advance(1000)
  fireEvent.click(screen.getByText('Publish it?'))
  await advance(1000)
  expect(screen.getByText('Published')).toBeDefined()
  const [answer] = server.requests.filter(({ method }) => method === 'tasks/update')
  expect(answer?.params).toMatchObject({ inputResponses: { sure: { action: 'accept' } } })
})
// #endregion script

// #region faults
test('says so while it cannot reach the server, and goes on', async () => {
  const { server, advance } = openApp([report])
  start()
  await advance(500)
  server.faults.drop({ method: 'tasks/get', times: 1 })
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe('Reconnecting')
  await advance(10_000)
  expect(screen.getByText('The report of Q3')).toBeDefined()
})
// #endregion faults

// #region reload
test('finds its report again after a reload', async () => {
  const { server, unmount, advance } = openApp([report])
  start()
  await advance(1500)
  const { environment } = await server.page.reload()
  unmount()

  render(<App client={createTaskClient({ url: server.url, environment })} />)
  await advance(10_000)
  expect(screen.getByText('The report of Q3')).toBeDefined()
  expect(server.count('tools/call')).toBe(1)
})
// #endregion reload
