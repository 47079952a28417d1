import { act, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import { expect, it } from 'vitest'
import { Announcer } from '../../demo/app/calls/Announcer.js'
import { createWorkServer } from '../support/workServer.js'

it('the demo says nothing of a call any longer that was forgotten', async () => {
  const server = createWorkServer()
  const client = createTaskClient({ url: server.url, environment: server.environment })
  render(
    <TaskClientProvider client={client}>
      <Announcer />
    </TaskClientProvider>,
  )
  const said = () => screen.getByRole('status').textContent
  act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 1 } }))
  await act(() => server.advance(5000))
  expect(said()).toMatch(/: Done$/)
  await act(() => client.forget())
  expect(said()).toBe('')
  act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 1 } }))
  await act(() => server.advance(5000))
  expect(said()).toMatch(/: Done$/)
  await client.close()
})
