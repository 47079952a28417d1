import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../../../test/support/anyClient.js'
import { createWorkServer } from '../../../test/support/workServer.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { QueryClient, QueryClientProvider } from './reactQuery.js'
import { TaskClientProvider } from './TaskClientProvider.js'
import { useInputRequests } from './useInputRequests.js'
import { useTaskClient } from './useTaskClient.js'
import { useTaskConnection } from './useTaskConnection.js'
import { useToolCall } from './useToolCall.js'
import { useToolCallMutation } from './useToolCallMutation.js'
import { useToolCallState } from './useToolCallState.js'
import { useToolCalls } from './useToolCalls.js'

let reports: TestServer
let photos: TestServer
let ofReports: TaskClient
let ofPhotos: TaskClient

function open(server: TestServer): TaskClient {
  return createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
}

beforeEach(() => {
  reports = createWorkServer()
  photos = createWorkServer({ url: 'https://photos.example/mcp' })
  ofReports = open(reports)
  ofPhotos = open(photos)
})

/** The provider's client is that of the reports. */
const wrapper = ({ children }: { children: ReactNode }) => (
  <TaskClientProvider client={ofReports}>{children}</TaskClientProvider>
)
const withoutProvider = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
)

async function advance(ms: number): Promise<void> {
  await act(() => reports.advance(ms))
  await act(() => photos.advance(ms))
}

const WORK = { name: 'work', arguments: { seconds: 2 } }

describe('a hook that is given a client', () => {
  it('calls the tool of its server, not that of the provider', async () => {
    const { result } = renderHook(() => useToolCall({ ...WORK, client: ofPhotos }), { wrapper })
    await advance(5000)
    expect(result.current).toMatchObject({ isSuccess: true, call: { phase: 'completed' } })
    expect([reports.count('tools/call'), photos.count('tools/call')]).toEqual([0, 1])
  })

  it('needs no provider', async () => {
    const { result } = renderHook(
      () => ({
        report: useToolCallMutation({ name: 'work', client: ofReports }),
        connection: useTaskConnection({ client: ofReports }),
        calls: useToolCalls({ client: ofReports }),
      }),
      { wrapper: withoutProvider },
    )
    act(() => result.current.report.mutate({ seconds: 1 }))
    await advance(5000)
    expect(result.current).toMatchObject({
      report: { isSuccess: true },
      connection: { status: 'connected' },
      calls: [{ phase: 'completed' }],
    })
  })

  it('shows the call of that client where both have called the same tool with the same key', async () => {
    const [report, photo] = [ofReports, ofPhotos].map((client) => client.startToolCall(WORK, { key: 'k' }))
    expect(report?.callId).not.toBe(photo?.callId)
    const { result } = renderHook(() => useToolCallState({ callId: photo?.callId, client: ofPhotos }), { wrapper })
    await advance(5000)
    expect(result.current).toMatchObject({ callId: photo?.callId, phase: 'completed' })
  })

  it('without a client and a provider says how to give it one', () => {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    for (const useHook of [useTaskClient, useToolCalls, useInputRequests])
      expect(() => renderHook(() => void useHook())).toThrow(TaskConfigurationError)
    silence.mockRestore()
  })
})

