import { createElement, Suspense } from 'react'
import { renderToReadableStream } from 'react-dom/server'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider, useSuspenseToolCall, useToolCalls } from 'taskwire/react'
import { expect, it } from 'vitest'

it('[EDGE-24] useSuspenseToolCall throws on a server what Next.js takes for a bail-out to the browser', async () => {
  const client = createTaskClient({ url: '/mcp' })
  const Suspended = () => useSuspenseToolCall({ name: 'work' }).status
  const Calls = () => `calls: ${useToolCalls().length}`
  const page = createElement(
    TaskClientProvider,
    { client },
    createElement(Calls),
    createElement(Suspense, { fallback: 'loading' }, createElement(Suspended)),
  )
  const errors: unknown[] = []
  const stream = await renderToReadableStream(page, { onError: (error) => void errors.push(error) })
  const html = await new Response(stream).text()
  expect(html).toContain('calls: 0')
  expect(html).toContain('loading')
  expect(errors).toMatchObject([{ digest: 'BAILOUT_TO_CLIENT_SIDE_RENDERING', reason: 'useSuspenseToolCall()' }])
})
