import { QueryClient, QueryClientProvider, skipToken } from '@tanstack/react-query'
import { act, render, renderHook, screen } from '@testing-library/react'
import { type ReactNode, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { InMemoryTaskStore } from 'taskwire/server'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createTaskClient } from '../../../test/support/anyClient.js'
import { createWorkServer } from '../../../test/support/workServer.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import {
  TaskCancelledError,
  TaskConfigurationError,
  TaskFailedError,
  TaskInputError,
  ToolOutputError,
} from '../../core/protocol/errors.js'
import { TaskClientProvider } from './TaskClientProvider.js'
import { useToolCall } from './useToolCall.js'

let server: TestServer
let page: SimulatedPage
let client: TaskClient

/** A client as a page that has just been opened would make it; storage survives. */
function openPage(): TaskClient {
  page = server.browser.openPage()
  return createTaskClient({ url: server.url, environment: page.environment })
}

beforeEach(() => {
  server = createWorkServer()
  client = openPage()
})

const wrapper = ({ children }: { children: ReactNode }) => (
  <StrictMode>
    <TaskClientProvider client={client}>{children}</TaskClientProvider>
  </StrictMode>
)

const advance = (ms: number) => act(() => server.advance(ms))

const WORK = { name: 'work', arguments: { seconds: 3 } } as const

