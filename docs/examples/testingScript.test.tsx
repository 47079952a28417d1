import { fireEvent, screen } from '@testing-library/react'
import { scriptTask } from 'taskwire/testing'
import { expect, test } from 'vitest'
import { openApp, start } from './testingPage'

test('shows the input request of the task, and sends the response', async () => {
  const sure = {
    message: 'Publish it?',
    requestedSchema: { type: 'object', properties: {} },
  }
  const { server, advance } = openApp([
    scriptTask([
      { status: 'working', statusMessage: 'Writing' },
      {
        status: 'input_required',
        inputRequests: { sure: { method: 'elicitation/create', params: sure } },
      },
      {
        status: 'completed',
        result: { content: [{ type: 'text', text: 'Published' }] },
      },
    ]),
  ])
  start()
  await advance(1000)
  fireEvent.click(screen.getByText('Publish it?'))
  await advance(1000)
  expect(screen.getByText('Published')).toBeDefined()
  const [update] = server.requests.filter(
    ({ method }) => method === 'tasks/update',
  )
  expect(update?.params).toMatchObject({
    inputResponses: { sure: { action: 'accept' } },
  })
})
