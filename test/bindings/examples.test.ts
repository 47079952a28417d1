import { fireEvent, within } from '@testing-library/dom'
import { createTaskClient, type ToolCallState } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nextTick } from 'vue'
import { z } from 'zod'
import { showReport } from '../../docs/examples/bindings/showReport.js'
import { showInbox } from '../../docs/examples/forms/showInbox.js'
import { showProgress } from '../../docs/examples/progress/showProgress.js'
import { type MountExample, mounts } from './exampleMounts.js'

const text = (text: string) => [{ type: 'text' as const, text }]

/** Says "Asia", and ends after five seconds; for Q4 as a tool that has failed. For Q2 it asks first, for Q5 it knows no total. */
const report = defineTool({
  name: 'generate_report',
  taskSupport: 'required',
  inputSchema: z.object({ quarter: z.string() }),
  async handler({ quarter }, { progress, sleep, elicit }) {
    if (quarter === 'Q2') await elicit({ message: 'Why?', requestedSchema: REASON })
    await progress(3, quarter === 'Q5' ? undefined : 4, 'Asia')
    await sleep(5000)
    return { content: text(`The report of ${quarter}`), isError: quarter === 'Q4' }
  },
})

const REASON = {
  type: 'object' as const,
  properties: { reason: { type: 'string' as const, title: 'Reason' } },
  required: ['reason'],
}

/** Asks two questions at once, then says what the answers were. */
const ask = defineTool({
  name: 'ask',
  taskSupport: 'required',
  inputSchema: z.object({}),
  async handler(_, { elicit }) {
    const asked = ['First?', 'Second?'].map((message) => elicit({ message, requestedSchema: REASON }))
    const answers = await Promise.all(asked)
    return { content: text(answers.map(({ action, content }) => content?.['reason'] ?? action).join(', ')) }
  },
})

/** In plain DOM the app starts the call, and a function shows it. */
const plainDom: MountExample = async (path, props, client, parent) => {
  if (path === 'forms/Inbox') return showInbox(client, parent)
  if (path === 'progress/CallProgress') return showProgress(client, (props['call'] as ToolCallState).callId, parent)
  const call = client.startToolCall({ name: 'generate_report', arguments: { quarter: props['quarter'] } })
  call.result.catch(() => {})
  return showReport(client, call.callId, parent)
}

