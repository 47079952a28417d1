import { act, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import { defineTool } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ReportButton } from '../docs/examples/button.js'

const report = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.enum(['Q1', 'Q2', 'Q3', 'Q4']) }),
  taskSupport: 'required',
  async handler(_args, { progress, sleep }) {
    await progress('Collecting the figures')
    await sleep(5000)
    return { content: [{ type: 'text', text: 'The report' }] }
  },
})

const asking = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.string() }),
  taskSupport: 'required',
  async handler(_args, { elicit }) {
    await elicit({ message: 'Which currency?', requestedSchema: { type: 'object', properties: {} } })
    return { content: [] }
  },
})

const refusing = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.literal('Q1') }),
  taskSupport: 'optional',
  handler: () => ({ content: [] }),
})

function openButton(tool: typeof report | typeof refusing | typeof asking) {
  const server = createTestServer({ tools: [tool] })
  const client = createTaskClient({ url: server.url, environment: server.environment })
  render(
    <TaskClientProvider client={client}>
      <ReportButton />
    </TaskClientProvider>,
  )
  const advance = (ms: number) => act(() => server.advance(ms))
  return { server, advance }
}

const button = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Generate/ })
const news = () => screen.getByRole('status').textContent

test('the button that makes the weekly report shows the progress, cancels once, and can be pressed again after that', async () => {
  const { server, advance } = openButton(report)
  expect(button().textContent).toBe('Generate the weekly report')
  fireEvent.click(button())
  await advance(1000)
  expect(news()).toBe('Collecting the figures Cancel')
  server.faults.delay(500, { method: 'tasks/cancel', times: 1 })
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await advance(100)
  expect(screen.getByRole('button', { name: 'Cancelling…' })).toMatchObject({ disabled: true })
  await advance(5000)
  expect(news()).toMatch('The task was cancelled')
  expect(button()).toMatchObject({ textContent: 'Generate the weekly report', disabled: false })
  fireEvent.click(button())
  await advance(7000)
  expect(button().textContent).toBe('Generate it again')
  expect(news()).toBe('The report')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('the second click of a double click does not cancel the weekly report', async () => {
  const { server, advance } = openButton(report)
  // What is first on the page, and so under the pointer.
  const clickFirst = () => {
    const [first] = screen.getAllByRole('button')
    if (first) fireEvent.click(first)
  }
  clickFirst()
  await advance(0)
  clickFirst()
  await advance(7000)
  expect(news()).toBe('The report')
  expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1)
})

test('the button that makes the weekly report shows what a tool says of arguments that do not fit', async () => {
  const { advance } = openButton(refusing)
  fireEvent.click(button())
  await advance(1000)
  expect(screen.getByRole('alert').textContent).toMatch('quarter')
  expect(button().disabled).toBe(false)
})

test('the button that makes the weekly report says that the tool waits for an answer', async () => {
  const { advance } = openButton(asking)
  fireEvent.click(button())
  await advance(1000)
  expect(news()).toBe('Waiting for your answer. Cancel')
})
