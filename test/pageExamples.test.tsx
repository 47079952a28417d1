import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider, useToolCallMutation } from 'taskwire/react'
import { keptResults } from 'taskwire/results'
import { defineTool } from 'taskwire/server'
import { createTestServer, scriptTask } from 'taskwire/testing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { CancelButton } from '../docs/examples/CancelButton.js'
import { cancelAndSignOut } from '../docs/examples/cancelAll.js'
import { Problem } from '../docs/examples/errors.js'
import { Report } from '../docs/examples/hooks/Report.js'
import { ReportButton } from '../docs/examples/hooks/ReportButton.js'
import { Inbox } from '../docs/examples/Inbox.js'
import { KeptReport } from '../docs/examples/KeptReport.js'
import { isSilent } from '../docs/examples/lastHeard.js'
import { Reports } from '../docs/examples/Reports.js'
import { ReportWithToast } from '../docs/examples/toast.js'
import { Report as McpReport } from '../docs/examples/useMcpAfter.js'

const report = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.string() }),
  taskSupport: 'required',
  async handler(_args, { progress, sleep }) {
    await progress(1, 4, 'Asia')
    await sleep(5000)
    return { content: [{ type: 'text', text: 'The report' }] }
  },
})

/** Asks before it reports. */
const asking = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.string() }),
  taskSupport: 'required',
  async handler(_args, { elicit }) {
    const requestedSchema = {
      type: 'object' as const,
      properties: { reason: { type: 'string' as const, title: 'Reason' } },
      required: ['reason'],
    }
    const { action, content } = await elicit({ message: 'Why?', requestedSchema })
    return { content: [{ type: 'text', text: `${action}: ${content?.['reason']}` }] }
  },
})

function open(tools: Parameters<typeof createTestServer>[0]['tools'] = [report]) {
  const server = createTestServer({ tools })
  const client = createTaskClient({ url: server.url, environment: server.environment })
  const advance = (ms: number) => act(() => server.advance(ms))
  const show = (children: React.ReactNode) =>
    render(<TaskClientProvider client={client}>{children}</TaskClientProvider>)
  const start = () => client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q3' } }, { key: 'weekly' })
  return { server, client, advance, show, start }
}

test('the list of the page on reloads shows the progress of each call, and when the network is gone', async () => {
  const { server, advance, show, start } = open()
  show(<Reports />)
  act(() => void start())
  await advance(1000)
  const bar = screen.getByRole<HTMLProgressElement>('progressbar', { name: 'generate_report' })
  expect([bar.value, bar.max]).toEqual([1, 4])
  expect(screen.getByRole('status').textContent).toBe('Asia')
  await act(() => server.page.setOnline(false))
  expect(screen.getByRole('status').textContent).toBe('You are offline. The task keeps running.')
  await act(() => server.page.setOnline(true))
  await advance(10_000)
  expect(screen.queryByRole('status')).toBeNull()
  expect(screen.getByRole('listitem').textContent).toMatch(/: completed$/)
})

test('the list of the page on reloads says that a task runs only of a call that has one which is at work', async () => {
  const requestedSchema = { type: 'object' as const, properties: {} }
  const asks = { method: 'elicitation/create' as const, params: { message: 'Sure?', requestedSchema } }
  const { server, advance, show, start } = open([
    scriptTask([{ status: 'input_required', inputRequests: { sure: asks } }], { name: 'generate_report' }),
  ])
  server.page.setOnline(false)
  show(<Reports />)
  act(() => void start())
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe('You are offline. Waiting for the network.')
  await act(() => server.page.setOnline(true))
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe('Waiting for your answer.')
  await act(() => server.page.setOnline(false))
  expect(screen.getByRole('status').textContent).toBe('You are offline. Waiting for the network.')
})

