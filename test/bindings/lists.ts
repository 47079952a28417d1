import { TaskConfigurationError, type ToolCallState } from 'taskwire'
import type { UseToolCallGroupResult } from 'taskwire/react'
import { expect, vi } from 'vitest'
import type { Binding } from './binding.js'
import type { Behaviour, World } from './world.js'

const WORK = { name: 'work', arguments: { seconds: 2 } }
const ASK = { name: 'ask', arguments: { questions: ['Sure?'] } }
const YES = { action: 'accept', content: { ok: true } } as const

/** What the lists, the state of one call and the connection do in every framework. */
export const lists: readonly Behaviour[] = [
  {
    name: 'useToolCalls lists the calls that pass the filter, oldest first',
    async run({ mount, advance, act, client }) {
      const all = mount('useToolCalls', {}, (calls) => calls.map(({ arguments: args }) => JSON.stringify(args)).join())
      const done = mount(
        'useToolCalls',
        { filter: ({ phase }) => phase === 'completed' },
        (calls) => `${calls.length} completed`,
      )
      expect([all.text, done.text]).toEqual(['', '0 completed'])
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 60 } }))
      await advance(1000)
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 1 } }))
      await advance(4000)
      expect(all.text).toBe('{"seconds":60},{"seconds":1}')
      expect(done.text).toBe('1 completed')
    },
  },
  {
    name: 'useToolCalls keeps its array, and renders nothing, while nothing in it changes',
    async run({ mount, advance, act, client, page }) {
      const view = mount(
        'useToolCalls',
        { clients: [client], filter: ({ phase }) => phase === 'completed' },
        (calls) => `${calls.length}`,
      )
      await act(() => void client.startToolCall(WORK))
      await advance(5000)
      expect(view.text).toBe('1')
      const { shown, renders } = view
      await page.act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 60 } }))
      await advance(3000)
      expect(view.shown).toBe(shown)
      expect(view.text).toBe('1')
      expect(view.renders).toBe(renders)
    },
  },
  {
    name: 'useToolCalls lists the calls of several clients, and of others when the options change',
    async run(world) {
      const other = world.openElsewhere()
      const view = world.mount('useToolCalls', { clients: [world.client] }, (calls) => `${calls.length}`)
      await world.act(() => void other.startToolCall({ name: 'echo', arguments: { text: 'a' } }))
      await world.advance(1000)
      expect(view.text).toBe('0')
      await view.change({ clients: [world.client, other] })
      expect(view.text).toBe('1')
      await world.act(() => void other.startToolCall({ name: 'echo', arguments: { text: 'b' } }))
      await world.advance(1000)
      expect(view.text).toBe('2')
    },
  },
  {
    name: 'useToolCalls lists the calls of earlier visits, which the provider takes up where the client is eager',
    client: { resume: 'eager' },
    async run(world) {
      await world.act(() => void world.client.startToolCall(WORK, { key: 'k' }))
      await world.advance(1500)
      await world.reload()
      const view = world.mount('useToolCalls', {}, (calls) => calls.map(({ phase }) => phase).join())
      await world.advance(200)
      expect(view.text).toBe('working')
      await world.advance(4000)
      expect(view.text).toBe('completed')
      expect(world.server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'useToolCallGroup shows many calls as one, finds them again after a reload, and cancels those that run',
    client: { resume: 'eager' },
    async run(world) {
      const shot = { name: 'work', arguments: { seconds: 60 } }
      const ofBatch = { filter: (call: ToolCallState) => call.meta?.['batch'] === 'trailer' }
      const show = (group: UseToolCallGroupResult) => `${group.running} of ${group.progress.total}`
      const before = world.mount('useToolCallGroup', ofBatch, show)
      expect(before.text).toBe('0 of 0')
      await world.act(() => void world.client.startToolCall(WORK, { key: 'of no batch' }))
      for (const key of ['a', 'b'])
        await world.act(() => void world.client.startToolCall(shot, { key, meta: { batch: 'trailer' } }))
      await world.advance(1500)
      expect(before.text).toBe('2 of 2')
      await world.reload()
      const view = world.mount('useToolCallGroup', ofBatch, show)
      await world.advance(1500)
      expect(view.text).toBe('2 of 2')
      await world.act(() => void view.shown.cancelAll())
      await world.advance(5000)
      expect(view.text).toBe('0 of 2')
      expect(view.shown.cancelled).toBe(2)
      expect(world.server.count('tools/call')).toBe(3)
    },
  },
  {
    name: 'useToolCallGroup with a filter counts every call of a batch that is larger than what a client keeps',
    async run(world) {
      const ofBatch = { filter: (call: ToolCallState) => call.meta?.['batch'] === 'rows' }
      const show = ({ completed, failed, progress }: UseToolCallGroupResult) =>
        `${completed} ${failed} ${progress.total}`
      const view = world.mount('useToolCallGroup', ofBatch, show)
      const call = (index: number) => {
        const params = index === 0 ? { name: 'nope' } : { name: 'echo', arguments: { text: 'hi' } }
        const { result } = world.client.startToolCall(params, { key: `row ${index}`, meta: { batch: 'rows' } })
        result.catch(() => {})
      }
      for (let from = 0; from < 250; from += 50) {
        await world.act(() => Array.from({ length: 50 }, (_, index) => call(from + index)))
        await world.advance(500)
      }
      expect(view.text).toBe('249 1 250')
    },
  },
  {
    name: 'useToolCallGroup is of the clients that it is given',
    async run(world) {
      const other = world.openElsewhere()
      const view = world.mount('useToolCallGroup', { clients: [world.client] }, ({ calls }) => `${calls.length}`)
      await world.act(() => void other.startToolCall({ name: 'work', arguments: { seconds: 60 } }))
      await world.advance(1500)
      expect(view.text).toBe('0')
      await view.change({ clients: [world.client, other] })
      expect(view.text).toBe('1')
      await world.act(() => void view.shown.cancelAll())
      await world.advance(5000)
      expect(view.shown.cancelled).toBe(1)
    },
  },
  {
    name: 'what is noted with a query and with a mutation is in the state of the call',
    async run({ mount, act, advance }) {
      const query = mount('useToolCall', { ...WORK, meta: { title: 'Q3' } }, ({ call }) => `${call?.meta?.['title']}`)
      const mutation = mount(
        'useToolCallMutation',
        { name: 'work', meta: (args) => ({ title: `${JSON.stringify(args)}` }) },
        ({ call }) => `${call?.meta?.['title']}`,
      )
      await act(() => mutation.shown.mutate({ seconds: 1 }))
      await advance(1500)
      expect([query.text, mutation.text]).toEqual(['Q3', '{"seconds":1}'])
    },
  },
  {
    name: 'useInputRequests lists what the calls of all clients ask, and sends the response to the one that asks',
    async run(world) {
      const other = world.openElsewhere()
      const view = world.mount('useInputRequests', { clients: [world.client, other] }, (requests) =>
        requests.map(({ call }) => call.name).join(),
      )
      expect(view.text).toBe('')
      await world.act(() => void world.client.startToolCall(ASK, { key: 'k' }))
      await world.act(
        () => void other.startToolCall({ name: 'ask', arguments: { questions: ['Really?'] } }, { key: 'k' }),
      )
      await world.advance(3000)
      expect(view.text).toBe('ask,ask')
      const asked = view.shown.find(({ client }) => client === other)
      await world.act(() => void asked?.respond(YES))
      await world.advance(2000)
      expect(view.text).toBe('ask')
      expect(view.shown[0]?.client).toBe(world.client)
    },
  },
  {
    name: 'useInputRequests says that a response was refused',
    async run({ mount, advance, act, client }) {
      const view = mount('useInputRequests', {}, ([first]) => `${first?.response?.status}`)
      await act(() => void client.startToolCall(ASK))
      await advance(3000)
      expect(view.text).toBe('undefined')
      await act(() => void view.shown[0]?.respond({ action: 'accept', content: { ok: 'perhaps' } }))
      await advance(500)
      expect(view.text).toBe('rejected')
    },
  },
  {
    name: 'useToolCallState shows one call, and another one when the id changes',
    async run({ mount, advance, act, client }) {
      const view = mount('useToolCallState', { callId: undefined }, (call) => `${call?.phase}`)
      expect(view.text).toBe('undefined')
      await act(() => void client.startToolCall(WORK, { key: 'a' }))
      await view.change({ callId: client.toolCallId('work', 'a') })
      await advance(1500)
      expect(view.text).toBe('working')
      const before = view.renders
      await act(() => void client.startToolCall({ name: 'echo', arguments: { text: 'x' } }, { key: 'b' }))
      await advance(0)
      expect(view.renders).toBe(before)
      await view.change({ callId: client.toolCallId('echo', 'b') })
      await advance(5000)
      expect(view.text).toBe('completed')
      expect(view.shown?.name).toBe('echo')
    },
  },
  {
    name: 'useToolCallState fetches the outcome of a call that ended in an earlier visit, once',
    notOverBridge: 'the backend knows the outcome, and nothing is fetched',
    async run(world) {
      await world.act(() => void world.client.startToolCall(WORK, { key: 'k' }))
      await world.advance(5000)
      const polls = world.server.count('tasks/get')
      await world.reload({ resume: 'eager' })
      const callId = world.client.toolCallId('work', 'k')
      await world.act(() => world.client.resumeToolCalls())
      const views = [1, 2].map(() => world.mount('useToolCallState', { callId }, (call) => `${call?.phase}`))
      await world.advance(1000)
      expect(views.map(({ text }) => text)).toEqual(['completed', 'completed'])
      expect(world.server.count('tasks/get') - polls).toBe(1)
    },
  },
  ...[1, 5].map((seconds) => ({
    name: `useToolCallState finds a call of ${seconds} s of an earlier visit where the client is lazy, and shows its outcome`,
    client: { resume: 'lazy' as const },
    async run(world: World) {
      const work = { name: 'work', arguments: { seconds } }
      await world.act(() => void world.client.startToolCall(work, { key: 'k' }))
      await world.advance(2500)
      await world.reload()
      const callId = world.client.toolCallId('work', 'k')
      const views = [1, 2].map(() => world.mount('useToolCallState', { callId }, (call) => `${call?.phase}`))
      await world.advance(5000)
      expect(views.map(({ text }) => text)).toEqual(['completed', 'completed'])
      expect(world.server.count('tools/call')).toBe(1)
    },
  })),
  {
    name: 'useToolCallState has a call followed where the client is lazy, as long as a component shows it',
    client: { resume: 'lazy' },
    notOverBridge: 'the backend follows its calls, whoever looks',
    async run({ mount, act, advance, client, server }) {
      const { callId, result, detach } = client.startToolCall({ name: 'work', arguments: { seconds: 20 } })
      result.catch(() => {})
      await advance(1500)
      await act(() => detach())
      await advance(3000)
      const views = [1, 2].map(() => mount('useToolCallState', { callId }, (call) => `${call?.phase}`))
      const polls = server.count('tasks/get')
      await advance(3000)
      expect(server.count('tasks/get')).toBeGreaterThan(polls)
      await views[0]?.unmount()
      await advance(20_000)
      expect(views[1]?.text).toBe('completed')
    },
  },
  {
    name: 'useToolCallState leaves a call alone where the client is lazy, and no component shows it any longer',
    client: { resume: 'lazy' },
    notOverBridge: 'the backend follows its calls, whoever looks',
    async run({ mount, act, advance, client, server }) {
      const { callId, result, detach } = client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
      result.catch(() => {})
      const view = mount('useToolCallState', { callId }, (call) => `${call?.phase}`)
      await advance(1500)
      await act(() => detach())
      await view.unmount()
      await advance(100)
      const polls = server.count('tasks/get')
      await advance(10_000)
      expect(server.count('tasks/get')).toBe(polls)
    },
  },
  {
    name: 'useTaskConnection shows how the connection fares',
    notOverBridge: 'a page connects to its backend as soon as it looks for calls',
    async run({ mount, act, advance, client }) {
      const view = mount('useTaskConnection', {}, ({ status }) => status)
      const before = view.text
      await act(() => void client.connect())
      await advance(100)
      expect([before, view.text]).toEqual([client.store.getInitialState().connection.status, 'connected'])
    },
  },
  {
    name: 'useTaskConnection and useInputRequests render nothing while a call goes on that changes neither',
    async run({ mount, act, advance, client }) {
      const views = [
        mount('useTaskConnection', {}, ({ status }) => status),
        mount('useInputRequests', {}, (requests) => `${requests.length}`),
      ]
      await act(() => void client.connect())
      await advance(100)
      const before = views.map(({ renders }) => renders)
      await act(() => void client.startToolCall(WORK))
      await advance(5000)
      expect(views.map(({ renders }) => renders)).toEqual(before)
    },
  },
  {
    name: 'options that change, but name the same client and the same call, leave the subscriptions as they are',
    async run({ mount, advance, client }) {
      const subscribes = [
        vi.spyOn(client, 'subscribeToolCall'),
        vi.spyOn(client, 'onToolCallSettled'),
        vi.spyOn(client.store, 'subscribe'),
      ]
      const work = { name: 'work', arguments: { seconds: 60 } }
      const callId = client.toolCallId('work', 'k')
      const query = mount('useToolCall', { ...work, key: 'k' })
      const mutation = mount('useToolCallMutation', { name: 'work', key: 'k' }, ({ call }) => `${call?.phase}`)
      const state = mount('useToolCallState', { callId }, (call) => `${call?.phase}`)
      const connection = mount('useTaskConnection', {}, ({ status }) => status)
      const list = mount('useToolCalls', {}, (calls) => `${calls.length}`)
      await advance(1500)
      const before = subscribes.map(({ mock }) => mock.calls.length)
      await query.change({ ...work, key: 'k', query: { gcTime: 1000 } })
      await mutation.change({ name: 'work', key: 'k', mutation: { gcTime: 1000 } })
      await state.change({ callId })
      await connection.change({})
      await list.change({})
      await advance(1500)
      expect(subscribes.map(({ mock }) => mock.calls.length)).toEqual(before)
    },
  },
  {
    name: 'a component that is unmounted leaves no listener behind',
    async run({ mount, act, advance, client }) {
      let listeners = 0
      const count = (stop: () => void) => {
        listeners++
        return () => {
          listeners--
          stop()
        }
      }
      const { subscribeToolCall, onToolCallSettled, store } = client
      const { subscribe } = store
      vi.spyOn(client, 'subscribeToolCall').mockImplementation((...args) => count(subscribeToolCall(...args)))
      vi.spyOn(client, 'onToolCallSettled').mockImplementation((...args) => count(onToolCallSettled(...args)))
      vi.spyOn(store, 'subscribe').mockImplementation((...args) => count(subscribe(...args)))
      const views = [
        mount('useToolCall', { name: 'work', arguments: { seconds: 60 } }, ({ call }) => `${call?.phase}`),
        mount('useToolCallMutation', { name: 'work', key: 'k' }, ({ status }) => status),
        mount('useToolCalls', {}, (calls) => `${calls.length}`),
        mount('useToolCallGroup', {}, ({ running }) => `${running}`),
        mount('useInputRequests', {}, (requests) => `${requests.length}`),
        mount('useTaskConnection', {}, ({ status }) => status),
      ]
      await advance(1500)
      expect(listeners).toBeGreaterThanOrEqual(views.length)
      for (const view of views) await view.unmount()
      await act(() => {})
      expect(listeners).toBe(0)
    },
  },
  {
    name: 'each is of the client that it is given, not of the one that is provided',
    async run(world) {
      const client = world.openElsewhere()
      const call = world.mount('useToolCall', { ...WORK, client } as never, ({ status }) => status)
      const mutation = world.mount('useToolCallMutation', { name: 'echo', client } as never, ({ status }) => status)
      const list = world.mount('useToolCalls', { client }, (calls) => `${calls.length}`)
      const connection = world.mount('useTaskConnection', { client }, ({ status }) => status)
      await world.act(() => mutation.shown.mutate({ text: 'a' }))
      await world.advance(5000)
      expect([call.text, mutation.text, list.text, connection.text]).toEqual(['success', 'success', '2', 'connected'])
      expect(world.server.requests).toEqual([])
    },
  },
]

/** Without a client, everything that needs one says how to provide it. */
export function expectAdvice(binding: Binding): void {
  const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
  const page = binding.openPage(undefined)
  const mounts = [
    () => page.mount('useToolCall', WORK),
    () => page.mount('useToolCallMutation', { name: 'work' }),
    () => page.mount('useTaskConnection', {}),
    () => page.mount('useToolCalls', {}, (calls) => `${calls.length}`),
    () => page.mount('useInputRequests', {}, (requests) => `${requests.length}`),
  ]
  for (const mount of mounts) expect(mount).toThrow(TaskConfigurationError)
  for (const mount of mounts) expect(mount).toThrow(/No task client: .*createTaskClient\(…\).*, or pass \{ client \}\./)
  silence.mockRestore()
}
