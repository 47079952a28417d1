import {
  onlineManager,
  QueryClient,
  QueryClientProvider,
  QueryErrorResetBoundary,
  useQueryErrorResetBoundary,
} from '@tanstack/react-query'
import { act, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { Activity, Component, type ReactNode, StrictMode, Suspense } from 'react'
import { renderToString } from 'react-dom/server'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../../../test/support/anyClient.js'
import { createWorkServer } from '../../../test/support/workServer.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { TaskInputError } from '../../core/protocol/errors.js'
import type { TaskClientOptions } from '../../sdk/sdkOptions.js'
import { toolCallQueryOptions } from '../query/toolCallQueryOptions.js'
import { TaskClientProvider } from './TaskClientProvider.js'
import { useInputRequests } from './useInputRequests.js'
import { useSuspenseToolCall } from './useSuspenseToolCall.js'
import { useTaskConnection } from './useTaskConnection.js'
import { useToolCall } from './useToolCall.js'
import { useToolCallMutation } from './useToolCallMutation.js'
import { useToolCallState } from './useToolCallState.js'
import { useToolCalls } from './useToolCalls.js'

let server: TestServer
let client: TaskClient

function openPage(options: Pick<TaskClientOptions, 'resume'> = {}): TaskClient {
  const { environment } = server.browser.openPage()
  return createTaskClient({ url: server.url, environment, ...options })
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

/** An error boundary whose buttons reset it, and call again or not. */
class ResetBoundary extends Component<{ children: ReactNode; onReset: () => void }, { error?: Error | undefined }> {
  override state: { error?: Error | undefined } = {}
  static getDerivedStateFromError = (error: Error) => ({ error })
  reset = (isRetry: boolean) => {
    if (isRetry) this.props.onReset()
    this.setState({ error: undefined })
  }
  override render() {
    if (!this.state.error) return this.props.children
    return (
      <>
        <p>{this.state.error.name}</p>
        <button type="button" onClick={() => this.reset(true)}>
          again
        </button>
        <button type="button" onClick={() => this.reset(false)}>
          back
        </button>
      </>
    )
  }
}

describe('useToolCallMutation', () => {
  it('shows nothing of a call that was dismissed when it is hidden and shown again, but a newer one', async () => {
    let shown: ReturnType<typeof useToolCallMutation> | undefined
    const Button = () => {
      shown = useToolCallMutation({ name: 'work', key: 'weekly' })
      return null
    }
    const page = (mode: 'hidden' | 'visible') => (
      <Activity mode={mode}>
        <Button />
      </Activity>
    )
    client.startToolCall({ name: 'work', arguments: { seconds: 1, outcome: 'failure' } }, { key: 'weekly' })
    const { rerender } = render(page('visible'), { wrapper })
    await advance(5000)
    expect(shown?.error?.name).toBe('TaskFailedError')
    act(() => shown?.reset())
    for (const mode of ['hidden', 'visible'] as const) {
      rerender(page(mode))
      await advance(1000)
      expect(shown).toMatchObject({ isIdle: true, error: null })
    }
    client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly', repeat: 'settled' })
    await advance(5000)
    expect(shown).toMatchObject({ isSuccess: true, data: { structuredContent: { seconds: 1 } } })
  })

  it('shows that a press was refused also when it is hidden and shown again, until the call of its key ends', async () => {
    let shown: ReturnType<typeof useToolCallMutation> | undefined
    const Button = () => {
      shown = useToolCallMutation({ name: 'work', key: 'weekly' })
      return null
    }
    const page = (mode: 'hidden' | 'visible') => (
      <Activity mode={mode}>
        <Button />
      </Activity>
    )
    client.startToolCall({ name: 'work', arguments: { seconds: 8 } }, { key: 'weekly' })
    const { rerender } = render(page('visible'), { wrapper })
    await advance(1500)
    act(() => shown?.mutate({ seconds: 1 }))
    await advance(500)
    for (const mode of ['visible', 'hidden', 'visible', 'hidden'] as const) {
      rerender(page(mode))
      await advance(1000)
      expect(shown).toMatchObject({ isError: true, error: { name: 'ToolCallKeyConflictError' } })
    }
    await advance(5000)
    rerender(page('visible'))
    await advance(100)
    expect(shown).toMatchObject({ isSuccess: true, error: null, data: { structuredContent: { seconds: 8 } } })
  })

  it('calls the tool when asked, and shows the call', async () => {
    const { result } = renderHook(() => useToolCallMutation({ name: 'work' }), { wrapper })
    await advance(1000)
    expect(server.requests).toEqual([])
    act(() => result.current.mutate({ seconds: 2 }))
    await advance(1500)
    expect(result.current).toMatchObject({
      isPending: true,
      call: { phase: 'working' },
      task: { statusMessage: 'step 1' },
    })
    await advance(1500)
    expect(result.current).toMatchObject({
      isSuccess: true,
      data: { structuredContent: { seconds: 2 } },
      call: { phase: 'completed' },
    })
  })

  it('with a key, a second press joins the call that runs; after its end it is a call of its own', async () => {
    const { result } = renderHook(() => useToolCallMutation({ name: 'work', key: 'weekly' }), { wrapper })
    act(() => result.current.mutate({ seconds: 2 }))
    act(() => result.current.mutate({ seconds: 2 }))
    await advance(3000)
    expect(result.current.isSuccess).toBe(true)
    expect(server.count('tools/call')).toBe(1)
    act(() => result.current.mutate({ seconds: 2 }))
    await advance(3000)
    expect(server.count('tools/call')).toBe(2)
  })

  it.each(['eager', 'lazy'] as const)(
    'with a key, shows the call that is still running after a reload (%s)',
    async (resume) => {
      client = openPage({ resume })
      const first = renderHook(() => useToolCallMutation({ name: 'work', key: 'weekly' }), { wrapper })
      act(() => first.result.current.mutate({ seconds: 3 }))
      await advance(1500)
      await client.close()
      first.unmount()

      client = openPage({ resume })
      const second = renderHook(() => useToolCallMutation({ name: 'work', key: 'weekly' }), { wrapper })
      await advance(500)
      expect(second.result.current).toMatchObject({ isPending: true, status: 'pending', call: { phase: 'working' } })
      await advance(2000)
      expect(second.result.current).toMatchObject({
        status: 'success',
        data: { structuredContent: { seconds: 3 } },
        call: { phase: 'completed', result: { structuredContent: { seconds: 3 } } },
      })
      expect(server.count('tools/call')).toBe(1)
    },
  )

  it.each(['eager', 'lazy'] as const)(
    'with a key, shows the outcome of a call that ended in an earlier visit, and calls no callback for it (%s)',
    async (resume) => {
      const key = 'weekly'
      client = openPage({ resume })
      const first = renderHook(() => useToolCallMutation({ name: 'work', key }), { wrapper })
      act(() => first.result.current.mutate({ seconds: 1 }))
      await advance(3000)
      first.unmount()
      await client.close()
      const polls = server.count('tasks/get')

      client = openPage({ resume })
      const onSuccess = vi.fn()
      const second = renderHook(() => useToolCallMutation({ name: 'work', key, mutation: { onSuccess } }), { wrapper })
      await advance(1000)
      expect(second.result.current).toMatchObject({
        status: 'success',
        isSuccess: true,
        data: { structuredContent: { seconds: 1 } },
        error: null,
        call: { phase: 'completed' },
      })
      expect(onSuccess).not.toHaveBeenCalled()
      expect([server.count('tasks/get') - polls, server.count('tools/call')]).toEqual([1, 1])
      act(() => second.result.current.mutate({ seconds: 2 }))
      await advance(0)
      expect(second.result.current.isPending).toBe(true)
      await advance(4000)
      expect(second.result.current).toMatchObject({ data: { structuredContent: { seconds: 2 } } })
      expect(onSuccess).toHaveBeenCalledOnce()
    },
  )

  it('with a key, shows the newest call of another tab, and its own again once it makes one', async () => {
    const other = openPage()
    const { result } = renderHook(() => useToolCallMutation({ name: 'work', key: 'weekly' }), { wrapper })
    const callElsewhere = (seconds: number, outcome = 'success') =>
      act(async () => {
        const work = { name: 'work', arguments: { seconds, outcome } }
        other.startToolCall(work, { key: 'weekly', repeat: 'settled' })
        await server.advance(500)
      })
    // Before this page knows of any.
    await callElsewhere(1)
    expect(result.current).toMatchObject({ isPending: true, call: { phase: 'working' } })
    await advance(2000)
    expect(result.current).toMatchObject({ isSuccess: true, data: { structuredContent: { seconds: 1 } } })
    // Another one, in the place of a result that is on show.
    await callElsewhere(2, 'failure')
    expect(result.current).toMatchObject({ isPending: true, data: undefined, call: { phase: 'working' } })
    await advance(3000)
    expect(result.current).toMatchObject({ isError: true, data: undefined, error: { name: 'TaskFailedError' } })
    // One of its own.
    act(() => result.current.mutate({ seconds: 3 }))
    await advance(500)
    expect(result.current).toMatchObject({ isPending: true, error: null, call: { phase: 'working' } })
    await advance(4000)
    expect(result.current).toMatchObject({ isSuccess: true, data: { structuredContent: { seconds: 3 } } })
    // After one of its own.
    await callElsewhere(4)
    expect(result.current).toMatchObject({ isPending: true, data: undefined, call: { phase: 'working' } })
    await advance(5000)
    expect(result.current).toMatchObject({ isSuccess: true, data: { structuredContent: { seconds: 4 } } })
    expect(server.count('tools/call')).toBe(4)
  })

  it('a failure is the error of the mutation', async () => {
    const { result } = renderHook(() => useToolCallMutation({ name: 'work' }), { wrapper })
    act(() => result.current.mutate({ seconds: 0, outcome: 'failure' }))
    await advance(2000)
    expect(result.current).toMatchObject({ isError: true, error: { name: 'TaskFailedError' } })
  })
})

describe('useToolCalls', () => {
  it('lists a call that ended in an earlier visit, and asks the server for its outcome once somebody looks', async () => {
    client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
    await advance(3000)
    await client.close()
    const polls = server.count('tasks/get')

    client = openPage()
    const list = renderHook(() => useToolCalls(), { wrapper })
    await advance(5000)
    const [listed] = list.result.current
    expect(list.result.current).toMatchObject([{ name: 'work', phase: 'ended', task: { status: 'completed' } }])
    expect(server.count('tasks/get')).toBe(polls)
    const one = renderHook(() => useToolCallState({ callId: listed?.callId }), { wrapper })
    await advance(1000)
    expect(one.result.current).toMatchObject({ phase: 'completed', result: { structuredContent: { seconds: 1 } } })
    one.rerender()
    await advance(5000)
    expect([server.count('tasks/get') - polls, server.count('tools/call')]).toEqual([1, 1])
  })

  it('lists every call, oldest first, tasks of an earlier visit included', async () => {
    client.startToolCall({ name: 'work', arguments: { seconds: 9 } })
    await advance(100)
    await client.close()

    client = openPage()
    const { result } = renderHook(() => useToolCalls(), { wrapper })
    await advance(100)
    act(() => void client.startToolCall({ name: 'echo', arguments: { text: 'hi' } }))
    await advance(100)
    expect(result.current).toMatchObject([
      { name: 'work', phase: 'working' },
      { name: 'echo', phase: 'completed' },
    ])
  })

  it('filters, and keeps its identity while the filtered calls are the same', async () => {
    const { result, rerender } = renderHook(() => useToolCalls({ filter: (call) => call.phase === 'completed' }), {
      wrapper,
    })
    act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 60 } }))
    await advance(2000)
    const before = result.current
    rerender()
    await advance(2000)
    expect(result.current).toBe(before)
    expect(result.current).toEqual([])
  })
})

