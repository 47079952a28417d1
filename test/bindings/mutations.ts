import { TaskFailedError } from 'taskwire'
import { expect, vi } from 'vitest'
import type { ShownBy } from './binding.js'
import type { Behaviour } from './world.js'

const WEEKLY = { name: 'work', key: 'weekly' }

function show({ status, data, call }: ShownBy['useToolCallMutation']): string {
  return `${status}: ${call?.phase} ${JSON.stringify(data?.structuredContent)}`
}

/** A press in an earlier visit that came to its end there, or did not. */
const reloads: readonly Behaviour[] = (['eager', 'lazy'] as const).flatMap((resume) => [
  {
    name: `a press right after a reload that is refused, as a call of its key still runs, is an error until that ends (${resume})`,
    client: { resume },
    async run(world) {
      const before = world.mount('useToolCallMutation', WEEKLY, show)
      await world.act(() => before.shown.mutate({ seconds: 4 }))
      await world.advance(1500)
      await world.reload()
      const view = world.mount('useToolCallMutation', WEEKLY, show)
      await world.act(() => view.shown.mutate({ seconds: 1 }))
      await world.advance(1000)
      expect(view.shown.error?.name).toBe('ToolCallKeyConflictError')
      expect(view.text).toBe('error: working undefined')
      await world.advance(5000)
      expect(view.text).toBe('success: completed {"seconds":4}')
      expect(world.server.count('tools/call')).toBe(1)
    },
  },
  {
    name: `a mutation with a key shows the call that is still running after a reload (${resume})`,
    client: { resume },
    async run(world) {
      const before = world.mount('useToolCallMutation', WEEKLY, show)
      await world.act(() => before.shown.mutate({ seconds: 3 }))
      await world.advance(1500)
      await world.reload()
      const view = world.mount('useToolCallMutation', WEEKLY, show)
      await world.advance(500)
      expect(view.text).toBe('pending: working undefined')
      expect(view.shown).toMatchObject({ isPending: true, isIdle: false })
      await world.advance(3000)
      expect(view.text).toBe('success: completed {"seconds":3}')
      expect(world.server.count('tools/call')).toBe(1)
    },
  },
  {
    name: `a mutation with a key agrees with the list of calls after a reload, and calls no callback (${resume})`,
    client: { resume },
    async run(world) {
      const before = world.mount('useToolCallMutation', WEEKLY, show)
      await world.act(() => before.shown.mutate({ seconds: 1 }))
      await world.advance(3000)
      await world.reload()
      const onSuccess = vi.fn()
      const view = world.mount('useToolCallMutation', { ...WEEKLY, mutation: { onSuccess } }, show)
      const list = world.mount('useToolCalls', {}, (calls) => calls.map(({ phase }) => phase).join())
      await world.advance(1000)
      expect(view.text).toBe('success: completed {"seconds":1}')
      expect(list.text).toBe('completed')
      expect(view.shown.call).toBe(list.shown[0])
      expect(onSuccess).not.toHaveBeenCalled()
      await world.act(() => view.shown.mutate({ seconds: 2 }))
      await world.advance(500)
      expect(view.shown.isPending).toBe(true)
      await world.advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2}')
      expect(onSuccess).toHaveBeenCalledOnce()
    },
  },
])

