import { notifyManager, QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import type { ElicitationSource } from 'taskwire/forms'
import * as hooks from 'taskwire/vue'
import { createApp, defineComponent, isRef, nextTick, proxyRefs, shallowRef } from 'vue'
import { type Binding, FORM_OPTIONS, type Hook, type OptionsOf, type ShownBy, type View } from './binding.js'

// vue-query tells components by a timer of the machine, which no simulated clock moves.
notifyManager.setScheduler(queueMicrotask)

const HOOKS: Record<Hook, unknown> = {
  ...hooks,
  useElicitationForm: (pending: () => ElicitationSource) => hooks.useElicitationForm(pending, FORM_OPTIONS),
}

export const vueBinding: Binding = {
  name: 'Vue',
  openPage(client) {
    const queryClient = new QueryClient()
    const unmounts = new Set<() => Promise<void>>()
    return {
      queryClient,
      mount<H extends Hook>(hook: H, first: OptionsOf[H], show: (shown: ShownBy[H]) => string = () => ''): View<H> {
        const options = shallowRef(first)
        const useHook = HOOKS[hook] as (options: () => OptionsOf[H]) => object
        let result: object | undefined
        let renders = 0
        const read = () => (isRef(result) ? result.value : proxyRefs(result as object)) as ShownBy[H]
        const Component = defineComponent(() => {
          result = useHook(() => options.value)
          return () => {
            renders++
            return show(read())
          }
        })
        const element = document.createElement('div')
        const app = createApp(Component)
        app.config.warnHandler = (message) => {
          if (!message.startsWith('Unhandled error')) throw new Error(message)
        }
        app.use(VueQueryPlugin, { queryClient })
        if (client !== undefined) app.use(hooks.taskClientPlugin(client))
        app.mount(element)
        const unmount = async () => {
          unmounts.delete(unmount)
          app.unmount()
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
          async change(next) {
            options.value = next
            await nextTick()
          },
          unmount,
        }
      },
      async act(work) {
        await work()
        await nextTick()
      },
      async close() {
        for (const unmount of unmounts) await unmount()
      },
    }
  },
}