describe('useToolCallState and useTaskConnection', () => {
  it('follow one call and the connection', async () => {
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 1 } })
    const { result } = renderHook(
      () => ({ call: useToolCallState({ callId: call.callId }), connection: useTaskConnection() }),
      {
        wrapper,
      },
    )
    expect(result.current).toMatchObject({ call: { phase: 'calling' } })
    await advance(3000)
    expect(result.current).toMatchObject({
      call: { phase: 'completed' },
      connection: {
        status: 'connected',
        era: 'modern',
        protocolVersion: '2026-07-28',
        tasks: true,
        server: { name: 'test' },
      },
    })
  })

  it('hydrates what a server has rendered without the calls that the page knows', async () => {
    const Work = () => {
      const { call } = useToolCallMutation({ name: 'work', key: 'weekly' })
      return <p>{call?.phase ?? 'none'}</p>
    }
    const page = (
      <TaskClientProvider client={client}>
        <Work />
      </TaskClientProvider>
    )
    const container = document.createElement('div')
    container.innerHTML = renderToString(page)
    client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'weekly' })
    await server.advance(1500)
    const onRecoverableError = vi.fn()
    render(page, { container, hydrate: true, onRecoverableError })
    await advance(0)
    expect(onRecoverableError).not.toHaveBeenCalled()
    expect(container.textContent).toBe('working')
  })

  it('an unknown call is undefined', () => {
    expect(renderHook(() => useToolCallState({ callId: 'nope' }), { wrapper }).result.current).toBeUndefined()
  })
})

