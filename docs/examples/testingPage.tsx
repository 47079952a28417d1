import { notifyManager } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer, type TestServerOptions } from 'taskwire/testing'
import { afterEach, beforeAll } from 'vitest'
import { z } from 'zod'
import { App } from './testingApp'

beforeAll(() => {
  // TanStack Query notifies components with a real timer, which a simulated
  // clock does not advance.
  notifyManager.setScheduler(queueMicrotask)
  // If this is set, React warns of changes outside of act(). Testing Library
  // sets it if test globals are on.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
})

afterEach(cleanup)

export function openApp(tools: TestServerOptions['tools']) {
  const server = createTestServer({ tools })
  const client = createTaskClient({
    url: server.url,
    environment: server.environment,
  })
  const { unmount } = render(<App client={client} />)
  const advance = (ms: number) => act(() => server.advance(ms))
  return { server, unmount, advance }
}

export const start = () => fireEvent.click(screen.getByText('Write the report'))

export const report = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.string() }),
  taskSupport: 'required',
  async handler({ quarter }, { progress, sleep }) {
    await progress('Collecting the figures')
    await sleep(5000)
    return { content: [{ type: 'text', text: `The report of ${quarter}` }] }
  },
})
