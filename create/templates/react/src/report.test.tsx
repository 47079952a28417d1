import { notifyManager } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import { createTestServer, scriptTask } from 'taskwire/testing'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { Report } from './report'

beforeAll(() => {
  // TanStack Query notifies components with a real timer, which a simulated
  // clock does not advance.
  notifyManager.setScheduler(queueMicrotask)
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
})

afterEach(cleanup)

/**
 * The page with a server in memory whose tool does no work: each poll shows the
 * next step. No test waits for real time.
 */
function open(steps: Parameters<typeof scriptTask>[0]) {
  const server = createTestServer({
    tools: [scriptTask(steps, { name: 'generate_report' })],
  })
  const client = createTaskClient({
    url: server.url,
    environment: server.environment,
  })
  render(
    <TaskClientProvider client={client}>
      <Report />
    </TaskClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Generate report' }))
  return { server, advance: (ms: number) => act(() => server.advance(ms)) }
}

const done = {
  content: [
    { type: 'text' as const, text: '5 regions sold 4,200 pieces in Q1.' },
  ],
  structuredContent: { quarter: 'Q1', regions: 5, pieces: 4200 },
}

test('shows the progress of the report, and then the report', async () => {
  const { server, advance } = open([
    { status: 'working', progress: { progress: 2, total: 5, message: 'Asia' } },
    { status: 'completed', result: done },
  ])
  await advance(500)
  expect(screen.getByRole('status').textContent).toBe('Asia')
  expect(screen.getByRole('progressbar').getAttribute('value')).toBe('2')

  await advance(1000)
  expect(screen.getByText('5 regions sold 4,200 pieces in Q1.')).toBeDefined()
  expect(
    server.requests.find(({ method }) => method === 'tools/call')?.params,
  ).toMatchObject({
    name: 'generate_report',
    arguments: { quarter: 'Q1' },
  })
})

test('shows why the tool has failed, and no report', async () => {
  const failed = {
    isError: true,
    content: [{ type: 'text' as const, text: 'The returns are not counted.' }],
  }
  const { advance } = open([{ status: 'completed', result: failed }])
  await advance(1000)
  expect(screen.getByRole('alert').textContent).toBe(
    'The returns are not counted.',
  )
  expect(screen.queryByText(/pieces/)).toBeNull()
})

test('shows the question that the tool asks, and sends the answer', async () => {
  const question = {
    method: 'elicitation/create' as const,
    params: {
      message: 'Without the returns?',
      requestedSchema: { type: 'object' as const, properties: {} },
    },
  }
  const { server, advance } = open([
    { status: 'input_required', inputRequests: { returns: question } },
  ])
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe(
    'Waiting for your answer.',
  )
  expect(screen.getByText('Without the returns?')).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Approve' }))
  await advance(1000)
  expect(
    server.requests.find(({ method }) => method === 'tasks/update')?.params,
  ).toMatchObject({
    inputResponses: { returns: { action: 'accept' } },
  })
})

test('shows after a reload what the report was asked for, while it runs and once it is there', async () => {
  const steps = Array.from({ length: 5 }, () => ({
    status: 'working' as const,
  }))
  const tool = scriptTask([...steps, { status: 'completed', result: done }], {
    name: 'generate_report',
  })
  const server = createTestServer({ tools: [tool] })
  const openPage = () => {
    const { environment } = server.browser.openPage()
    const client = createTaskClient({
      url: server.url,
      environment,
    })
    render(
      <TaskClientProvider client={client}>
        <Report />
      </TaskClientProvider>,
    )
    return client
  }
  const select = () => screen.getByRole<HTMLSelectElement>('combobox')
  const first = openPage()
  fireEvent.change(select(), { target: { value: 'Q3' } })
  fireEvent.click(screen.getByRole('button', { name: 'Generate report' }))
  await act(() => server.advance(2000))
  cleanup()
  await first.close()

  openPage()
  await act(() => server.advance(2000))
  expect(select()).toMatchObject({ value: 'Q3', disabled: true })

  await act(() => server.advance(10_000))
  expect(screen.getByText(/sold 4,200 pieces/)).toBeDefined()
  expect(select()).toMatchObject({ value: 'Q3', disabled: false })
})
