import { act, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider, useToolCallMutation } from 'taskwire/react'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, expect, it } from 'vitest'
import { createWorkServer } from '../support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

const advance = (ms: number) => act(() => server.advance(ms))

function Button({ name, keyed }: { name: string; keyed: boolean }) {
  const { mutate, call } = useToolCallMutation({ name, ...(keyed && { key: 'shown' }) })
  return (
    <button type="button" onClick={() => mutate({ text: 'hi' })}>
      {call?.phase ?? 'none'}
    </button>
  )
}

it.each([true, false])('[EDGE-11] a call that a component shows stays, with a key: %j', async (keyed) => {
  const client = createTaskClient({ url: server.url, environment: server.environment, crossTab: false })
  const { unmount } = render(
    <TaskClientProvider client={client}>
      <Button name="echo" keyed={keyed} />
    </TaskClientProvider>,
  )
  await advance(0)
  screen.getByRole('button').click()
  await advance(1000)
  expect(screen.getByRole('button').textContent).toBe('completed')

  const others = () =>
    Array.from({ length: 220 }, (_, index) =>
      client.callTool({ name: 'echo', arguments: { text: 'hi' } }, keyed ? { key: `other-${index}` } : {}),
    )
  const made = others()
  await advance(1000)
  await Promise.all(made)
  await advance(6 * 60_000)
  client.startToolCall({ name: 'echo', arguments: { text: 'hi' } })
  await advance(1000)
  expect(screen.getByRole('button').textContent).toBe('completed')

  unmount()
  expect(server.page.listeners()).toBe(0)
  const more = others()
  await advance(1000)
  await Promise.all(more)
  expect(Object.keys(client.store.getState().calls).length).toBeLessThanOrEqual(201)
})