describe('useToolCall', () => {
  it('goes from pending through the status messages to the result', async () => {
    const { result } = renderHook(() => useToolCall(WORK), { wrapper })
    expect(result.current).toMatchObject({
      isPending: true,
      call: { phase: 'calling' },
      task: undefined,
      isCancelling: false,
    })
    await advance(0)
    expect(result.current).toMatchObject({ isPending: true, call: { phase: 'working' } })
    await advance(1000)
    expect(result.current.task).toMatchObject({ status: 'working', statusMessage: 'step 1' })
    await advance(2000)
    expect(result.current).toMatchObject({
      isSuccess: true,
      data: { content: [{ type: 'text', text: 'success' }], structuredContent: { seconds: 3 } },
      call: { phase: 'completed' },
    })
  })

  it('makes one call in StrictMode', async () => {
    renderHook(() => useToolCall(WORK), { wrapper })
    await advance(10_000)
    expect(server.count('tools/call')).toBe(1)
  })

  it('makes one call and one poll loop for two components', async () => {
    const Report = () => <p>{useToolCall(WORK).call?.phase}</p>
    render(<Report />, { wrapper: ({ children }) => wrapper({ children: [children, <Report key="second" />] }) })
    await advance(10_000)
    expect(screen.getAllByText('completed')).toHaveLength(2)
    expect(server.count('tools/call')).toBe(1)
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000])
  })

  it('does not call again on unmount, remount or focus', async () => {
    const { unmount } = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(1500)
    unmount()
    await advance(100)
    const again = renderHook(() => useToolCall(WORK), { wrapper })
    await act(async () => window.dispatchEvent(new Event('focus')))
    await act(async () => document.dispatchEvent(new Event('visibilitychange')))
    await advance(5000)
    expect(again.result.current.isSuccess).toBe(true)
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-23] takes the same task up after a reload', async () => {
    const first = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(1500)
    const taskId = first.result.current.task?.taskId
    await act(() => page.close())
    first.unmount()

    client = openPage()
    const second = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(0)
    expect(second.result.current.task?.taskId).toBe(taskId)
    await advance(5000)
    expect(second.result.current).toMatchObject({ isSuccess: true, call: { phase: 'completed' } })
    expect(server.count('tools/call')).toBe(1)
    // The page left before the poll at 2000; the floor holds across the reload.
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000])
  })

  it('[DUR-25] fetches the result of a finished task after a reload', async () => {
    const first = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(5000)
    await act(() => page.close())
    first.unmount()

    client = openPage()
    const second = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(0)
    expect(second.result.current.data?.structuredContent).toEqual({ seconds: 3 })
    expect(server.count('tools/call')).toBe(1)
  })

  it('refetch() calls the tool again', async () => {
    const { result } = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(5000)
    await act(async () => {
      void result.current.refetch()
    })
    await advance(0)
    expect(result.current).toMatchObject({ isFetching: true, call: { phase: 'working' } })
    await advance(5000)
    expect(result.current).toMatchObject({ isFetching: false, call: { phase: 'completed' } })
    expect(server.count('tools/call')).toBe(2)
  })

  it('[DUR-74] different arguments are different calls, the same ones in another order are not', async () => {
    type Args = Record<string, unknown>
    const { rerender } = renderHook(({ args }: { args: Args }) => useToolCall({ name: 'work', arguments: args }), {
      wrapper,
      initialProps: { args: { seconds: 1, outcome: 'success' } as Args },
    })
    await advance(3000)
    rerender({ args: { outcome: 'success', seconds: 1 } })
    await advance(3000)
    expect(server.count('tools/call')).toBe(1)
    rerender({ args: { seconds: 2 } })
    await advance(3000)
    expect(server.count('tools/call')).toBe(2)
  })

  it('waits for enabled and for skipToken', async () => {
    type Props = { args: { seconds: number } | typeof skipToken; enabled: boolean }
    const { result, rerender } = renderHook(
      ({ args, enabled }: Props) => useToolCall({ name: 'work', arguments: args, query: { enabled } }),
      { wrapper, initialProps: { args: skipToken, enabled: true } as Props },
    )
    await advance(1000)
    rerender({ args: { seconds: 1 }, enabled: false })
    await advance(1000)
    expect(result.current).toMatchObject({ isPending: true, fetchStatus: 'idle', call: undefined })
    expect(server.requests).toEqual([])
    rerender({ args: { seconds: 1 }, enabled: true })
    await advance(2000)
    expect(result.current.isSuccess).toBe(true)
  })

  it('a tool error is data, a failed task is a TaskFailedError', async () => {
    const toolError = renderHook(
      () => useToolCall({ name: 'work', arguments: { seconds: 0, outcome: 'tool error' } }),
      { wrapper },
    )
    const failure = renderHook(() => useToolCall({ name: 'work', arguments: { seconds: 0, outcome: 'failure' } }), {
      wrapper,
    })
    await advance(2000)
    expect(toolError.result.current).toMatchObject({ isSuccess: true, data: { isError: true } })
    expect(failure.result.current).toMatchObject({ isError: true, call: { phase: 'failed' } })
    expect(failure.result.current.error).toBeInstanceOf(TaskFailedError)
  })

  it('a failed call is not made again by a remount, but by refetch()', async () => {
    const failing = { name: 'work', arguments: { seconds: 0, outcome: 'failure' } }
    const queryClient = new QueryClient()
    const inApp = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={queryClient}>{wrapper({ children })}</QueryClientProvider>
    )
    const first = renderHook(() => useToolCall(failing), { wrapper: inApp })
    await advance(2000)
    first.unmount()
    const second = renderHook(() => useToolCall(failing), { wrapper: inApp })
    await advance(2000)
    expect(second.result.current.error).toBeInstanceOf(TaskFailedError)
    expect(server.count('tools/call')).toBe(1)
    await act(async () => {
      void second.result.current.refetch()
    })
    await advance(2000)
    expect(server.count('tools/call')).toBe(2)
  })

  it('a call without a response is asked for again after a reload, where the server takes keys', async () => {
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
    renderHook(() => useToolCall(WORK), { wrapper }).unmount()
    await advance(100)
    await act(() => page.close())

    client = openPage()
    const { result } = renderHook(() => useToolCall(WORK).status, { wrapper })
    await advance(5000)
    expect(result.current).toBe('success')
  })

  it('an interrupted call is shown as such after a reload, and retry() makes it again', async () => {
    server = createWorkServer({ idempotentCalls: false })
    client = openPage()
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
    renderHook(() => useToolCall(WORK), { wrapper }).unmount()
    await advance(100)
    await act(() => page.close())

    client = openPage()
    const { result } = renderHook(
      () => {
        const { status, error, retry } = useToolCall(WORK)
        return { status, error, retry }
      },
      { wrapper },
    )
    await advance(100)
    expect(result.current).toMatchObject({ status: 'error', error: { name: 'ToolCallInterruptedError' } })
    expect(server.count('tools/call')).toBe(1)
    act(() => result.current.retry())
    await advance(5000)
    expect(result.current).toMatchObject({ status: 'success', error: null })
    expect(server.count('tools/call')).toBe(2)
  })

  it('[DUR-57] a task that the server has lost is shown as such after a reload, and retry() calls again', async () => {
    const store = new InMemoryTaskStore()
    server = createWorkServer({ store })
    const LOST = { ...WORK, arguments: { seconds: 60 } }
    client = openPage()
    const { result: before, unmount } = renderHook(() => useToolCall(LOST), { wrapper })
    await advance(1500)
    await store.remove(before.current.task?.taskId ?? '')
    unmount()
    await advance(3500)

    client = openPage()
    const { result } = renderHook(
      () => {
        const { status, error, retry } = useToolCall(LOST)
        return { status, error, retry }
      },
      { wrapper },
    )
    await advance(100)
    expect(result.current).toMatchObject({ status: 'error', error: { name: 'TaskExpiredError' } })
    expect(server.count('tools/call')).toBe(1)
    act(() => result.current.retry())
    await advance(500)
    expect(result.current).toMatchObject({ status: 'pending', error: null })
    expect(server.count('tools/call')).toBe(2)
  })

  it('[DUR-50] says that it is reconnecting without an error', async () => {
    const { result } = renderHook(() => useToolCall({ name: 'work', arguments: { seconds: 9 } }), { wrapper })
    await advance(1000)
    const restore = server.faults.drop()
    await advance(2000)
    expect(result.current).toMatchObject({
      isPending: true,
      error: null,
      call: { phase: 'working', network: 'retrying', failureCount: 2 },
    })
    restore()
    await advance(10_000)
    expect(result.current).toMatchObject({ isSuccess: true, call: { network: 'ok', failureCount: 0 } })
  })

  it('cancel() shows isCancelling until the server says cancelled', async () => {
    const { result } = renderHook(() => useToolCall({ name: 'work', arguments: { seconds: 60 } }), { wrapper })
    await advance(1500)
    await act(() => result.current.cancel())
    expect(result.current).toMatchObject({ isCancelling: true, call: { phase: 'working' } })
    await advance(1000)
    expect(result.current).toMatchObject({ isCancelling: false, isError: true, call: { phase: 'cancelled' } })
    expect(result.current.error).toBeInstanceOf(TaskCancelledError)
    expect(server.count('tasks/cancel')).toBe(1)
  })

  it('unmounting cancels nothing', async () => {
    const { unmount } = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(500)
    unmount()
    await advance(5000)
    expect(server.count('tasks/cancel')).toBe(0)
    expect(Object.values(client.store.getState().calls)).toMatchObject([{ phase: 'completed' }])
  })

  it('an outputSchema types and checks structuredContent', async () => {
    const good = renderHook(
      () => useToolCall({ ...WORK, outputSchema: z.object({ seconds: z.number().transform((n) => `${n} s`) }) }),
      { wrapper },
    )
    const bad = renderHook(
      () => useToolCall({ name: 'work', arguments: { seconds: 1 }, outputSchema: z.object({ minutes: z.number() }) }),
      { wrapper },
    )
    await advance(5000)
    const { data } = good.result.current
    expect(data?.isError ? undefined : data?.structuredContent.seconds).toBe('3 s')
    expect(bad.result.current.error).toBeInstanceOf(ToolOutputError)
  })

  it('a poll that brings nothing new renders nothing', async () => {
    const onRender = vi.fn()
    const { result } = renderHook(
      () => {
        onRender()
        return useToolCall({ name: 'work', arguments: { seconds: 60, quiet: true } })
      },
      { wrapper },
    )
    await advance(1000)
    const before = onRender.mock.calls.length
    await advance(10_000)
    expect(server.count('tasks/get')).toBe(11)
    expect(onRender.mock.calls.length).toBe(before)
    expect(client.getToolCall(result.current.call?.callId ?? '')?.nextPollAt).toBe(server.browser.now() + 1000)
  })

  it('offline, the call waits, says so, and is made when the network is back', async () => {
    await page.setOnline(false)
    const { result } = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(5000)
    expect(result.current).toMatchObject({ isPending: true, call: { phase: 'calling', network: 'offline' } })
    expect(server.requests).toEqual([])
    await act(() => page.setOnline(true))
    await advance(5000)
    expect(result.current.isSuccess).toBe(true)
  })

  it('calls nothing during server rendering', () => {
    const Report = () => <p>{useToolCall(WORK).status}</p>
    expect(renderToString(wrapper({ children: <Report /> }))).toBe('<p>pending</p>')
    expect(server.requests).toEqual([])
  })

  it('outside its provider says what to do', () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(() => renderHook(() => useToolCall(WORK))).toThrow(TaskConfigurationError)
    expect(() => renderHook(() => useToolCall(WORK))).toThrow('<TaskClientProvider')
    silence.mockRestore()
  })

  it('uses the QueryClient of the app, where there is one', async () => {
    const queryClient = new QueryClient()
    renderHook(() => useToolCall(WORK), {
      wrapper: ({ children }) => (
        <QueryClientProvider client={queryClient}>{wrapper({ children })}</QueryClientProvider>
      ),
    })
    await advance(0)
    expect(queryClient.getQueryCache().getAll()).toHaveLength(1)
    const [query] = queryClient.getQueryCache().getAll()
    expect(JSON.stringify(query?.queryKey)).not.toContain('seconds')
  })

  it('two clicks on retry() are one call', async () => {
    const { result } = renderHook(() => useToolCall(WORK), { wrapper })
    await advance(5000)
    act(() => result.current.retry())
    await advance(500)
    act(() => result.current.retry())
    await advance(5000)
    expect(result.current).toMatchObject({ isFetching: false, call: { phase: 'completed' } })
    expect(server.count('tools/call')).toBe(2)
  })

  it('shows the outcome of a refetch() that was unmounted in between', async () => {
    const queryClient = new QueryClient()
    const inApp = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={queryClient}>{wrapper({ children })}</QueryClientProvider>
    )
    const first = renderHook(() => useToolCall(WORK), { wrapper: inApp })
    await advance(5000)
    const { data } = first.result.current
    act(() => first.result.current.retry())
    await advance(500)
    first.unmount()
    await advance(5000)
    const second = renderHook(() => useToolCall(WORK), { wrapper: inApp })
    await advance(0)
    expect(second.result.current.data).toEqual(second.result.current.call?.result)
    expect(queryClient.getQueryCache().getAll()[0]?.state.dataUpdateCount).toBe(2)
    expect(data).toBeDefined()
    expect(server.count('tools/call')).toBe(2)
  })

  it.each(['success', 'failure'])('the defaults of the app do not repeat a call that ended in %s', async (outcome) => {
    const queryClient = new QueryClient({
      defaultOptions: { queries: { refetchInterval: 1, refetchOnMount: 'always', refetchOnWindowFocus: 'always' } },
    })
    renderHook(() => useToolCall({ name: 'work', arguments: { seconds: 0, outcome } }), {
      wrapper: ({ children }) => (
        <QueryClientProvider client={queryClient}>{wrapper({ children })}</QueryClientProvider>
      ),
    })
    await advance(2000)
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
    await act(() => queryClient.invalidateQueries())
    await act(async () => window.dispatchEvent(new Event('focus')))
    await advance(2000)
    expect(server.count('tools/call')).toBe(1)
  })

  it('renders only for what is read, and can be spread', async () => {
    const queryClient = new QueryClient()
    const onRender = vi.fn()
    const { result } = renderHook(
      () => {
        onRender()
        const { data } = useToolCall(WORK)
        return { data }
      },
      {
        wrapper: ({ children }) => (
          <QueryClientProvider client={queryClient}>
            <TaskClientProvider client={client}>{children}</TaskClientProvider>
          </QueryClientProvider>
        ),
      },
    )
    await advance(5000)
    expect(result.current.data).toBeDefined()
    const before = onRender.mock.calls.length
    await act(() => queryClient.invalidateQueries())
    act(() => queryClient.getQueryCache().getAll()[0]?.setState({ dataUpdatedAt: 1, isInvalidated: true }))
    await advance(0)
    expect(onRender.mock.calls.length).toBe(before)

    const spread = renderHook(() => ({ ...useToolCall(WORK) }), { wrapper })
    await advance(5000)
    expect(spread.result.current).toMatchObject({ isSuccess: true, call: { phase: 'completed' } })
  })

  it('cancel, respond and retry stay the same while the call does', async () => {
    const { result, rerender } = renderHook(({ seconds }) => useToolCall({ name: 'work', arguments: { seconds } }), {
      wrapper,
      initialProps: { seconds: 3 },
    })
    const { cancel, respond, retry } = result.current
    await advance(5000)
    expect(result.current.call?.phase).toBe('completed')
    expect(result.current).toMatchObject({ cancel, respond, retry })
    rerender({ seconds: 4 })
    expect(result.current.cancel).not.toBe(cancel)
  })

  it('a response to no call is rejected, a cancel of no call does nothing', async () => {
    const { result } = renderHook(() => useToolCall({ name: 'work', arguments: skipToken }), { wrapper })
    await expect(result.current.respond('a', { action: 'decline' })).rejects.toBeInstanceOf(TaskInputError)
    await expect(result.current.cancel()).resolves.toBeUndefined()
  })

  it('a cancel that is refused rejects, and may be let go of', async () => {
    const { result } = renderHook(() => useToolCall({ name: 'work', arguments: { seconds: 60 } }), { wrapper })
    await advance(1500)
    server.faults.status(400, { method: 'tasks/cancel' })
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    let refused: Promise<void> | undefined
    act(() => {
      void result.current.cancel()
      refused = result.current.cancel()
    })
    await advance(2000)
    await new Promise((resolve) => setTimeout(resolve, 0))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    await expect(refused).rejects.toBeInstanceOf(Error)
    expect(result.current).toMatchObject({ isCancelling: false })
  })
})
