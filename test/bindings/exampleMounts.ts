import { resolve } from 'node:path'
import { notifyManager as notifySolid, QueryClientProvider, QueryClient as SolidQueries } from '@tanstack/solid-query'
import {
  notifyManager as notifySvelte,
  QueryClient as SvelteQueries,
  setQueryClientContext,
} from '@tanstack/svelte-query'
import { notifyManager as notifyVue, QueryClient as VueQueries, VueQueryPlugin } from '@tanstack/vue-query'
import { createComponent, type Component as SolidComponent } from 'solid-js'
import { render } from 'solid-js/web'
import { flushSync, mount, unmount } from 'svelte'
import type { TaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/solid'
import { setTaskClient } from 'taskwire/svelte'
import { taskClientPlugin } from 'taskwire/vue'
import { createApp } from 'vue'
import Provided from './svelte/Provided.svelte'

for (const notifyManager of [notifyVue, notifySvelte, notifySolid]) notifyManager.setScheduler(queueMicrotask)

/** Shows a component of docs/examples in `parent`. Returns a function that takes it away. */
export type MountExample = (
  path: string,
  props: Record<string, unknown>,
  client: TaskClient,
  parent: HTMLElement,
) => Promise<() => unknown>

/** By a name that no compiler follows: these are files of three frameworks. */
const load = (path: string) => import(resolve('docs/examples', path))

export const mounts: Record<'Vue' | 'Svelte' | 'Solid', MountExample> = {
  async Vue(path, props, client, parent) {
    const app = createApp((await load(`${path}.vue`)).default, props)
    app.config.warnHandler = (message) => {
      throw new Error(message)
    }
    app.use(VueQueryPlugin, { queryClient: new VueQueries() }).use(taskClientPlugin(client)).mount(parent)
    return () => app.unmount()
  },
  async Svelte(path, props, client, target) {
    const provide = () => {
      setQueryClientContext(new SvelteQueries())
      setTaskClient(client)
    }
    const component = (await load(`${path}.svelte`)).default
    const mounted = mount(Provided, { target, props: { provide, component, props } })
    flushSync()
    return () => unmount(mounted)
  },
  async Solid(path, props, client, parent) {
    const components: Record<string, SolidComponent> = await load(`${path}.solid.tsx`)
    const Component = components[path.slice(path.lastIndexOf('/') + 1)] as SolidComponent
    const queries = new SolidQueries()
    const provided = () =>
      createComponent(QueryClientProvider, {
        client: queries,
        get children() {
          return createComponent(TaskClientProvider, {
            client,
            get children() {
              return createComponent(Component, props)
            },
          })
        },
      })
    return render(provided, parent)
  },
}