describe('useSuspenseToolCall', () => {
  const Report = ({ outcome = 'success' }) => {
    const { data } = useSuspenseToolCall({ name: 'work', arguments: { seconds: 2, outcome } })
    return <p>{JSON.stringify(data.structuredContent)}</p>
  }
  const Progress = () => <p>{useToolCalls()[0]?.task?.statusMessage ?? 'starting'}</p>
  const both = async (...steps: (Promise<void> | void)[]) => void (await Promise.all(steps))
  const FailingReport = () => (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <ResetBoundary onReset={reset}>
          <Suspense fallback={<Progress />}>
            <Report outcome="failure" />
          </Suspense>
        </ResetBoundary>
      )}
    </QueryErrorResetBoundary>
  )

  it('suspends until the result, while the fallback shows the progress', async () => {
    render(
      <Suspense fallback={<Progress />}>
        <Report />
      </Suspense>,
      { wrapper },
    )
    await advance(0)
    expect(screen.getByText('starting')).toBeTruthy()
    await advance(1500)
    expect(screen.getByText('step 1')).toBeTruthy()
    await advance(2000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(1)
  })

  it('[EDGE-28] shows the fallback after forget(), and calls the tool again once it is mounted again', async () => {
    const app = (
      <Suspense fallback="…">
        <Report />
      </Suspense>
    )
    const { rerender } = render(app, { wrapper })
    await advance(5000)
    await act(() => client.forget())
    await advance(5000)
    expect(screen.getByText('…')).toBeTruthy()
    expect(server.count('tools/call')).toBe(1)
    rerender(<p>signed out</p>)
    await advance(1000)
    rerender(app)
    await advance(5000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
  })

  it.each([
    ['forget() and clear()', (app: QueryClient) => both(client.forget(), app.clear())],
    ['clear() and forget()', (app: QueryClient) => both(app.clear(), client.forget())],
    ['forget(), and then clear()', (app: QueryClient) => client.forget().then(() => app.clear())],
  ])('[EDGE-28] calls no tool after %s, until it is mounted again', async (_, signOut) => {
    const queryClient = new QueryClient()
    const app = (isSignedIn: boolean) => (
      <QueryClientProvider client={queryClient}>
        <Suspense fallback="…">{isSignedIn && <Report />}</Suspense>
      </QueryClientProvider>
    )
    const { rerender } = render(app(true), { wrapper })
    await advance(5000)
    await act(() => signOut(queryClient))
    await advance(5000)
    rerender(app(true))
    await advance(5000)
    expect(screen.getByText('…')).toBeTruthy()
    expect(server.count('tools/call')).toBe(1)
    rerender(app(false))
    await advance(1000)
    rerender(app(true))
    await advance(5000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
  })

  it.each([
    ['forget() and clear()', (app: QueryClient) => both(client.forget(), app.clear())],
    ['clear() and forget()', (app: QueryClient) => both(app.clear(), client.forget())],
    ['forget(), and then clear()', (app: QueryClient) => client.forget().then(() => app.clear())],
    ['forget() of a call that was prefetched', () => client.forget()],
  ])('[EDGE-28] calls no tool after %s during its first fallback, until the user asks', async (what, signOut) => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    const queryClient = new QueryClient()
    const options = { name: 'work', arguments: { seconds: 2, outcome: 'success' } }
    if (what.endsWith('prefetched')) void queryClient.prefetchQuery(toolCallQueryOptions(client, options))
    render(
      <QueryClientProvider client={queryClient}>
        <QueryErrorResetBoundary>
          {({ reset }) => (
            <ResetBoundary onReset={reset}>
              <Suspense fallback="…">
                <Report />
              </Suspense>
            </ResetBoundary>
          )}
        </QueryErrorResetBoundary>
      </QueryClientProvider>,
      { wrapper },
    )
    await advance(500)
    await act(() => signOut(queryClient))
    await advance(5000)
    expect(server.count('tools/call')).toBe(1)
    expect(screen.getByText('AbortError')).toBeTruthy()
    fireEvent.click(screen.getByText('again'))
    await advance(5000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
    silence.mockRestore()
  })

  it('follows the call on where its client is closed and replaced during the first fallback, as hot reloading does', async () => {
    const after = createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
    const queryClient = new QueryClient()
    const page = (of: TaskClient) => (
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <TaskClientProvider client={of}>
            <ResetBoundary onReset={() => {}}>
              <Suspense fallback="…">
                <Report />
              </Suspense>
            </ResetBoundary>
          </TaskClientProvider>
        </QueryClientProvider>
      </StrictMode>
    )
    const { rerender } = render(page(client))
    await advance(1500)
    rerender(page(after))
    await advance(100)
    await act(() => client.close())
    await advance(5000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(1)
    await after.close()
  })

  it('shows that its client was closed during the first fallback where no other one knows the call', async () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    render(
      <ResetBoundary onReset={() => {}}>
        <Suspense fallback="…">
          <Report />
        </Suspense>
      </ResetBoundary>,
      { wrapper },
    )
    await advance(1500)
    await act(() => client.close())
    await advance(5000)
    expect(screen.getByText('AbortError')).toBeTruthy()
    silence.mockRestore()
  })

  it('[EDGE-28] shows a call that was made since the user has left its first fallback and signed out', async () => {
    const queryClient = new QueryClient()
    const page = (view: ReactNode) => (
      <QueryClientProvider client={queryClient}>
        <Suspense fallback="…">{view}</Suspense>
      </QueryClientProvider>
    )
    const { rerender } = render(page(<Report />), { wrapper })
    await advance(500)
    rerender(page(null))
    await act(() => both(client.forget(), queryClient.clear()))
    await advance(5000)
    const options = { name: 'work', arguments: { seconds: 2, outcome: 'success' } }
    await act(() => void queryClient.prefetchQuery(toolCallQueryOptions(client, options)))
    queryClient.clear()
    rerender(page(<Report />))
    await advance(5000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
  })

  it('[EDGE-28] waits for a call that was forgotten on the screen of another query client no longer than that shows it', async () => {
    const Beside = () => <i>{useToolCall({ name: 'work', arguments: { seconds: 2, outcome: 'success' } }).status}</i>
    const [one, other] = [new QueryClient(), new QueryClient()]
    const page = (beside: ReactNode, report: ReactNode) => (
      <>
        <QueryClientProvider client={one}>{beside}</QueryClientProvider>
        <QueryClientProvider client={other}>
          <Suspense fallback="…">{report}</Suspense>
        </QueryClientProvider>
      </>
    )
    const { rerender } = render(page(<Beside />, null), { wrapper })
    await advance(5000)
    await act(() => client.forget())
    rerender(page(<Beside />, <Report />))
    await advance(5000)
    expect(screen.getByText('pending').parentElement?.textContent).toBe('pending…')
    expect(server.count('tools/call')).toBe(1)
    rerender(page(null, <Report />))
    await advance(500)
    await advance(5000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
  })

  it.each(['a newer call', 'retry() of a hook beside it'])('[EDGE-28] goes on after forget() with %s', async (what) => {
    const options = { name: 'work', key: 'weekly', arguments: { seconds: 2 } }
    const Weekly = () => <p>{JSON.stringify(useSuspenseToolCall(options).data.structuredContent)}</p>
    const Retry = () => (
      <button type="button" onClick={useToolCall(options).retry}>
        retry
      </button>
    )
    render(
      <>
        <Suspense fallback="…">
          <Weekly />
        </Suspense>
        <Retry />
      </>,
      { wrapper },
    )
    await advance(5000)
    await act(() => client.forget())
    await advance(5000)
    expect(screen.getByText('…')).toBeTruthy()
    if (what === 'a newer call') client.startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'weekly' })
    else fireEvent.click(screen.getByText('retry'))
    await advance(5000)
    expect(screen.getByText('{"seconds":2}').style.display).toBe('')
    expect(screen.queryByText('…')).toBeNull()
    expect(server.count('tools/call')).toBe(2)
  })

  it.each([
    ['forget()', () => client.forget()],
    ['forget({ callId })', () => client.forget({ callId: String(Object.keys(client.store.getState().calls)[0]) })],
    ['forget() of another tab', () => openPage().forget()],
  ])('[EDGE-28] calls no tool after %s during its first fallback, until the user asks', async (_, forget) => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    render(
      <QueryErrorResetBoundary>
        {({ reset }) => (
          <ResetBoundary onReset={reset}>
            <Suspense fallback="…">
              <Report />
            </Suspense>
          </ResetBoundary>
        )}
      </QueryErrorResetBoundary>,
      { wrapper },
    )
    await advance(500)
    await act(() => forget())
    await advance(5000)
    expect(server.count('tools/call')).toBe(1)
    expect(screen.getByText('AbortError')).toBeTruthy()
    fireEvent.click(screen.getByText('again'))
    await advance(5000)
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
    silence.mockRestore()
  })

  it('[EDGE-28] calls no tool after forget() during its first fallback, though a component beside it was unmounted', async () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    const Beside = () => <p>{useToolCall({ name: 'work', arguments: { seconds: 2, outcome: 'success' } }).status}</p>
    const page = (isBeside: boolean) => (
      <ResetBoundary onReset={() => {}}>
        {isBeside && <Beside />}
        <Suspense fallback="…">
          <Report />
        </Suspense>
      </ResetBoundary>
    )
    const { rerender } = render(page(true), { wrapper })
    await advance(500)
    rerender(page(false))
    await advance(500)
    expect(server.count('tools/call')).toBe(1)
    await act(() => client.forget())
    await advance(5000)
    expect(server.count('tools/call')).toBe(1)
    silence.mockRestore()
  })

  it('hands an error to the error boundary', async () => {
    class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
      override state: { error?: Error } = {}
      static getDerivedStateFromError = (error: Error) => ({ error })
      override render() {
        return this.state.error ? <p>{this.state.error.name}</p> : this.props.children
      }
    }
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    render(
      <Boundary>
        <Suspense fallback="…">
          <Report outcome="failure" />
        </Suspense>
      </Boundary>,
      { wrapper },
    )
    await advance(5000)
    expect(screen.getByText('TaskFailedError')).toBeTruthy()
    silence.mockRestore()
  })

  it('calls again once its error boundary has been reset, and only then', async () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    render(<FailingReport />, { wrapper })
    await advance(5000)
    fireEvent.click(screen.getByText('back'))
    await advance(5000)
    expect(screen.getByText('TaskFailedError')).toBeTruthy()
    expect(server.count('tools/call')).toBe(1)
    for (const calls of [2, 3]) {
      fireEvent.click(screen.getByText('again'))
      await advance(1500)
      expect(screen.getByText('step 1')).toBeTruthy()
      await advance(5000)
      expect(screen.getByText('TaskFailedError')).toBeTruthy()
      expect(server.count('tools/call')).toBe(calls)
    }
    silence.mockRestore()
  })

  it('calls again at the first reset of its error boundary, also once the query is no longer in the cache', async () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    const queryClient = new QueryClient()
    render(<FailingReport />, {
      wrapper: ({ children }) => (
        <QueryClientProvider client={queryClient}>{wrapper({ children })}</QueryClientProvider>
      ),
    })
    await advance(5000)
    expect(screen.getByText('TaskFailedError')).toBeTruthy()
    // As the garbage collection of TanStack Query does: nothing observes a query that has thrown.
    queryClient.clear()
    fireEvent.click(screen.getByText('again'))
    await advance(1500)
    expect(screen.getByText('step 1')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
    silence.mockRestore()
  })

  it('retry() calls again, with the result at hand on show', async () => {
    const Again = () => {
      const { data, isFetching, retry } = useSuspenseToolCall({ name: 'work', arguments: { seconds: 2 } })
      return (
        <button type="button" onClick={retry}>
          {`${data.content.length} ${isFetching}`}
        </button>
      )
    }
    render(
      <Suspense fallback="…">
        <Again />
      </Suspense>,
      { wrapper },
    )
    await advance(5000)
    fireEvent.click(screen.getByText('1 false'))
    await advance(500)
    fireEvent.click(screen.getByText('1 true'))
    await advance(5000)
    expect(screen.getByText('1 false')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
  })
})

