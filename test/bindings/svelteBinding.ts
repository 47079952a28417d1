import { notifyManager, QueryClient, setQueryClientContext } from '@tanstack/svelte-query'
import { flushSync, mount, tick, unmount as unmountComponent } from 'svelte'
import { fromStore, writable } from 'svelte/store'
import type { ElicitationSource } from 'taskwire/forms'
import * as hooks from 'taskwire/svelte'
import { type Binding, FORM_OPTIONS, type Hook, type OptionsOf, type ShownBy, type View } from './binding.js'
import Root from './svelte/Root.svelte'

notifyManager.setScheduler(queueMicrotask)

const HOOKS: Record<Hook, unknown> = {
  ...hooks,
  useElicitationForm: (pending: () => ElicitationSource) => hooks.useElicitationForm(pending, FORM_OPTIONS),
}

export const svelteBinding: Binding = {
  name: 'Svelte',
  openPage(client) {
    const queryClient = new QueryClient()
    const unmounts = new Set<() => Promise<void>>()
    return {
      queryClient,
      mount<H extends Hook>(hook: H, first: OptionsOf[H], show: (shown: ShownBy[H]) => string = () => ''): View<H> {
        const options = writable(first)
        const target = document.createElement('div')
        let result: object | undefined
        let renders = 0
        const read = () => (hook in ONE_VALUE ? (result as { current: ShownBy[H] }).current : result) as ShownBy[H]
        const props = {
          provide: () => {
            setQueryClientContext(queryClient)
            if (client !== undefined) hooks.setTaskClient(client)
          },
          use: HOOKS[hook],
          options: fromStore(options),
          onresult: (made: object) => {
            result = made
          },
          show: () => {
            renders++
            return show(read())
          },
        }
        const component = mount(Root, { target, props })
        flushSync()
        const unmount = async () => {
          unmounts.delete(unmount)
          await unmountComponent(component)
        }
        unmounts.add(unmount)
        return {
          get text() {
            return target.textContent
          },
          get shown() {
            return read()
          },
          get renders() {
            return renders
          },
          async change(next) {
            options.set(next)
            await tick()
          },
          unmount,
        }
      },
      async act(work) {
        await work()
        await tick()
      },
      async close() {
        for (const unmount of unmounts) await unmount()
      },
    }
  },
}

/** Those whose value is read by `current`. */
const ONE_VALUE = {
  useToolCallState: true,
  useToolCalls: true,
  useToolCallGroup: true,
  useInputRequests: true,
  useTaskConnection: true,
}