describe('a list of several clients', () => {
  it('has the calls of all, in the order in which they were made', async () => {
    const { result } = renderHook(() => useToolCalls({ clients: [ofReports, ofPhotos] }), { wrapper: withoutProvider })
    act(() => void ofPhotos.startToolCall({ name: 'work', arguments: { seconds: 60 } }))
    await advance(1000)
    act(() => void ofReports.startToolCall({ name: 'work', arguments: { seconds: 61 } }))
    await advance(1000)
    expect(result.current.map((call) => call.arguments)).toEqual([{ seconds: 60 }, { seconds: 61 }])
  })

  it('keeps its identity while nothing in it changes, though the clients are listed in place', async () => {
    ofReports.startToolCall(WORK)
    const { result, rerender } = renderHook(
      () => useToolCalls({ clients: [ofReports, ofPhotos], filter: ({ phase }) => phase === 'completed' }),
      { wrapper: withoutProvider },
    )
    await advance(5000)
    const before = result.current
    expect(before).toHaveLength(1)
    rerender()
    expect(result.current).toBe(before)
  })

  it('is one inbox: a response goes to the server that asks', async () => {
    const { result } = renderHook(() => useInputRequests({ clients: [ofReports, ofPhotos] }), {
      wrapper: withoutProvider,
    })
    for (const client of [ofReports, ofPhotos])
      act(() => void client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'k' }))
    await advance(3000)
    expect(result.current.map(({ client }) => client)).toEqual([ofReports, ofPhotos])
    const asked = result.current.find(({ client }) => client === ofPhotos)
    await act(async () => {
      const responded = asked?.respond({ action: 'accept', content: { ok: true } })
      await photos.advance(500)
      await responded
    })
    expect([reports.count('tasks/update'), photos.count('tasks/update')]).toEqual([0, 1])
    expect(result.current.map(({ client }) => client)).toEqual([ofReports])
  })
})

describe('onSettled', () => {
  it('of useToolCall is called once, with the call that has settled', async () => {
    const onSettled = vi.fn()
    renderHook(() => useToolCall({ ...WORK, onSettled }), { wrapper })
    await advance(1000)
    expect(onSettled).not.toHaveBeenCalled()
    ofReports.startToolCall({ name: 'work', arguments: { seconds: 1 } })
    await advance(5000)
    expect(onSettled.mock.calls).toMatchObject([[{ phase: 'completed', arguments: { seconds: 2 } }]])
  })

  it('of useToolCall is not called for an outcome that was known before', async () => {
    await Promise.all([ofReports.callTool(WORK, { key: 'k' }), reports.advance(5000)])
    const onSettled = vi.fn()
    const { result } = renderHook(() => useToolCall({ ...WORK, key: 'k', onSettled }), { wrapper })
    await advance(1000)
    expect(result.current.isSuccess).toBe(true)
    expect(onSettled).not.toHaveBeenCalled()
  })

  it('of a mutation without a key is called for each of its calls, and for no other', async () => {
    const onSettled = vi.fn()
    const { result } = renderHook(() => useToolCallMutation({ name: 'work', onSettled }), { wrapper })
    act(() => result.current.mutate({ seconds: 3 }))
    act(() => result.current.mutate({ seconds: 1, outcome: 'failure' }))
    ofReports.startToolCall({ name: 'work', arguments: { seconds: 2 } })
    await advance(8000)
    expect(onSettled.mock.calls.map(([call]) => [call.phase, call.arguments.seconds])).toEqual([
      ['failed', 1],
      ['completed', 3],
    ])
  })

  it('of a mutation with a key is called for the call that ran before a reload, too', async () => {
    ofReports.startToolCall(WORK, { key: 'weekly' })
    await advance(1000)
    ofReports = open(reports)
    const onSettled = vi.fn()
    renderHook(() => useToolCallMutation({ name: 'work', key: 'weekly', onSettled }), { wrapper })
    await advance(5000)
    expect(onSettled.mock.calls).toMatchObject([[{ phase: 'completed' }]])
  })
})

describe('retry() of a mutation', () => {
  it('calls the tool again with the same arguments', async () => {
    const { result } = renderHook(() => useToolCallMutation({ name: 'work', key: 'weekly' }), { wrapper })
    expect(result.current.retry).toBeUndefined()
    act(() => result.current.mutate({ seconds: 1, outcome: 'failure' }))
    await advance(5000)
    expect(result.current.isError).toBe(true)
    act(() => result.current.retry?.())
    await advance(5000)
    const calls = reports.requests.filter(({ method }) => method === 'tools/call')
    expect(calls.map(({ params }) => params?.['arguments'])).toEqual([
      { seconds: 1, outcome: 'failure' },
      { seconds: 1, outcome: 'failure' },
    ])
  })
})

describe('select', () => {
  it('shows what it makes of the result', async () => {
    const { result } = renderHook(
      () => useToolCall({ ...WORK, query: { select: ({ content }) => `${content.length} block` } }),
      { wrapper },
    )
    await advance(5000)
    expect(result.current.data).toBe('1 block')
  })
})
