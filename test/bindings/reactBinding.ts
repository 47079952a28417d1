import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import type { ElicitationSource } from 'taskwire/forms'
import * as hooks from 'taskwire/react'
import { type Binding, FORM_OPTIONS, type Hook, type OptionsOf, type ShownBy, type View } from './binding.js'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
notifyManager.setScheduler(queueMicrotask)

const HOOKS: Record<Hook, unknown> = {
  ...hooks,
  useElicitationForm: (pending: ElicitationSource) => hooks.useElicitationForm(pending, FORM_OPTIONS),
}

export const reactBinding: Binding = {
  name: 'React',
  openPage(client) {
    const queryClient = new QueryClient()
    const unmounts = new Set<() => Promise<void>>()

    function provide(children: ReactNode): ReactNode {
      const provided = client === undefined ? children : createElement(hooks.TaskClientProvider, { client }, children)
      return createElement(QueryClientProvider, { client: queryClient }, provided)
    }

    return {
      queryClient,
      mount<H extends Hook>(hook: H, first: OptionsOf[H], show: (shown: ShownBy[H]) => string = () => ''): View<H> {
        const element = document.createElement('div')
        const root = createRoot(element)
        const useHook = HOOKS[hook] as (options: OptionsOf[H]) => ShownBy[H]
        let shown: ShownBy[H] | undefined
        let renders = 0
        function Component({ options }: { options: OptionsOf[H] }): string {
          shown = useHook(options)
          renders++
          return show(shown)
        }
        const render = (options: OptionsOf[H]) => root.render(provide(createElement(Component, { options })))
        act(() => render(first))
        const unmount = async () => {
          unmounts.delete(unmount)
          await act(async () => root.unmount())
        }
        unmounts.add(unmount)
        return {
          get text() {
            return element.textContent
          },
          get shown() {
            return shown as ShownBy[H]
          },
          get renders() {
            return renders
          },
          change: (options) => act(async () => render(options)),
          unmount,
        }
      },
      act: (work) =>
        act(async () => {
          await work()
        }),
      async close() {
        for (const unmount of unmounts) await unmount()
      },
    }
  },
}
