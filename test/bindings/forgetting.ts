import { expect } from 'vitest'
import type { ShownBy } from './binding.js'
import type { Behaviour, World } from './world.js'

const WORK = { name: 'work', arguments: { seconds: 1 } }
const FAILED = { name: 'work', arguments: { seconds: 0, outcome: 'failure' } }
const BUTTON = { name: 'work' }
const KEYED = { name: 'work', key: 'weekly' }

const show = ({ status, fetchStatus, data, error, call }: ShownBy['useToolCall']): string =>
  `${status} ${fetchStatus}: ${JSON.stringify(data?.structuredContent)} ${error?.name} ${call?.phase}`

const showButton = ({ status, data, error, call }: ShownBy['useToolCallMutation']): string =>
  `${status}: ${JSON.stringify(data?.structuredContent)} ${error?.name} ${call?.phase}`

const NOTHING = 'pending idle: undefined undefined undefined'
const NO_CALL = 'idle: undefined undefined undefined'

/** The last user's screen: queries and buttons, with a result, an error and a call that runs. */
async function fill({ mount, act, advance }: World) {
  const done = mount('useToolCall', WORK, show)
  const failed = mount('useToolCall', FAILED, show)
  const button = mount('useToolCallMutation', BUTTON, showButton)
  const keyed = mount('useToolCallMutation', KEYED, showButton)
  await act(() => button.shown.mutate({ seconds: 1 }))
  await act(() => keyed.shown.mutate({ seconds: 1 }))
  await advance(5000)
  const running = mount('useToolCall', { name: 'work', arguments: { seconds: 60 } }, show)
  await advance(1500)
  const queries = [done, failed, running]
  const buttons = [button, keyed]
  expect([...queries, ...buttons].map(({ text }) => text)).toEqual([
    'success idle: {"seconds":1} undefined completed',
    'error idle: undefined TaskFailedError failed',
    'pending fetching: undefined undefined working',
    'success: {"seconds":1} undefined completed',
    'success: {"seconds":1} undefined completed',
  ])
  return { queries, buttons, texts: () => [...queries, ...buttons].map(({ text }) => text) }
}

const EMPTY = [NOTHING, NOTHING, NOTHING, NO_CALL, NO_CALL]

/** What the hooks of every framework show when calls were forgotten. */
export const forgetting: readonly Behaviour[] = [
  {
    name: '[EDGE-28] forget() leaves nothing on the screens of the last user, and calls no tool',
    async run(world) {
      const { texts } = await fill(world)
      const made = world.server.count('tools/call')
      await world.act(() => world.client.forget())
      await world.advance(5000)
      expect(texts()).toEqual(EMPTY)
      expect(world.server.count('tools/call')).toBe(made)
    },
  },
  {
    name: '[EDGE-28] forget() of another tab leaves nothing either',
    async run(world) {
      const { texts } = await fill(world)
      const made = world.server.count('tools/call')
      await world.act(() => world.openTab().forget())
      await world.advance(5000)
      expect(texts()).toEqual(EMPTY)
      expect(world.server.count('tools/call')).toBe(made)
    },
  },
  {
    name: '[EDGE-28] after forget() the app clears its queries, and what stays on the screen calls no tool when it renders',
    async run(world) {
      const view = world.mount('useToolCall', WORK, show)
      await world.advance(5000)
      await world.act(() => world.client.forget())
      await world.act(() => world.page.queryClient.clear())
      for (const gcTime of [1000, 2000]) {
        await view.change({ ...WORK, query: { gcTime } })
        await world.advance(3000)
        expect(view.text).toBe(NOTHING)
      }
      expect(world.server.count('tools/call')).toBe(1)
      await world.act(() => view.shown.retry())
      await world.advance(5000)
      expect(view.text).toBe('success idle: {"seconds":1} undefined completed')
    },
  },
  ...[true, false].map((isAtOnce) => ({
    name: `[EDGE-28] forget() ${isAtOnce ? 'right after' : 'after'} the app has cleared its queries leaves nothing either, and calls no tool`,
    async run(world: World) {
      const { queries, texts } = await fill(world)
      const made = world.server.count('tools/call')
      await world.act(() => {
        world.page.queryClient.clear()
        return isAtOnce && world.client.forget()
      })
      await world.act(() => world.client.forget())
      await world.advance(5000)
      expect(texts()).toEqual(EMPTY)
      await queries[0]?.change({ ...WORK, query: { gcTime: 1000 } })
      await world.advance(5000)
      expect(texts()).toEqual(EMPTY)
      expect(world.server.count('tools/call')).toBe(made)
    },
  })),
  {
    name: '[EDGE-28] after forget() a component that is mounted again shows a call of its own',
    async run(world) {
      const { queries, buttons } = await fill(world)
      for (const view of [...queries, ...buttons]) await view.unmount()
      const made = world.server.count('tools/call')
      await world.act(() => world.client.forget())
      const query = world.mount('useToolCall', WORK, show)
      const button = world.mount('useToolCallMutation', KEYED, showButton)
      expect(query.text).toMatch(/^pending \w+: undefined undefined/)
      await world.advance(200)
      expect([query.text, button.text]).toEqual([expect.stringMatching(/^pending fetching: undefined/), NO_CALL])
      await world.advance(5000)
      expect(query.text).toBe('success idle: {"seconds":1} undefined completed')
      expect(world.server.count('tools/call')).toBe(made + 1)
    },
  },
  {
    name: '[EDGE-28] after forget() the user calls the tool again from the screen that was left open',
    async run(world) {
      const { queries, buttons } = await fill(world)
      await world.act(() => world.client.forget())
      await world.advance(1000)
      await world.act(() => queries[0]?.shown.retry())
      await world.act(() => buttons[1]?.shown.mutate({ seconds: 1 }))
      await world.advance(5000)
      expect(queries[0]?.text).toBe('success idle: {"seconds":1} undefined completed')
      expect(buttons[1]?.text).toBe('success: {"seconds":1} undefined completed')
    },
  },
  {
    name: '[EDGE-28] after forget() a query shows the call of its key that a button beside it makes',
    async run({ mount, act, advance, client, server }) {
      const query = mount('useToolCall', { ...WORK, key: 'weekly' }, show)
      const held = mount('useToolCall', { ...WORK, key: 'held', query: { enabled: false } }, show)
      const button = mount('useToolCallMutation', KEYED, showButton)
      await advance(5000)
      await act(() => client.forget())
      await act(() => button.shown.mutate({ seconds: 2 }))
      await act(() => void client.startToolCall(WORK, { key: 'held' }))
      await advance(5000)
      expect(query.text).toBe('success idle: {"seconds":2} undefined completed')
      expect(button.text).toBe('success: {"seconds":2} undefined completed')
      expect(held.text).toBe('pending idle: undefined undefined completed')
      expect(server.count('tools/call')).toBe(3)
    },
  },
  {
    name: '[EDGE-28] forget() of one call leaves the others on the screen',
    async run(world) {
      const { queries, texts } = await fill(world)
      const before = texts()
      const callId = queries[0]?.shown.call?.callId ?? ''
      await world.act(() => world.client.forget({ callId }))
      await world.advance(500)
      expect(texts()).toEqual([NOTHING, ...before.slice(1)])
    },
  },
]