test('the progress of a call fills no bar where the server has not said how much there is to do', async () => {
  const counting = scriptTask([{ status: 'working', progress: { progress: 3 } }], { name: 'generate_report' })
  const { advance, show, start } = open([counting])
  show(<Reports />)
  act(() => void start())
  await advance(1000)
  expect(screen.getByRole('progressbar').hasAttribute('value')).toBe(false)
})

test('the progress of a call that waits for the user says so, and one without a message is at work', async () => {
  const asked = {
    method: 'elicitation/create' as const,
    params: { message: 'Sure?', requestedSchema: { type: 'object' as const, properties: {} } },
  }
  const { advance, show, start } = open([
    scriptTask([{ status: 'working' }, { status: 'input_required', inputRequests: { sure: asked } }], {
      name: 'generate_report',
    }),
  ])
  show(<Reports />)
  act(() => void start())
  await advance(500)
  expect(screen.getByRole('status').textContent).toBe('Working…')
  await advance(2000)
  expect(screen.getByRole('status').textContent).toBe('Waiting for your answer.')
})

test('the problem of a mutation offers no retry before this page has called the tool', async () => {
  const { server, advance, show, start } = open()
  function Report() {
    const { error, retry, mutate } = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
    return (
      <>
        {error && <Problem error={error} retry={retry} />}
        <button type="button" onClick={() => mutate({ quarter: 'Q3' })}>
          Start
        </button>
      </>
    )
  }
  server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
  void start().result.catch(() => {})
  await advance(100)
  show(<Report />)
  await advance(2 * 3_600_000)
  expect(screen.getByText(/the report may be running/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Start it again' })).toBeNull()
})

test('the button of the page on cancelling asks the server once and goes away when it has stopped', async () => {
  const { server, client, advance, show, start } = open()
  show(<CancelButton callId={client.toolCallId('generate_report', 'weekly')} />)
  expect(screen.queryByRole('button')).toBeNull()
  act(() => void start().result.catch(() => {}))
  await advance(1000)
  server.faults.delay(500, { method: 'tasks/cancel', times: 1 })
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await advance(100)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancelling…' }).disabled).toBe(true)
  await advance(3000)
  expect(screen.queryByRole('button')).toBeNull()
  expect(server.count('tasks/cancel')).toBe(1)
})

test('the report of the page on reloads is shown, with its date, on a visit after the server has dropped it', async () => {
  const hour = 3_600_000
  const server = createTestServer({ tools: [{ ...report, ttlMs: hour }] })
  const items = new Map<string, string>()
  const visit = () => {
    const client = createTaskClient({
      url: server.url,
      environment: server.browser.openPage().environment,
      results: keptResults({
        items: {
          get: async (name) => items.get(name),
          set: async (name, text) => void items.set(name, text),
          remove: async (names) => names.forEach((name) => void items.delete(name)),
          names: async () => [...items.keys()],
        },
      }),
    })
    render(
      <TaskClientProvider client={client}>
        <KeptReport />
      </TaskClientProvider>,
    )
    return client
  }
  const client = visit()
  fireEvent.click(screen.getByRole('button', { name: 'Generate the report' }))
  await act(() => server.advance(10_000))
  expect(screen.getByText('The report')).toBeDefined()
  const date = screen.getByText(/^Generated on /).textContent
  cleanup()
  await client.close()

  await server.advance(2 * hour)
  const before = server.count('tasks/get')
  visit()
  await act(() => server.advance(1000))
  expect(screen.getByText('The report')).toBeDefined()
  expect(screen.getByText(/^Generated on /).textContent).toBe(date)
  expect([server.count('tools/call'), server.count('tasks/get') - before]).toEqual([1, 0])
})

test('the toast of the page on notifying says once that the report is ready', async () => {
  const { advance, show } = open()
  show(<ReportWithToast />)
  fireEvent.click(screen.getByRole('button'))
  await advance(3000)
  expect(screen.getByRole('status').textContent).toBe('')
  await advance(3000)
  expect(screen.getByRole('status').textContent).toBe('The report is ready.')
})

test('the toast of the page on notifying says that the tool has failed, and that the report was cancelled', async () => {
  const failing = { ...report, handler: () => ({ isError: true, content: [] }) }
  const { client, advance, show } = open([failing])
  const { unmount } = show(<ReportWithToast />)
  fireEvent.click(screen.getByRole('button'))
  await advance(3000)
  expect(screen.getByRole('status').textContent).toBe('The report has failed.')
  unmount()
  await client.close()

  const { advance: advanceOther, client: other, show: showOther } = open()
  showOther(<ReportWithToast />)
  fireEvent.click(screen.getByRole('button'))
  await advanceOther(1000)
  await act(() => other.getToolCall(other.toolCallId('generate_report', 'weekly'))?.cancel())
  await advanceOther(3000)
  expect(screen.getByRole('status').textContent).toMatch('The task was cancelled')
})

test('the button of the page on coming from use-mcp shows the message of a task, then its result, and an error', async () => {
  const { client, advance, show } = open([
    scriptTask(
      [
        { status: 'working', statusMessage: 'Asia' },
        { status: 'completed', statusMessage: 'Done', result: { content: [{ type: 'text', text: 'The report' }] } },
      ],
      { name: 'generate_report' },
    ),
  ])
  const { container } = show(<McpReport />)
  fireEvent.click(screen.getByRole('button'))
  await advance(500)
  expect(container.textContent).toMatch(/Asia$/)
  await advance(2000)
  expect(container.textContent).toMatch('"text":"The report"')
  fireEvent.click(screen.getByRole('button'))
  await advance(500)
  await act(() => client.getToolCall(client.toolCallId('generate_report', 'report'))?.cancel())
  await advance(2000)
  expect(screen.getByRole('alert').textContent).toMatch('The task was cancelled')
})

test('the page on progress tells a slow tool from a server that cannot be reached', async () => {
  const { server, client, advance, start } = open([scriptTask([{ status: 'working' }], { name: 'generate_report' })])
  const { callId } = start()
  await advance(60_000)
  vi.spyOn(Date, 'now').mockImplementation(server.environment.now)
  expect(isSilent(client, callId)).toBe(false)
  server.faults.drop({ method: 'tasks/get' })
  await advance(5000)
  expect(isSilent(client, callId)).toBe(true)
})

test.each([
  ['a call on the page', <Report key="1" />],
  ['a button', <ReportButton key="2" />],
])('the page on React says of %s that it waits for the user, and its inbox takes the answer', async (_, example) => {
  const { advance, show } = open([asking])
  show(
    <>
      {example}
      <Inbox />
    </>,
  )
  const button = screen.queryByRole('button', { name: 'Generate the weekly report' })
  if (button) fireEvent.click(button)
  await advance(0)
  expect(screen.getByRole('status').textContent).toMatch(/^Starting…/)
  await advance(2000)
  expect(screen.getAllByRole('status')[0]?.textContent).toMatch(/^Waiting for your answer\./)
  fireEvent.input(screen.getByRole('textbox', { name: 'Reason' }), { target: { value: 'because' } })
  fireEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await advance(5000)
  expect(screen.getByText('accept: because')).toBeDefined()
  expect(screen.queryByRole('textbox')).toBeNull()
})

test('the page on cancelling stops everything before it signs out, also where the server refuses to cancel one', async () => {
  const { server, client, advance, start } = open()
  void start().result.catch(() => {})
  client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q1' } }).result.catch(() => {})
  await advance(1000)
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  server.faults.status(400, { method: 'tasks/cancel', times: 1 })
  await Promise.all([cancelAndSignOut(client), advance(5000)])
  expect(server.count('tasks/cancel')).toBe(2)
  expect(warn).toHaveBeenCalledOnce()
  expect(client.store.getState().calls).toEqual({})
})
