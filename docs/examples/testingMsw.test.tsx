import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createTaskClient, type TaskClient } from 'taskwire'
import { createLiveServer, scriptTask, taskHandlers } from 'taskwire/testing'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  test,
} from 'vitest'
import { App } from './testingApp'

const server = createLiveServer({
  tools: [
    scriptTask([
      { status: 'working', statusMessage: 'Writing' },
      {
        status: 'completed',
        result: { content: [{ type: 'text', text: 'The report of Q3' }] },
      },
    ]),
  ],
  pollIntervalMs: 20, // ms of real time
})
const network = setupServer(
  ...taskHandlers('https://example.com/mcp', server, http),
)

let client: TaskClient

beforeAll(() => network.listen())
beforeEach(() => {
  client = createTaskClient({
    url: 'https://example.com/mcp',
    retry: { baseMs: 20 },
  })
})
afterEach(async () => {
  cleanup()
  await client.close()
  localStorage.clear()
  server.reset()
})
afterAll(async () => {
  network.close()
  await server.close()
})

test('writes a report, over a network that fails once', async () => {
  server.faults.drop({ method: 'tasks/get', times: 1 })
  render(<App client={client} />)
  fireEvent.click(screen.getByText('Write the report'))
  expect(
    await screen.findByText('The report of Q3', {}, { timeout: 30_000 }),
  ).toBeDefined()
  expect(server.count('tasks/get')).toBe(2)
})
