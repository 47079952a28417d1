import { type App, inject, onMounted, onScopeDispose, type Plugin, provide } from 'vue'
import type { TaskClient } from '../../core/client/taskClient.js'
import { TASK_CLIENT } from './useTaskClient.js'
import { isServer, QueryClient, VUE_QUERY_CLIENT, VueQueryPlugin } from './vueQuery.js'

/**
 * Provides the client to the components below the calling one. With `resume: 'eager'`, it resumes the tasks of earlier
 * visits when the component is mounted. If the app has no QueryClient (`VueQueryPlugin`), it creates one.
 *
 * @example
 * ```ts
 * // in the script setup of App.vue
 * provideTaskClient(createTaskClient({ url: '/mcp' }))
 * ```
 */
export function provideTaskClient(client: TaskClient): void {
  provide(TASK_CLIENT, client)
  onMounted(() => resume(client))
  if (inject(VUE_QUERY_CLIENT, undefined) !== undefined) return
  const queryClient = new QueryClient()
  provide(VUE_QUERY_CLIENT, queryClient)
  if (isServer) return
  queryClient.mount()
  onScopeDispose(() => queryClient.unmount())
}

/**
 * A plugin that provides the client to every component of an app. If the app has its own QueryClient, use `VueQueryPlugin`
 * before this plugin.
 *
 * @example
 * ```ts
 * createApp(App).use(taskClientPlugin(createTaskClient({ url: '/mcp' }))).mount('#app')
 * ```
 */
export function taskClientPlugin(client: TaskClient): Plugin {
  return {
    install(app: App) {
      app.provide(TASK_CLIENT, client)
      const queryClient = app.runWithContext(() => inject(VUE_QUERY_CLIENT, undefined))
      if (queryClient === undefined) app.use(VueQueryPlugin)
      resume(client)
    },
  }
}

function resume(client: TaskClient): void {
  if (!isServer && client.resume === 'eager') void client.resumeToolCalls()
}
