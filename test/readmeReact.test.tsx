import { act, fireEvent, render, screen } from '@testing-library/react'
import type { TaskClient } from 'taskwire'
import { scriptTask } from 'taskwire/testing'
import { expect, test, vi } from 'vitest'

// The client that the example makes for itself.
const page: { client?: TaskClient } = vi.hoisted(() => ({}))
vi.mock('taskwire', async (original) => ({
  ...(await original<typeof import('taskwire')>()),
  createTaskClient: () => page.client,
}))

const asked = {
  method: 'elicitation/create' as const,
  params: { message: 'Sure?', requestedSchema: { type: 'object' as const, properties: {} } },
}

test('the first example of the README shows progress, the network, that it waits for the user, and the end of a cancelled call', async () => {
  const { createTaskClient } = await vi.importActual<typeof import('taskwire')>('taskwire')
  const { createTestServer } = await import('taskwire/testing')
  const server = createTestServer({
    tools: [
      scriptTask(
        [
          { status: 'working', statusMessage: 'Asia' },
          { status: 'working', statusMessage: 'Asia' },
          { status: 'input_required', inputRequests: { sure: asked } },
        ],
        { name: 'generate_report' },
      ),
    ],
  })
  page.client = createTaskClient({ url: server.url, environment: server.environment })
  const { default: App } = await import('../docs/examples/react.js')
  const { container } = render(<App />)
  const advance = (ms: number) => act(() => server.advance(ms))
  expect(container.textContent).toBe('Starting… Cancel')
  await advance(500)
  expect(container.textContent).toBe('Asia Cancel')
  server.faults.drop({ method: 'tasks/get', times: 1 })
  await advance(1000)
  expect(container.textContent).toBe('Reconnecting… Cancel')
  await advance(5000)
  expect(container.textContent).toBe('Waiting for your answer. Cancel')
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await advance(5000)
  expect(screen.getByRole('status').textContent).toMatch(/^The task was cancelled/)
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})