describe.each(Object.entries({ ...mounts, 'plain DOM': plainDom }))('the example for %s', (name, mount) => {
  async function open() {
    const server = createTestServer({ tools: [report, ask] })
    const client = createTaskClient({ url: server.url, environment: server.environment })
    const parent = document.body.appendChild(document.createElement('main'))
    const page = within(parent)
    async function advance(ms: number) {
      await server.advance(ms)
      // Vue renders in a microtask of its own.
      await nextTick()
    }
    async function show(path: string, props: Record<string, unknown> = {}) {
      const unmount = await mount(path, props, client, parent)
      let isShown = true
      const hide = async () => {
        if (isShown) await unmount()
        isShown = false
      }
      onTestFinished(async () => {
        await hide()
        parent.remove()
      })
      await advance(0)
      return hide
    }
    const press = async (button: string) => {
      fireEvent.click(page.getByRole('button', { name: button }))
      await advance(0)
    }
    return { server, client, page, parent, show, advance, press }
  }

  it('of a report shows its progress, the network, and its text', async () => {
    const { server, advance, page, show } = await open()
    await show('bindings/Report', { quarter: 'Q3' })
    expect(page.getByRole('status').textContent).toMatch('Starting…')
    await advance(1000)
    expect(page.getByRole('status').textContent).toMatch('Asia')
    server.faults.drop({ method: 'tasks/get' })
    await advance(1000)
    expect(page.getByRole('status').textContent).toMatch('Reconnecting…')
    server.faults.clear()
    await advance(60_000)
    expect(page.getByRole('status').textContent).toBe('The report of Q3')
    expect(page.queryByRole('button', { name: /./ })).toBeNull()
    expect(server.count('tools/call')).toBe(1)
  })

  it('of a report says that it waits for the user', async () => {
    const { advance, page, show } = await open()
    await show('bindings/Report', { quarter: 'Q2' })
    await advance(1000)
    expect(page.getByRole('status').textContent).toMatch('Waiting for your answer.')
  })

  it('of a report takes the text of a tool that has failed for a problem', async () => {
    const { server, advance, page, show, press } = await open()
    await show('bindings/Report', { quarter: 'Q4' })
    await advance(10_000)
    expect(page.getByRole('alert').textContent).toMatch('The report of Q4')
    if (name === 'plain DOM') return
    await press('Try again')
    await advance(10_000)
    expect(server.count('tools/call')).toBe(2)
  })

  it('of a report cancels it, and says so', async () => {
    const { server, advance, page, show, press } = await open()
    await show('bindings/Report', { quarter: 'Q1' })
    await advance(1000)
    server.faults.delay(500, { method: 'tasks/cancel', times: 1 })
    await press('Cancel')
    expect(page.getByRole<HTMLButtonElement>('button', { name: 'Cancelling…' }).disabled).toBe(true)
    await advance(5000)
    expect(page.getByRole('status').textContent).toMatch('The report was cancelled.')
    expect(server.count('tasks/cancel')).toBe(1)
  })

  it('of an inbox shows a form for each question, and keeps what is typed into one while another is answered', async () => {
    const { advance, client, page, show } = await open()
    await show('forms/Inbox')
    expect(page.queryByRole('textbox')).toBeNull()
    const call = client.startToolCall({ name: 'ask', arguments: {} })
    await advance(2000)
    const fields = page.getAllByRole('textbox', { name: 'Reason' })
    expect(fields).toHaveLength(2)
    fireEvent.input(fields[1] as Element, { target: { value: 'because' } })
    fireEvent.click(page.getAllByRole('button', { name: 'Decline' })[0] as Element)
    await advance(2000)
    expect(page.getByText('Second?')).toBeDefined()
    expect(page.getByRole('textbox')).toHaveProperty('value', 'because')
    fireEvent.click(page.getByRole('button', { name: 'Submit' }))
    await advance(5000)
    expect(await call.result).toMatchObject({ content: text('decline, because') })
    expect(page.queryByRole('textbox')).toBeNull()
  })

  it('of an inbox takes the form away of a question that is answered elsewhere, also while the user types into it', async () => {
    const { advance, client, page, show } = await open()
    await show('forms/Inbox')
    const call = client.startToolCall({ name: 'ask', arguments: {} })
    await advance(2000)
    const [first, second] = page.getAllByRole<HTMLInputElement>('textbox', { name: 'Reason' })
    first?.focus()
    fireEvent.input(first as Element, { target: { value: 'to the fir' } })
    const [asked] = Object.entries(call.getState().inputRequests).filter(
      ([, { params }]) => params?.message === 'First?',
    )
    await call.respond(asked?.[0] as string, { action: 'decline' })
    await advance(2000)
    expect(page.getByRole('textbox')).toBe(second)
    expect(first?.isConnected).toBe(false)
    fireEvent.input(first as Element, { target: { value: 'to the first' } })
    await advance(0)
    expect(second?.value).toBe('')
  })

  it('of progress shows a bar with words while the call runs, and nothing after it', async () => {
    const { server, advance, client, page, parent, show } = await open()
    server.faults.delay(500, { method: 'tools/call' })
    const call = client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q3' } })
    const hide = await show('progress/CallProgress', { call: call.getState() })
    expect(page.getByRole('progressbar').hasAttribute('value')).toBe(false)
    expect(page.getByRole('status').textContent).toBe('Starting…')
    await advance(2000)
    await hide()
    const hideAgain = await show('progress/CallProgress', { call: call.getState() })
    const bar = page.getByRole<HTMLProgressElement>('progressbar', { name: 'generate_report' })
    expect([bar.value, bar.max]).toEqual([3, 4])
    expect(page.getByRole('status').textContent).toBe('Asia')
    await advance(10_000)
    await hideAgain()
    await show('progress/CallProgress', { call: call.getState() })
    expect(parent.textContent).toBe('')
  })

  it('of progress fills no bar where the server has not said how much there is to do', async () => {
    const { advance, client, page, show } = await open()
    const call = client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q5' } })
    await advance(2000)
    await show('progress/CallProgress', { call: call.getState() })
    expect(page.getByRole('status').textContent).toBe('Asia')
    expect(page.getByRole('progressbar').hasAttribute('value')).toBe(false)
  })
})
