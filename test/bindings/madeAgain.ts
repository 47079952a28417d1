import { skipToken } from '@tanstack/react-query'
import type { TaskClient } from 'taskwire'
import { expect } from 'vitest'
import type { ShownBy } from './binding.js'
import type { Behaviour } from './world.js'

const WEEKLY = { name: 'work', arguments: { seconds: 1 }, key: 'weekly' }
const FAILING = { name: 'work', arguments: { seconds: 1, outcome: 'failure' }, key: 'weekly' }

const show = ({ status, data, error, call }: ShownBy['useToolCall']): string =>
  `${status}: ${call?.phase} ${JSON.stringify(data?.structuredContent)} ${error?.name}`

/** Makes the call again, as something else than its query does. */
function makeAgain(client: TaskClient, seconds: number, repeat: 'settled' | 'always' = 'settled'): void {
  client.startToolCall({ name: 'work', arguments: { seconds } }, { key: 'weekly', repeat })
}

/** What `useToolCall` shows where something else than its query makes its call again, or has made it. */
export const madeAgain: readonly Behaviour[] = [
  {
    name: 'a call that failed and is made again in another tab is shown in all of them',
    async run(world) {
      const views = [world.mount('useToolCall', FAILING, show), world.mount('useToolCall', FAILING, show)]
      await world.advance(3000)
      expect(views.map(({ text }) => text)).toEqual(Array(2).fill('error: failed undefined TaskFailedError'))
      const other = world.openTab()
      await world.act(() => makeAgain(other, 2))
      await world.advance(1500)
      expect(views.map(({ shown }) => [shown.fetchStatus, shown.call?.phase])).toEqual(
        Array(2).fill(['fetching', 'working']),
      )
      await world.advance(3000)
      expect(views.map(({ text }) => text)).toEqual(Array(2).fill('success: completed {"seconds":2} undefined'))
      expect(world.server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a call that is made again and refused is shown as that, and is not sent once more for it',
    async run({ mount, act, advance, client, server }) {
      const view = mount('useToolCall', WEEKLY, show)
      await advance(3000)
      server.faults.status(400, { method: 'tools/call' })
      await act(() => makeAgain(client, 1))
      await advance(5000)
      expect(view.text).toBe('error: failed {"seconds":1} ToolCallRejectedError')
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a call that a button makes again is shown by the query of the same key',
    async run({ mount, act, advance, server }) {
      const view = mount('useToolCall', WEEKLY, (shown) => `${shown.fetchStatus} ${show(shown)}`)
      const button = mount('useToolCallMutation', { name: 'work', key: 'weekly' })
      await advance(3000)
      expect(view.text).toBe('idle success: completed {"seconds":1} undefined')
      await act(() => button.shown.mutate({ seconds: 2 }))
      await advance(1000)
      expect(view.text).toBe('fetching success: working {"seconds":1} undefined')
      await advance(4000)
      expect(view.text).toBe('idle success: completed {"seconds":2} undefined')
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a call that is made again is shown also where the app has cleared its queries before that',
    async run({ mount, act, advance, client, page, server }) {
      const view = mount('useToolCall', WEEKLY, show)
      await advance(3000)
      await act(() => page.queryClient.clear())
      await act(() => makeAgain(client, 2))
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2} undefined')
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: '[EDGE-28] a call that is made again is shown also where the app has cleared its queries and forgotten the call',
    async run({ mount, act, advance, client, page, server }) {
      const view = mount('useToolCall', WEEKLY, show)
      await advance(3000)
      await act(() => page.queryClient.clear())
      await act(() => client.forget())
      await act(() => makeAgain(client, 2))
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2} undefined')
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a call that is made again while it runs is shown instead of it',
    async run({ mount, act, advance, client, server }) {
      const view = mount('useToolCall', { ...WEEKLY, arguments: { seconds: 5 } }, show)
      await advance(1500)
      await act(() => makeAgain(client, 2, 'always'))
      await advance(6000)
      expect(view.text).toBe('success: completed {"seconds":2} undefined')
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a call goes on where its client is closed and replaced, as hot reloading does',
    async run(world) {
      const before = world.openTab()
      const withClient = (client: TaskClient) => ({ ...WEEKLY, arguments: { seconds: 5 }, client }) as never
      const view = world.mount('useToolCall', withClient(before), show)
      await world.advance(1500)
      const after = world.openTab()
      await view.change(withClient(after))
      await world.act(() => after.resumeToolCalls())
      await world.act(() => before.close())
      await world.advance(8000)
      expect(view.text).toBe('success: completed {"seconds":5} undefined')
      expect(world.server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'a call that is held back shows what it is made again as only once it has shown something',
    async run({ mount, act, advance, client }) {
      const held = { ...WEEKLY, query: { enabled: false } }
      const view = mount('useToolCall', held, ({ status, fetchStatus }) => `${status} ${fetchStatus}`)
      await act(() => makeAgain(client, 1))
      await advance(3000)
      expect(view.text).toBe('pending idle')
      await act(() => void view.shown.refetch())
      await advance(3000)
      await act(() => makeAgain(client, 2))
      await advance(4000)
      expect(view.text).toBe('success idle')
      expect(view.shown.data?.structuredContent).toEqual({ seconds: 2 })
    },
  },
  {
    name: 'a call that is made again once nothing shows it is fetched by what shows it next',
    async run({ mount, act, advance, client, server }) {
      const first = mount('useToolCall', WEEKLY, show)
      await advance(3000)
      await first.unmount()
      await act(() => makeAgain(client, 2))
      await advance(4000)
      const second = mount('useToolCall', WEEKLY, show)
      await advance(100)
      expect(second.text).toBe('success: completed {"seconds":2} undefined')
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a call that goes on is shown once it ends, where the app has cancelled all fetches meanwhile',
    async run({ mount, act, advance, page, server }) {
      const view = mount('useToolCall', WEEKLY, (shown) => `${shown.fetchStatus} ${show(shown)}`)
      await advance(500)
      await act(() => page.queryClient.cancelQueries())
      await advance(5000)
      expect(view.text).toBe('idle success: completed {"seconds":1} undefined')
      expect(server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'a call that runs is shown once it ends, where the app has cleared its queries meanwhile',
    async run({ mount, act, advance, page, server }) {
      const view = mount('useToolCall', WEEKLY, (shown) => `${shown.fetchStatus} ${show(shown)}`)
      await advance(500)
      await act(() => page.queryClient.clear())
      await advance(5000)
      expect(view.text).toBe('idle success: completed {"seconds":1} undefined')
      expect(server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'retry() makes a call again, and a newer call is shown, beside a component that skips it',
    async run({ mount, act, advance, client, server }) {
      const view = mount('useToolCall', WEEKLY, show)
      mount('useToolCall', { ...WEEKLY, arguments: skipToken }, show)
      await advance(3000)
      await act(() => view.shown.retry())
      await advance(3000)
      expect(server.count('tools/call')).toBe(2)
      await act(() => makeAgain(client, 2))
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2} undefined')
    },
  },
]
