import { notifyManager } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import { createTestServer, scriptTask } from 'taskwire/testing'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { Report } from './report'

beforeAll(() => {
  // TanStack Query notifies by a timer of the machine, which no simulated clock moves.
  notifyManager.setScheduler(queueMicrotask)
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
})

afterEach(cleanup)

test('shows the progress of the report, and then the report', async () => {
  // A server in memory whose tool does no work: each poll shows the next step. No test waits for real time.
  const report = scriptTask(
    [
      { status: 'working', progress: { progress: 2, total: 5, message: 'Asia' } },
      { status: 'completed', result: { content: [{ type: 'text', text: 'Sold 4,200 pieces.' }] } },
    ],
    { name: 'generate_report' },
  )
  const server = createTestServer({ tools: [report] })
  const client = createTaskClient({ url: server.url, environment: server.environment })
  render(
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>,
  )

  fireEvent.click(screen.getByRole('button', { name: 'Generate report' }))
  await act(() => server.advance(500))
  expect(screen.getByText('Asia')).toBeDefined()
  expect(screen.getByRole('progressbar').getAttribute('value')).toBe('2')

  await act(() => server.advance(1000))
  expect(screen.getByText('Sold 4,200 pieces.')).toBeDefined()
  expect(server.requests.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
    name: 'generate_report',
    arguments: { quarter: 'Q1' },
  })
})
