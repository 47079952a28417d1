import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { TaskClientProvider } from 'taskwire/react'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { Inbox } from '../demo/app/inbox/Inbox.js'
import { createTaskClient } from './support/anyClient.js'
import {
  ack,
  created,
  createScriptedServer,
  type Reply,
  rpcError,
  snapshot,
  unreachable,
} from './support/scriptedServer.js'

const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'Deploy it?',
    requestedSchema: {
      type: 'object',
      properties: {
        reason: { type: 'string', title: 'Reason', description: 'Goes into the log.', minLength: 3 },
        replicas: { type: 'integer', title: 'Replicas', maximum: 12, default: 3 },
        regions: {
          type: 'array',
          title: 'Regions',
          items: { type: 'string', enum: ['Europe', 'Asia Pacific'] },
          minItems: 1,
          default: ['Europe'],
        },
      },
      required: ['reason', 'regions'],
    },
  },
}

/** The forms of the demo keep drafts there. */
afterEach(() => sessionStorage.clear())

/** One under which every object has something: no input request may take that for its response. */
const KEY = 'toString'

/** The inbox of the demo with this form in it, and a server that takes responses as `updates` says. */
async function openForm(...updates: [Reply, ...Reply[]]) {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { [KEY]: FORM } }))
  server.on('tasks/update', ...updates)
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
  render(
    <TaskClientProvider client={client}>
      <Inbox />
    </TaskClientProvider>,
  )
  const call = client.startToolCall({ name: 'deploy' })
  const advance = (ms: number) => act(() => page.advance(ms))
  await advance(1000)
  fireEvent.click(screen.getByRole('button', { name: 'Deploy it?' }))
  return {
    call,
    advance,
    fill: (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } }),
    tick: (label: string) => fireEvent.click(screen.getByLabelText(label)),
    click: async (name: string) => {
      fireEvent.click(screen.getByRole('button', { name }))
      await advance(0)
    },
    answers: () => server.received('tasks/update').map(({ params }) => params['inputResponses']),
  }
}

/** What is read out beside a field. */
function beside(label: string): string[] {
  const ids = screen.getByLabelText(label).getAttribute('aria-describedby')?.split(' ') ?? []
  return ids.map((id) => document.getElementById(id)?.textContent ?? '')
}

const inForm = () => within(screen.getByTestId('question'))

describe('a form of the demo', () => {
  it('that is filled in wrongly keeps what was typed, says beside the field what is wrong, and is sent once mended', async () => {
    const { fill, tick, click, answers } = await openForm(ack)
    expect(inForm().getByRole('status').textContent).toBe('')
    const reason = screen.getByLabelText('Reason')
    fill('Reason', 'Fixes the login')
    tick('Europe')
    await click('Submit')
    expect(answers()).toEqual([])
    expect(screen.getByLabelText('Reason')).toBe(reason)
    expect(reason).toHaveProperty('value', 'Fixes the login')
    expect(reason.getAttribute('aria-invalid')).toBeNull()
    expect(beside('Reason')).toEqual(['Goes into the log.'])
    expect(screen.getByLabelText('Europe')).toMatchObject({ checked: false })
    expect(screen.getByLabelText('Europe').getAttribute('aria-invalid')).toBe('true')
    expect(beside('Europe')).toEqual(['Choose at least 1.'])
    expect(inForm().getByRole('alert').textContent).toBe('Nothing has been sent. Check the marked fields.')
    expect(document.activeElement).toBe(screen.getByLabelText('Europe'))

    tick('Asia Pacific')
    await click('Submit')
    expect(answers()).toEqual([
      { [KEY]: { action: 'accept', content: { reason: 'Fixes the login', replicas: 3, regions: ['Asia Pacific'] } } },
    ])
    expect(screen.queryByTestId('question')).toBeNull()
  })

  it('says of each field what is wrong with it', async () => {
    const { fill, click, answers } = await openForm(ack)
    fill('Reason', 'ok')
    fill('Replicas optional', '13')
    await click('Submit')
    expect(beside('Reason')).toEqual(['Goes into the log.', 'Enter at least 3 characters.'])
    expect(beside('Replicas optional')).toEqual(['Enter 12 or less.'])
    expect(answers()).toEqual([])
  })

  it('whose answer does not get through stays, says that it is sent again, and goes away when it has arrived', async () => {
    const { fill, click, advance, answers } = await openForm(unreachable, unreachable, ack)
    const reason = screen.getByLabelText('Reason')
    fill('Reason', 'Fixes the login')
    await click('Submit')
    const status = inForm().getByRole('status')
    expect(status.textContent).toBe('The server cannot be reached. Trying again…')
    expect(screen.getByLabelText('Reason')).toBe(reason)
    expect(reason.closest('fieldset')).toMatchObject({ disabled: true })
    expect(screen.getByRole('button', { name: 'Decline' })).toMatchObject({ disabled: true })
    await advance(60_000)
    expect(screen.queryByTestId('question')).toBeNull()
    expect(new Set(answers().map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  it('whose answer the server refuses stays with what was typed, says why, and is sent again by the user', async () => {
    const { fill, click, answers } = await openForm(rpcError(-32602, 'The reason is on the black list'), ack)
    fill('Reason', 'Just because')
    await click('Submit')
    expect(inForm().getByRole('alert').textContent).toContain('The reason is on the black list')
    expect(screen.getByLabelText('Reason')).toMatchObject({ value: 'Just because' })
    fill('Reason', 'Fixes the login')
    await click('Submit')
    expect(answers()).toHaveLength(2)
    expect(screen.queryByTestId('question')).toBeNull()
  })

  it('has what was typed after it was closed and opened again', async () => {
    const { fill } = await openForm(ack)
    fill('Reason', 'Fixes the login')
    cleanup()
    await openForm(ack)
    expect(screen.getByLabelText('Reason')).toHaveProperty('value', 'Fixes the login')
  })

  it('that is declined in vain can be declined again, and leaves no rejection unhandled', async () => {
    const { click, answers } = await openForm(rpcError(-32602, 'Not now'), ack)
    await click('Decline')
    expect(inForm().getByRole('alert').textContent).toContain('Not now')
    await click('Decline')
    expect(answers()).toEqual([{ [KEY]: { action: 'decline' } }, { [KEY]: { action: 'decline' } }])
  })
})