describe('useToolCall with a networkMode that waits until the page is online', () => {
  const weekly = { name: 'work', key: 'weekly', arguments: { seconds: 2 } }
  let retry = () => {}
  const View = ({ enabled }: { enabled: boolean }) => {
    const call = useToolCall({ ...weekly, query: { networkMode: 'online', enabled } })
    retry = call.retry
    return <p>{JSON.stringify(call.data?.structuredContent)}</p>
  }
  const offline = async (change: () => void) => {
    onlineManager.setOnline(false)
    act(change)
    await advance(5000)
    act(() => onlineManager.setOnline(true))
    await advance(5000)
  }

  it('shows a newer call that was made meanwhile, and calls no tool', async () => {
    render(<View enabled />, { wrapper })
    await advance(5000)
    const newer = { name: 'work', arguments: { seconds: 1 } }
    await offline(() => void client.startToolCall(newer, { key: 'weekly', repeat: 'settled' }))
    expect(screen.getByText('{"seconds":1}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
  })

  it('calls the tool again after retry(), also where the query has not seen the call end', async () => {
    client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' })
    await advance(5000)
    render(<View enabled={false} />, { wrapper })
    await offline(() => retry())
    expect(screen.getByText('{"seconds":2}')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
  })
})

describe('useToolCall with throwOnError', () => {
  const failing = { name: 'work', arguments: { seconds: 2, outcome: 'failure' } }
  const Thrown = () => {
    const { data, error, call } = useToolCall({ ...failing, query: { throwOnError: true } })
    return <p>{error?.name ?? data?.content.length ?? call?.task?.statusMessage ?? 'starting'}</p>
  }
  const Shown = () => <i>{useToolCall({ ...failing, key: 'shown' }).error?.name ?? 'no error'}</i>
  const page = (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <ResetBoundary onReset={reset}>
          <Thrown />
          <Shown />
        </ResetBoundary>
      )}
    </QueryErrorResetBoundary>
  )

  it('calls again each time its error boundary has been reset, but not for an error that is shown in place', async () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    render(page, { wrapper })
    await advance(5000)
    expect(server.count('tools/call')).toBe(2)
    fireEvent.click(screen.getByText('back'))
    await advance(5000)
    expect(screen.getByText('TaskFailedError')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
    for (const calls of [3, 4]) {
      fireEvent.click(screen.getByText('again'))
      await advance(1500)
      expect(screen.getByText('step 1')).toBeTruthy()
      expect(screen.getByText('TaskFailedError').tagName).toBe('I')
      await advance(5000)
      expect(screen.getByText('again')).toBeTruthy()
      expect(server.count('tools/call')).toBe(calls)
    }
    silence.mockRestore()
  })
})

describe('a reset of error boundaries that TanStack Query has for the whole page', () => {
  const failing = { name: 'work', key: 'weekly', arguments: { seconds: 1, outcome: 'failure' } }
  const Suspended = () => <p>{useSuspenseToolCall(failing).status}</p>
  const Thrown = () => <p>{useToolCall({ ...failing, query: { throwOnError: true } }).error?.name}</p>
  const Reset = () => {
    const { reset } = useQueryErrorResetBoundary()
    return (
      <button type="button" onClick={reset}>
        reset
      </button>
    )
  }

  it('has no tool called again whose newer call has failed since a component threw the error of an earlier one', async () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    const queryClient = new QueryClient()
    const page = (key: number, view: ReactNode) => (
      <QueryClientProvider client={queryClient}>
        <Reset />
        <ResetBoundary key={key} onReset={() => {}}>
          {view}
        </ResetBoundary>
      </QueryClientProvider>
    )
    const { rerender } = render(page(1, <Thrown />), { wrapper })
    await advance(3000)
    expect(screen.getByText('back')).toBeTruthy()
    rerender(page(2, null))
    queryClient.clear()
    const { name, key, arguments: args } = failing
    client.startToolCall({ name, arguments: args }, { key, repeat: 'settled' })
    await advance(3000)
    await act(() => queryClient.prefetchQuery(toolCallQueryOptions(client, failing)))
    fireEvent.click(screen.getByText('reset'))
    rerender(page(3, <Thrown />))
    await advance(3000)
    expect(screen.getByText('TaskFailedError')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
    silence.mockRestore()
  })

  it.each([
    ['useSuspenseToolCall', Suspended],
    ['useToolCall with throwOnError', Thrown],
  ])('has %s call no tool again whose error it has not thrown, but one whose error it has', async (_, View) => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    const queryClient = new QueryClient()
    const page = (view: ReactNode) => (
      <QueryClientProvider client={queryClient}>
        <Reset />
        {view}
      </QueryClientProvider>
    )
    const view = (key: number) => (
      <ResetBoundary key={key} onReset={() => {}}>
        <Suspense fallback="…">
          <View />
        </Suspense>
      </ResetBoundary>
    )
    const prefetched = queryClient.prefetchQuery(toolCallQueryOptions(client, failing))
    await advance(3000)
    await prefetched
    const { rerender } = render(page(null), { wrapper })
    fireEvent.click(screen.getByText('reset'))
    rerender(page(view(1)))
    await advance(3000)
    expect(server.count('tools/call')).toBe(1)
    rerender(page(view(2)))
    await advance(3000)
    expect(screen.getByText('back')).toBeTruthy()
    expect(server.count('tools/call')).toBe(1)
    fireEvent.click(screen.getByText('reset'))
    fireEvent.click(screen.getByText('back'))
    await advance(3000)
    expect(screen.getByText('TaskFailedError')).toBeTruthy()
    expect(server.count('tools/call')).toBe(2)
    silence.mockRestore()
  })
})

describe('useInputRequests', () => {
  it('shows beside an input request how its response fares, and lists it until the server has taken one', async () => {
    client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } })
    const { result } = renderHook(() => useInputRequests(), { wrapper })
    await advance(3000)
    const [open] = result.current
    expect(open?.response).toBeUndefined()
    await act(() =>
      expect(open?.respond({ action: 'accept', content: { ok: 'perhaps' } })).rejects.toBeInstanceOf(TaskInputError),
    )
    const issues = [{ path: 'ok', message: 'Choose yes or no.' }]
    expect(result.current).toMatchObject([
      { inputKey: open?.inputKey, response: { status: 'rejected', error: { issues } } },
    ])
    expect(result.current[0]?.request).toBe(open?.request)
    await act(() => open?.respond({ action: 'accept', content: { ok: true } }) ?? Promise.reject())
    expect(result.current).toEqual([])
  })

  it('rejects a response to a call that is gone', async () => {
    const { callId } = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } })
    const { result } = renderHook(() => useInputRequests(), { wrapper })
    await advance(3000)
    const [question] = result.current
    await act(() => client.forget({ callId }))
    await expect(question?.respond({ action: 'decline' })).rejects.toBeInstanceOf(TaskInputError)
  })
})
