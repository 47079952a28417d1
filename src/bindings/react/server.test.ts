import { createElement, Suspense } from 'react'
import { renderToReadableStream } from 'react-dom/server'
import { expect, it } from 'vitest'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import { TaskClientProvider } from './TaskClientProvider.js'
import { useSuspenseToolCall } from './useSuspenseToolCall.js'
import { useToolCall } from './useToolCall.js'
import { useToolCalls } from './useToolCalls.js'

const nothing = () => {
  throw new Error('The network was used during server rendering.')
}

it('server rendering sends the pending state and the fallback, and calls nothing', async () => {
  const client = createTaskClient({ url: 'http://localhost/mcp', transportOptions: { fetch: nothing } })
  const Query = () => useToolCall({ name: 'work' }).status
  const Calls = () => `calls: ${useToolCalls().length}`
  const Suspended = () => useSuspenseToolCall({ name: 'work' }).status
  const page = createElement(
    TaskClientProvider,
    { client },
    createElement('p', null, createElement(Query)),
    createElement('p', null, createElement(Calls)),
    createElement(Suspense, { fallback: 'loading' }, createElement(Suspended)),
  )
  const errors: unknown[] = []
  const stream = await renderToReadableStream(page, { onError: (error) => void errors.push(error) })
  const html = await new Response(stream).text()
  expect(html).toContain('<p>pending</p>')
  expect(html).toContain('<p>calls: 0</p>')
  expect(html).toContain('loading')
  expect(errors).toMatchObject([{ name: 'TaskConfigurationError' }])
  expect(client.store.getState()).toEqual(client.store.getInitialState())
})
