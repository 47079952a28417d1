import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/solid-query'
import { createComponent, createRenderEffect, createSignal, type JSX } from 'solid-js'
import { render } from 'solid-js/web'
import type { ElicitationSource } from 'taskwire/forms'
import * as hooks from 'taskwire/solid'
import { type Binding, FORM_OPTIONS, type Hook, type OptionsOf, type ShownBy, type View } from './binding.js'

notifyManager.setScheduler(queueMicrotask)

const HOOKS: Record<Hook, unknown> = {
  ...hooks,
  useElicitationForm: (pending: () => ElicitationSource) => hooks.useElicitationForm(pending, FORM_OPTIONS),
}

export const solidBinding: Binding = {
  name: 'Solid',
  openPage(client) {
    const queryClient = new QueryClient()
    const unmounts = new Set<() => Promise<void>>()

    /** What JSX would be compiled to. */
    function provide(Component: () => JSX.Element): JSX.Element {
      return createComponent(QueryClientProvider, {
        client: queryClient,
        get children() {
          if (client === undefined) return createComponent(Component, {})
          return createComponent(hooks.TaskClientProvider, {
            client,
            get children() {
              return createComponent(Component, {})
            },
          })
        },
      })
    }

    return {
      queryClient,
      mount<H extends Hook>(hook: H, first: OptionsOf[H], show: (shown: ShownBy[H]) => string = () => ''): View<H> {
        const element = document.createElement('div')
        const [options, setOptions] = createSignal(first)
        const useHook = HOOKS[hook] as (options: () => OptionsOf[H]) => ShownBy[H] | (() => ShownBy[H])
        let result: ShownBy[H] | (() => ShownBy[H])
        let renders = 0
        const read = () => (typeof result === 'function' ? (result as () => ShownBy[H])() : result)
        const Component = () => {
          result = useHook(options)
          const text = document.createTextNode('')
          createRenderEffect(() => {
            renders++
            text.data = show(read())
          })
          return text
        }
        const dispose = render(() => provide(Component), element)
        const unmount = async () => {
          unmounts.delete(unmount)
          dispose()
        }
        unmounts.add(unmount)
        return {
          get text() {
            return element.textContent
          },
          get shown() {
            return read()
          },
          get renders() {
            return renders
          },
          change: async (next) => void setOptions(() => next),
          unmount,
        }
      },
      act: async (work) => void (await work()),
      async close() {
        for (const unmount of unmounts) await unmount()
      },
    }
  },
}
