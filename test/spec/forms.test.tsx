import { act, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { afterEach, expect, it } from 'vitest'
import { Inbox } from '../../demo/app/inbox/Inbox.js'
import { ack, created, createScriptedServer, snapshot } from '../support/scriptedServer.js'

const FORM = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Deploy? See https://evil.example or <a href="https://evil.example">this</a>.',
    requestedSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', title: 'Region', default: 'eu', description: 'As on https://evil.example' },
        replicas: { type: 'integer', title: 'Replicas', default: 3 },
        dry: { type: 'boolean', title: 'Dry run', default: true },
      },
      required: ['region'],
    },
  },
}

/** The forms of the demo keep drafts there. */
afterEach(() => sessionStorage.clear())

/** The demo, whose inbox holds this form. */
async function openForm() {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { a: FORM } }))
  server.on('tasks/update', ack)
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
  client.startToolCall({ name: 'deploy' })
  await act(() => page.advance(1000))
  fireEvent.click(screen.getByRole('button', { name: /^Deploy\?/ }))
  const click = async (name: string) => {
    fireEvent.click(screen.getByRole('button', { name }))
    await act(() => page.advance(0))
  }
  return { page, click, answers: () => server.received('tasks/update').map(({ params }) => params['inputResponses']) }
}

// [CORE-ELICIT-DEFAULTS]
it('[EDGE-23] a form of the demo is filled with the defaults of its schema', async () => {
  await openForm()
  expect(screen.getByLabelText('Region')).toHaveProperty('value', 'eu')
  expect(screen.getByLabelText(/^Replicas/)).toHaveProperty('value', '3')
  expect(screen.getByLabelText(/^Dry run/)).toHaveProperty('checked', true)
})

// [CORE-ELICIT-REVIEW] [CORE-ELICIT-APPROVAL]
it('[EDGE-23] a form of the demo sends nothing before the user has submitted it, and then what it shows', async () => {
  const { page, click, answers } = await openForm()
  await act(() => page.advance(60_000))
  expect(answers()).toEqual([])
  fireEvent.change(screen.getByLabelText('Region'), { target: { value: 'us' } })
  fireEvent.click(screen.getByLabelText(/^Dry run/))
  expect(answers()).toEqual([])
  await click('Submit')
  expect(answers()).toEqual([{ a: { action: 'accept', content: { region: 'us', replicas: 3, dry: false } } }])
})

// [CORE-ELICIT-DECLINE]
it.each([
  ['Decline', 'decline'],
  ['Not now', 'cancel'],
])('[EDGE-23] a form of the demo answers "%s" by %s, without content', async (button, action) => {
  const { click, answers } = await openForm()
  await click(button)
  expect(answers()).toEqual([{ a: { action } }])
})

// [CORE-URL-NOT-CLICKABLE-ELSEWHERE]
it('[EDGE-23] a form of the demo has no link in it, whatever its texts say', async () => {
  await openForm()
  expect(screen.getByText(/See https:\/\/evil\.example or <a href/)).toBeDefined()
  expect(screen.queryAllByRole('link')).toEqual([])
})
