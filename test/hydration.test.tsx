import { act } from '@testing-library/react'
import { Suspense } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider, useInputRequests, useToolCall, useToolCalls } from 'taskwire/react'
import { createTestServer } from 'taskwire/testing'
import { expect, test, vi } from 'vitest'
import { createWorkServer } from './support/workServer.js'

test('a page that a server has rendered is hydrated without a difference, while a call of an earlier visit runs', async () => {
  const server = createWorkServer()
  const open = (environment = server.environment) => createTaskClient({ url: server.url, environment })
  const call = { name: 'work', arguments: { seconds: 60 } }
  const Status = () => {
    const { status, call: shown } = useToolCall(call)
    return `${status} ${shown?.phase} ${useToolCalls().length} ${useInputRequests().length}`
  }
  const page = (client: ReturnType<typeof open>) => (
    <TaskClientProvider client={client}>
      <Status />
    </TaskClientProvider>
  )
  const earlier = open()
  earlier.startToolCall(call, { key: 'earlier' })
  await server.advance(1500)
  await earlier.close()
  const { environment } = await server.page.reload()
  const root = document.body.appendChild(document.createElement('main'))
  root.innerHTML = renderToString(page(open(createTestServer({ tools: [] }).environment)))
  expect(root.textContent).toBe('pending undefined 0 0')

  const onRecoverableError = vi.fn()
  const hydrated = await act(async () => hydrateRoot(root, page(open(environment)), { onRecoverableError }))
  await act(() => server.advance(3000))
  expect(onRecoverableError).not.toHaveBeenCalled()
  expect(root.textContent).toBe('pending working 2 0')
  act(() => hydrated.unmount())
  root.remove()
})

test('a part in <Suspense> that hydrates after another part has shown the end of its call is rendered anew, and React reports it', async () => {
  const server = createWorkServer()
  const open = (environment = server.environment) => createTaskClient({ url: server.url, environment })
  const Status = () => useToolCall({ name: 'work', arguments: { seconds: 1 } }).status
  let load = () => {}
  const loaded = new Promise<void>((resolve) => (load = resolve))
  let isLoaded = true
  const LateStatus = () => {
    if (!isLoaded) throw loaded
    return <Status />
  }
  const page = (client: ReturnType<typeof open>) => (
    <TaskClientProvider client={client}>
      <Status />
      <Suspense>
        <LateStatus />
      </Suspense>
    </TaskClientProvider>
  )
  const root = document.body.appendChild(document.createElement('main'))
  root.innerHTML = renderToString(page(open(createTestServer({ tools: [] }).environment)))
  expect(root.textContent).toBe('pendingpending')

  isLoaded = false
  const onRecoverableError = vi.fn()
  const hydrated = await act(async () => hydrateRoot(root, page(open()), { onRecoverableError }))
  await act(() => server.advance(3000))
  expect(onRecoverableError).not.toHaveBeenCalled()
  isLoaded = true
  await act(async () => load())
  expect(root.textContent).toBe('successsuccess')
  expect(onRecoverableError).toHaveBeenCalledOnce()
  act(() => hydrated.unmount())
  root.remove()
})