/** What `useToolCallMutation` does in every framework. */
export const mutations: readonly Behaviour[] = [
  {
    name: 'useToolCallMutation calls the tool when asked, and shows the call',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCallMutation', { name: 'work' }, show)
      await advance(1000)
      expect(view.text).toBe('idle: undefined undefined')
      expect(server.requests).toEqual([])
      await act(() => view.shown.mutate({ seconds: 2 }))
      await advance(1500)
      expect(view.text).toBe('pending: working undefined')
      expect(view.shown.task?.statusMessage).toBe('step 1')
      await advance(3000)
      expect(view.text).toBe('success: completed {"seconds":2}')
    },
  },
  {
    name: 'useToolCallMutation without a key shows its call while it runs, also where onMutate is awaited',
    async run({ mount, advance, act }) {
      let go = () => {}
      const onMutate = () => new Promise<void>((resolve) => (go = resolve))
      const view = mount('useToolCallMutation', { name: 'work', mutation: { onMutate } }, show)
      await act(() => view.shown.mutate({ seconds: 2 }))
      await advance(100)
      expect(view.text).toBe('pending: undefined undefined')
      await act(() => go())
      await advance(1500)
      expect(view.text).toBe('pending: working undefined')
    },
  },
  {
    name: 'a press is pending while onMutate is awaited, also where the outcome of an earlier call of its key was shown',
    async run({ mount, advance, act, client }) {
      let go = () => {}
      const onMutate = () => new Promise<void>((resolve) => (go = resolve))
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' }))
      const view = mount('useToolCallMutation', { ...WEEKLY, mutation: { onMutate } }, show)
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":1}')
      await act(() => view.shown.mutate({ seconds: 2 }))
      await advance(100)
      expect(view.text).toBe('pending: completed undefined')
      expect(view.shown).toMatchObject({ isPending: true, isSuccess: false, variables: { seconds: 2 } })
      await act(() => go())
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2}')
    },
  },
  {
    name: 'a press whose onMutate rejects is an error, also where an earlier call of its key was shown, until there is news of one',
    async run({ mount, act, advance, client, server }) {
      const onMutate = () => Promise.reject(new Error('No more reports this month.'))
      const make = (seconds: number) =>
        void client.startToolCall({ name: 'work', arguments: { seconds } }, { key: 'weekly', repeat: 'settled' })
      await act(() => make(1))
      const view = mount('useToolCallMutation', { ...WEEKLY, mutation: { onMutate } }, show)
      await advance(3000)
      expect(view.text).toBe('success: completed {"seconds":1}')
      await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(100)
      expect(view.text).toBe('error: completed undefined')
      expect(view.shown.error?.message).toBe('No more reports this month.')
      await act(() => make(2))
      await advance(500)
      expect(view.text).toBe('pending: working undefined')
      await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(100)
      expect(view.text).toBe('error: working undefined')
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2}')
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a press that cannot be a call is an error, also where an earlier call of its key was shown',
    async run({ mount, act, advance, client, server }) {
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' }))
      const view = mount('useToolCallMutation', WEEKLY, show)
      await advance(3000)
      await act(() => view.shown.mutate({ seconds: 1n }))
      await advance(100)
      expect(view.text).toBe('error: completed undefined')
      expect(view.shown.error?.name).toBe('TaskConfigurationError')
      expect(server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'onMutate of the defaults of the query client is called',
    async run({ mount, act, advance, page }) {
      const onMutate = vi.fn()
      page.queryClient.setDefaultOptions({ mutations: { onMutate } })
      const view = mount('useToolCallMutation', WEEKLY, show)
      await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(3000)
      expect(onMutate).toHaveBeenCalledOnce()
    },
  },
  {
    name: 'a press is pending while one of its scope runs, also where the outcome of an earlier call of its key was shown',
    async run({ mount, advance, act, client }) {
      const mutation = { scope: { id: 'reports' } }
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' }))
      const first = mount('useToolCallMutation', { name: 'work', mutation }, show)
      const view = mount('useToolCallMutation', { ...WEEKLY, mutation }, show)
      await advance(4000)
      await act(() => first.shown.mutate({ seconds: 3 }))
      await act(() => view.shown.mutate({ seconds: 2 }))
      await advance(1000)
      expect([first.text, view.text]).toEqual(['pending: working undefined', 'pending: completed undefined'])
      expect(view.shown.isPaused).toBe(true)
      await advance(8000)
      expect(view.text).toBe('success: completed {"seconds":2}')
    },
  },
  {
    name: 'mutateAsync() resolves to the result',
    async run({ mount, act, advance }) {
      const view = mount('useToolCallMutation', { name: 'work' }, show)
      let result: unknown
      await act(() => void view.shown.mutateAsync({ seconds: 1 }).then((found) => (result = found)))
      await advance(3000)
      expect(result).toMatchObject({ structuredContent: { seconds: 1 } })
    },
  },
  {
    name: 'with a key, a second press joins the call that runs, and one after its end is a call of its own',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCallMutation', WEEKLY, show)
      await act(() => view.shown.mutate({ seconds: 2 }))
      await act(() => view.shown.mutate({ seconds: 2 }))
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2}')
      expect(server.count('tools/call')).toBe(1)
      await act(() => view.shown.mutate({ seconds: 2 }))
      await advance(4000)
      expect(server.count('tools/call')).toBe(2)
    },
  },
  {
    name: 'a press with other arguments, while the call of its key runs, is an error until that call ends, whose outcome is shown then',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCallMutation', WEEKLY, show)
      await act(() => view.shown.mutate({ seconds: 3 }))
      await advance(1500)
      await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(500)
      expect(view.shown.error?.name).toBe('ToolCallKeyConflictError')
      expect(view.text).toBe('error: working undefined')
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":3}')
      expect(view.shown.error).toBeNull()
      expect(server.count('tools/call')).toBe(1)
      await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(3000)
      expect(view.text).toBe('success: completed {"seconds":1}')
    },
  },
  {
    name: 'a press that is refused late, as another tab was first, is an error until the call of that tab ends',
    async run(world) {
      const other = world.openTab()
      const view = world.mount('useToolCallMutation', WEEKLY, show)
      await world.advance(100)
      world.server.faults.delay(3000, { method: 'tools/call', times: 1 })
      await world.act(() => void other.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'weekly' }))
      await world.advance(1000)
      await world.act(() => view.shown.mutate({ seconds: 1 }))
      await world.advance(3000)
      expect(view.shown.error?.name).toBe('ToolCallKeyConflictError')
      expect(view.text).toBe('error: working undefined')
      await world.advance(6000)
      expect(view.text).toBe('success: completed {"seconds":5}')
      expect(world.server.count('tools/call')).toBe(1)
    },
  },
  ...reloads,
  {
    name: 'a mutation shows a call without a record that another component has made, also one that mounts later',
    async run({ mount, act, advance }) {
      const ECHO = { name: 'echo', key: 'weekly' }
      const refused = { name: 'unknown', key: 'weekly' }
      const text = ({ status, call }: ShownBy['useToolCallMutation']) => `${status}: ${call?.phase}`
      const first = [ECHO, refused].map((options) => mount('useToolCallMutation', options, text))
      const beside = [ECHO, refused].map((options) => mount('useToolCallMutation', options, text))
      await advance(100)
      await act(() => first[0]?.shown.mutate({ text: 'hi' }))
      await act(() => first[1]?.shown.mutate({}))
      await advance(1000)
      for (const view of first) await view.unmount()
      const later = [ECHO, refused].map((options) => mount('useToolCallMutation', options, text))
      await advance(1000)
      const shown = ['success: completed', 'error: failed']
      expect([beside, later].map((views) => views.map((view) => view.text))).toEqual([shown, shown])
    },
  },
  {
    name: 'a mutation with a key shows the newest call of another tab, and its own again once it makes one',
    async run(world) {
      const other = world.openTab()
      const view = world.mount('useToolCallMutation', WEEKLY, show)
      await world.advance(100)
      const work = { name: 'work', arguments: { seconds: 1 } }
      await world.act(() => void other.startToolCall(work, { key: 'weekly', repeat: 'settled' }))
      await world.advance(500)
      expect(view.text).toBe('pending: working undefined')
      await world.advance(2500)
      expect(view.text).toBe('success: completed {"seconds":1}')
      await world.act(() => view.shown.mutate({ seconds: 2 }))
      await world.advance(4000)
      expect(view.text).toBe('success: completed {"seconds":2}')
    },
  },
  {
    name: 'a mutation of which only the call is read shows it, also where a reload came in between',
    client: { resume: 'lazy' },
    async run(world) {
      const phase = ({ call }: ShownBy['useToolCallMutation']) => `${call?.phase}`
      const [plain, keyed] = [{ name: 'work' }, WEEKLY].map((options) =>
        world.mount('useToolCallMutation', options, phase),
      )
      await world.act(() => plain?.shown.mutate({ seconds: 60 }))
      await world.act(() => keyed?.shown.mutate({ seconds: 3 }))
      await world.advance(1500)
      expect([plain?.text, keyed?.text]).toEqual(['working', 'working'])
      await world.reload()
      const view = world.mount('useToolCallMutation', WEEKLY, phase)
      await world.advance(5000)
      expect(view.text).toBe('completed')
    },
  },
  {
    name: 'a mutation shows the call of the key that its options name now',
    async run({ mount, advance, act, client }) {
      const view = mount('useToolCallMutation', WEEKLY, show)
      await act(() => view.shown.mutate({ seconds: 1 }))
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'monthly' }))
      await advance(5000)
      expect(view.text).toBe('success: completed {"seconds":1}')
      await view.change({ name: 'work', key: 'monthly' })
      await advance(100)
      expect(view.text).toBe('success: completed {"seconds":2}')
    },
  },
  {
    name: 'a mutation shows nothing of its key of before beside the call of the key that its options name now',
    async run({ mount, advance, act, client }) {
      const seen: string[] = []
      const view = mount('useToolCallMutation', WEEKLY, (shown) => {
        const { status, data, variables, retry, call } = shown
        const all = [call?.arguments, data?.structuredContent, variables].flatMap((each) => Object.values(each ?? {}))
        seen.push(`${status} of ${[...new Set(all)].join(' and ')}${retry ? ', with retry' : ''}`)
        return show(shown)
      })
      const change = async (key: string) => {
        seen.length = 0
        await view.change({ name: 'work', key })
        await advance(100)
        return [...new Set(seen)].sort()
      }
      await act(() => view.shown.mutate({ seconds: 1 }))
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'monthly' }))
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'yearly' }))
      await advance(6000)
      expect(view.text).toBe('success: completed {"seconds":1}')
      const ended = (seconds: number) => ['idle', 'pending', 'success'].map((status) => `${status} of ${seconds}`)
      expect(ended(2)).toEqual(expect.arrayContaining(await change('monthly')))
      expect(view.text).toBe('success: completed {"seconds":2}')
      expect(ended(3)).toEqual(expect.arrayContaining(await change('yearly')))
      expect(view.text).toBe('success: completed {"seconds":3}')
      expect(await change('never')).toEqual(['idle of '])
      await view.change(WEEKLY)
      await act(() => view.shown.mutate({ seconds: 4 }))
      expect(ended(2)).toEqual(expect.arrayContaining(await change('monthly')))
      expect(view.text).toBe('success: completed {"seconds":2}')
    },
  },
  {
    name: 'a mutation whose key comes back shows the call of it at once',
    async run({ mount, act, advance, server }) {
      const view = mount('useToolCallMutation', WEEKLY, show)
      await act(() => view.shown.mutate({ seconds: 3 }))
      await advance(1500)
      await view.change({ name: 'work' })
      expect(view.text).toBe('idle: undefined undefined')
      await view.change(WEEKLY)
      expect(view.text).toBe('pending: working undefined')
      await advance(4000)
      expect(view.text).toBe('success: completed {"seconds":3}')
      expect(server.count('tools/call')).toBe(1)
    },
  },
  {
    name: 'a mutation keeps showing the outcome of an earlier visit when another option changes',
    async run(world) {
      const before = world.mount('useToolCallMutation', WEEKLY, show)
      await world.act(() => before.shown.mutate({ seconds: 1 }))
      await world.advance(3000)
      await world.reload()
      const seen: string[] = []
      const view = world.mount('useToolCallMutation', WEEKLY, (shown) => {
        seen.push(shown.status)
        return show(shown)
      })
      await world.advance(1000)
      expect(view.text).toBe('success: completed {"seconds":1}')
      seen.length = 0
      await view.change({ ...WEEKLY, mutation: { gcTime: 1000 } })
      await world.advance(1000)
      expect(seen.filter((status) => status !== 'success')).toEqual([])
    },
  },
  {
    name: 'reset() of a mutation takes the outcome of an earlier visit off the screen, until there is a newer call',
    async run(world) {
      const before = world.mount('useToolCallMutation', WEEKLY, show)
      await world.act(() => before.shown.mutate({ seconds: 1, outcome: 'failure' }))
      await world.advance(3000)
      await world.reload()
      const view = world.mount('useToolCallMutation', WEEKLY, show)
      await world.advance(1000)
      expect(view.shown.error).toBeInstanceOf(TaskFailedError)
      await world.act(() => view.shown.reset())
      await world.advance(1000)
      expect(view.shown).toMatchObject({ status: 'idle', isIdle: true, isError: false, error: null })
      const work = { name: 'work', arguments: { seconds: 1 } }
      await world.act(() => void world.openTab().startToolCall(work, { key: 'weekly', repeat: 'settled' }))
      await world.advance(3000)
      expect(view.text).toBe('success: completed {"seconds":1}')
    },
  },
  {
    name: 'reset() of a mutation shows nothing of a call that still runs, and another call is shown',
    async run(world) {
      await world.act(() => world.client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'weekly' }))
      const view = world.mount('useToolCallMutation', WEEKLY, ({ status }) => status)
      await world.advance(500)
      expect(view.text).toBe('pending')
      await world.act(() => view.shown.reset())
      await world.advance(5000)
      expect(view.text).toBe('idle')
      await world.act(() => view.shown.mutate({ seconds: 1 }))
      await world.advance(3000)
      expect(view.text).toBe('success')
    },
  },
  {
    name: 'a mutation without a key that is idle again has no call',
    async run({ mount, advance, act }) {
      const views = [mount('useToolCallMutation', { name: 'work' }, show), mount('useToolCallMutation', WEEKLY, show)]
      for (const view of views) await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(3000)
      await act(() => views[0]?.shown.reset())
      await views[1]?.change({ name: 'work' })
      expect(views.map(({ text }) => text)).toEqual(Array(2).fill('idle: undefined undefined'))
    },
  },
  {
    name: 'retry of a mutation calls the tool again with the same arguments, once it has called it',
    async run({ mount, advance, act, server }) {
      const view = mount('useToolCallMutation', WEEKLY, show)
      expect(view.shown.retry).toBeUndefined()
      await act(() => view.shown.mutate({ seconds: 1, outcome: 'failure' }))
      await advance(5000)
      expect(view.shown.error).toBeInstanceOf(TaskFailedError)
      await act(() => view.shown.retry?.())
      await advance(5000)
      const calls = server.requests.filter(({ method }) => method === 'tools/call')
      expect(calls.map(({ params }) => params?.['arguments'])).toEqual([
        { seconds: 1, outcome: 'failure' },
        { seconds: 1, outcome: 'failure' },
      ])
    },
  },
  {
    name: 'cancel() of a mutation cancels its call',
    async run({ mount, advance, act }) {
      const view = mount('useToolCallMutation', { name: 'work' }, show)
      await act(() => view.shown.mutate({ seconds: 60 }))
      await advance(1500)
      await act(() => view.shown.cancel())
      await advance(2000)
      expect(view.text).toBe('error: cancelled undefined')
      expect(view.shown.error).toMatchObject({ name: 'TaskCancelledError' })
    },
  },
  {
    name: 'onSettled of a mutation without a key is called for each of its calls, and for no other',
    async run({ mount, advance, act, client }) {
      const onSettled = vi.fn()
      const view = mount('useToolCallMutation', { name: 'work', onSettled })
      await act(() => view.shown.mutate({ seconds: 3 }))
      await act(() => view.shown.mutate({ seconds: 1, outcome: 'failure' }))
      client.startToolCall({ name: 'work', arguments: { seconds: 2 } })
      await advance(8000)
      expect(onSettled.mock.calls.map(([call]) => [call.phase, call.arguments.seconds])).toEqual([
        ['failed', 1],
        ['completed', 3],
      ])
    },
  },
  {
    name: 'onSettled of a mutation is called for the calls of the client that its options name now',
    async run(world) {
      const client = world.openElsewhere()
      const onSettled = vi.fn()
      const view = world.mount('useToolCallMutation', { ...WEEKLY, onSettled })
      await view.change({ ...WEEKLY, onSettled, client } as never)
      await world.act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'weekly' }))
      await world.advance(4000)
      expect(onSettled).toHaveBeenCalledOnce()
    },
  },
  {
    name: 'an outcome that was dismissed stays so when the key of the mutation changes and comes back',
    async run({ mount, advance, act }) {
      const view = mount('useToolCallMutation', WEEKLY, show)
      await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(4000)
      await act(() => view.shown.reset())
      await advance(100)
      await view.change({ ...WEEKLY, key: 'daily' })
      await advance(100)
      await view.change(WEEKLY)
      await advance(100)
      expect(view.text).toBe('idle: completed undefined')
    },
  },
  {
    name: 'a press that was refused is over when the key of the mutation changes and comes back: the call that runs is shown',
    async run({ mount, advance, act, client }) {
      await act(() => void client.startToolCall({ name: 'work', arguments: { seconds: 8 } }, { key: 'weekly' }))
      const view = mount('useToolCallMutation', WEEKLY, show)
      await advance(1500)
      await act(() => view.shown.mutate({ seconds: 1 }))
      await advance(100)
      expect(view.text).toBe('error: working undefined')
      await view.change({ ...WEEKLY, key: 'daily' })
      await advance(100)
      await view.change(WEEKLY)
      await advance(100)
      expect(view.text).toBe('pending: working undefined')
    },
  },
  {
    name: 'an outcome that was dismissed before it was looked for is not shown',
    async run({ mount, advance, act }) {
      const before = mount('useToolCallMutation', WEEKLY, show)
      await act(() => before.shown.mutate({ seconds: 1 }))
      await advance(4000)
      await before.unmount()
      const view = mount('useToolCallMutation', WEEKLY, show)
      await act(() => view.shown.reset())
      await advance(1000)
      expect(view.text).toBe('idle: completed undefined')
    },
  },
  {
    name: 'a press whose onMutate is awaited while the key changes leaves the outcome of the other key',
    async run({ mount, advance, act, openTab }) {
      let go = () => {}
      const onMutate = () =>
        new Promise<void>((resolve) => {
          go = resolve
        })
      const options = (key: string) => ({ name: 'work', key, mutation: { onMutate } })
      const view = mount('useToolCallMutation', options('weekly'), show)
      const other = openTab()
      await act(() => void other.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'daily' }))
      await advance(4000)
      await act(() => view.shown.mutate({ seconds: 2 }))
      await view.change(options('daily'))
      await advance(500)
      expect(view.text).toBe('success: completed {"seconds":1}')
      await act(() => go())
      await advance(500)
      expect(view.text).toBe('success: completed {"seconds":1}')
    },
  },
]
