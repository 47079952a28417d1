import { skipToken } from '@tanstack/react-query'
import {
  TaskCancelledError,
  TaskFailedError,
  TaskInputError,
  ToolCallInterruptedError,
  ToolOutputError,
} from 'taskwire'
import { expect, vi } from 'vitest'
import { z } from 'zod'
import type { ShownBy } from './binding.js'
import type { Behaviour, World } from './world.js'

const WORK = { name: 'work', arguments: { seconds: 2 } }

/** What a component that shows a call says of it. */
function show({ status, data, error, call, task }: ShownBy['useToolCall']): string {
  if (error !== null) return `${status}: ${error.name}`
  if (data !== undefined) return `${status}: ${JSON.stringify(data.structuredContent)}`
  return `${status}: ${call?.phase} ${task?.statusMessage}`
}

const status = (shown: ShownBy['useToolCall']): string => `${shown.status} ${shown.fetchStatus}`

/** What `useToolCall` does in every framework. */
export const queries: readonly Behaviour[] = [
  {
    name: 'useToolCall shows the phases, the progress and the result of a call',
    async run({ mount, advance }) {
      const view = mount('useToolCall', WORK, show)
      expect(view.text).toMatch(/^pending: (undefined|calling) undefined$/)
      await advance(1500)
      expect(view.text).toBe('pending: working step 1')
      await advance(3000)
      expect(view.text).toBe('success: {"seconds":2}')
      expect(view.shown).toMatchObject({ isSuccess: true, call: { phase: 'completed' }, error: null })
    },
  },
  {
    name: 'useToolCall in two components makes one call',
    async run({ mount, advance, server }) {
      const views = [mount('useToolCall', WORK, show), mount('useToolCall', WORK, show)]
      await advance(5000)
      expect(views.map(({ text }) => text)).toEqual(['success: {"seconds":2}', 'success: {"seconds":2}'])
      expect(server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'useToolCall takes a call up again after a reload',
    async run(world) {
      world.mount('useToolCall', { ...WORK, arguments: { seconds: 3 } }, show)
      await world.advance(1500)
      await world.reload()
      const view = world.mount('useToolCall', { ...WORK, arguments: { seconds: 3 } }, show)
      await world.advance(1000)
      expect(view.text).toMatch(/^pending: working step/)
      await world.advance(5000)
      expect(view.text).toBe('success: {"seconds":3}')
      expect(world.server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'useToolCall shows a failed task as a TaskFailedError, and a tool error as data',
    async run({ mount, advance }) {
      const failure = mount('useToolCall', { name: 'work', arguments: { seconds: 0, outcome: 'failure' } }, show)
      const toolError = mount('useToolCall', { name: 'work', arguments: { seconds: 0, outcome: 'tool error' } }, show)
      await advance(3000)
      expect(failure.text).toBe('error: TaskFailedError')
      expect(failure.shown.error).toBeInstanceOf(TaskFailedError)
      expect(failure.shown.call?.phase).toBe('failed')
      expect(toolError.shown).toMatchObject({ isSuccess: true, data: { isError: true } })
    },
  },
  {
    name: 'cancel() shows isCancelling, and then a TaskCancelledError',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCall', { name: 'work', arguments: { seconds: 60 } }, (shown) =>
        shown.isCancelling ? 'cancelling' : show(shown),
      )
      await advance(1500)
      await act(() => view.shown.cancel())
      expect(view.text).toBe('cancelling')
      await advance(1000)
      expect(view.text).toBe('error: TaskCancelledError')
      expect(view.shown.error).toBeInstanceOf(TaskCancelledError)
      expect(server.count('tasks/cancel')).toBe(1)
    },
  },
  {
    name: 'an interrupted call is a ToolCallInterruptedError after a reload, and retry() makes it again',
    notOverBridge: 'the reload of a page interrupts nothing: its backend goes on waiting for the response',
    server: { idempotentCalls: false },
    async run(world) {
      world.server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call', times: 1 })
      world.mount('useToolCall', WORK, show)
      await world.advance(100)
      await world.reload()
      const view = world.mount('useToolCall', WORK, show)
      await world.advance(100)
      expect(view.shown.error).toBeInstanceOf(ToolCallInterruptedError)
      expect(view.text).toBe('error: ToolCallInterruptedError')
      expect(world.server.count('tools/call')).toBe(1)
      await world.act(() => view.shown.retry())
      await world.advance(5000)
      expect(view.text).toBe('success: {"seconds":2}')
      expect(world.server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'retry() and refetch() call the tool again, and join the call while it runs',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCall', WORK, status)
      await advance(5000)
      await act(() => view.shown.retry())
      await advance(500)
      expect(view.text).toBe('success fetching')
      await act(() => view.shown.retry())
      await advance(5000)
      expect(server.count('tools/call')).toBe(2)
      await act(() => void view.shown.refetch())
      await advance(5000)
      expect(view.text).toBe('success idle')
      expect(server.count('tools/call')).toBe(3)
    },
  },
  ...(['clear', 'removeQueries'] as const).map((method) => ({
    name: `retry() calls the tool again after ${method}() of the query client, and shows that`,
    async run({ mount, advance, act, page, server }: World) {
      const view = mount('useToolCall', WORK, status)
      const beside = mount('useToolCall', WORK, status)
      await advance(5000)
      await act(() => page.queryClient[method]())
      await act(() => view.shown.retry())
      await advance(500)
      expect([view.text, beside.text]).toEqual(Array(2).fill(expect.stringMatching('fetching')))
      await advance(5000)
      expect([view.text, beside.text]).toEqual(['success idle', 'success idle'])
      expect(server.count('tools/call')).toBe(2)
      await act(() => view.shown.retry())
      await advance(5000)
      expect(server.count('tools/call')).toBe(3)
    },
  })),
  ...(
    [
      ['enabled: false', { enabled: false }, 'pending idle'],
      ['initialData', { initialData: { content: [] } }, 'success idle'],
    ] as const
  ).map(([what, query, before]) => ({
    name: `retry() calls the tool again after a reload, where the call is shown with ${what}`,
    async run(world: World) {
      const options = { ...WORK, query: query as object }
      world.mount('useToolCall', WORK)
      await world.advance(5000)
      await world.reload()
      const view = world.mount('useToolCall', options, status)
      await world.advance(1000)
      expect(view.text).toBe(before)
      await world.act(() => view.shown.retry())
      await world.advance(5000)
      expect(view.text).toBe('success idle')
      expect(view.shown.data?.structuredContent).toEqual({ seconds: 2 })
      expect(world.server.count('tools/call')).toBe(2)
    },
  })),
  {
    name: 'an input request is shown, and respond() answers it',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCall', { name: 'ask', arguments: { questions: ['Sure?'] } }, (shown) =>
        shown.data === undefined ? Object.keys(shown.inputRequests).join() || 'nothing' : JSON.stringify(shown.data),
      )
      expect(view.text).toBe('nothing')
      await advance(2000)
      const [inputKey = ''] = Object.keys(view.shown.inputRequests)
      expect(view.text).toBe(inputKey)
      await act(() => void view.shown.respond(inputKey, { action: 'accept', content: { ok: true } }))
      await advance(3000)
      expect(view.text).toContain('accept')
      expect(server.count('tasks/update')).toBe(1)
    },
  },
  {
    name: 'without a call, respond() rejects and cancel() does nothing',
    async run({ mount, server }) {
      const view = mount('useToolCall', { name: 'work', arguments: skipToken }, show)
      await expect(view.shown.respond('a', { action: 'decline' })).rejects.toBeInstanceOf(TaskInputError)
      await expect(view.shown.cancel()).resolves.toBeUndefined()
      expect(server.requests).toEqual([])
    },
  },
  {
    name: 'other arguments are another call, the same ones in another order are not',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCall', { name: 'work', arguments: { seconds: 1, outcome: 'success' } }, show)
      await advance(3000)
      const { callId } = view.shown.call ?? {}
      await view.change({ name: 'work', arguments: { outcome: 'success', seconds: 1 } })
      await advance(3000)
      expect(server.count('tools/call')).toBe(1)
      await view.change({ name: 'work', arguments: { seconds: 2 } })
      await advance(1500)
      expect(view.text).toBe('pending: working step 1')
      expect(view.shown.call?.callId).not.toBe(callId)
      await advance(3000)
      expect(view.text).toBe('success: {"seconds":2}')
      await act(() => view.shown.retry())
      await advance(5000)
      const calls = server.requests.filter(({ method }) => method === 'tools/call')
      expect(calls.map(({ params }) => params?.['arguments'])).toMatchObject([
        { seconds: 1 },
        { seconds: 2 },
        { seconds: 2 },
      ])
    },
  },
  {
    name: 'enabled: false and skipToken hold a call back',
    async run({ mount, advance, server }) {
      const view = mount('useToolCall', { name: 'work', arguments: skipToken }, status)
      await advance(1000)
      expect(view.text).toBe('pending idle')
      await view.change({ ...WORK, query: { enabled: false } })
      await advance(1000)
      expect(view.text).toBe('pending idle')
      expect(view.shown.call).toBeUndefined()
      expect(server.requests).toEqual([])
      await view.change(WORK)
      await advance(5000)
      expect(view.text).toBe('success idle')
    },
  },
  {
    name: 'retry() of a call that skipToken holds back does nothing, and the call is made later on',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCall', { name: 'work', key: 'k', arguments: skipToken }, status)
      await act(() => view.shown.retry())
      await advance(1000)
      expect(view.text).toBe('pending idle')
      await view.change({ ...WORK, key: 'k' })
      await advance(5000)
      expect(view.text).toBe('success idle')
      expect(server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'unmounting cancels nothing: the task goes on',
    async run({ mount, advance, server, client }) {
      const view = mount('useToolCall', WORK, show)
      await advance(500)
      await view.unmount()
      const { text } = view
      await advance(5000)
      expect(server.count('tasks/cancel')).toBe(0)
      expect(Object.values(client.store.getState().calls)).toMatchObject([{ phase: 'completed' }])
      expect(view.text).toBe(text === '' ? '' : text)
    },
  },
  {
    name: 'a poll that brings nothing new renders nothing',
    async run({ mount, advance, server }) {
      const view = mount('useToolCall', { name: 'work', arguments: { seconds: 60, quiet: true } }, show)
      await advance(2000)
      const before = view.renders
      await advance(10_000)
      expect(server.count('tasks/get')).toBeGreaterThan(10)
      expect(view.renders).toBe(before)
    },
  },
  {
    name: 'query.select shows what it makes of the result, and outputSchema checks it',
    async run({ mount, advance }) {
      const selected = mount('useToolCall', {
        ...WORK,
        query: { select: ({ content }) => ({ content, structuredContent: 'selected' }) },
      })
      const checked = mount('useToolCall', {
        name: 'work',
        arguments: { seconds: 1 },
        outputSchema: z.object({ minutes: z.number() }),
      } as never)
      await advance(5000)
      expect(selected.shown.data?.structuredContent).toBe('selected')
      expect(checked.shown.error).toBeInstanceOf(ToolOutputError)
    },
  },
  {
    name: 'onSettled is called once, with the call that has settled',
    async run({ mount, advance, client }) {
      const onSettled = vi.fn()
      mount('useToolCall', { ...WORK, onSettled })
      await advance(1000)
      expect(onSettled).not.toHaveBeenCalled()
      client.startToolCall({ name: 'work', arguments: { seconds: 1 } })
      await advance(5000)
      expect(onSettled.mock.calls).toMatchObject([[{ phase: 'completed', arguments: { seconds: 2 } }]])
    },
  },
  {
    name: 'it says that it is reconnecting without an error',
    async run({ mount, advance, server }) {
      const view = mount('useToolCall', { name: 'work', arguments: { seconds: 9 } }, ({ call }) => `${call?.network}`)
      await advance(1000)
      const restore = server.faults.drop()
      await advance(2000)
      expect(view.text).toBe('retrying')
      expect(view.shown).toMatchObject({ isPending: true, error: null })
      restore()
      await advance(10_000)
      expect(view.text).toBe('ok')
    },
  },
]
