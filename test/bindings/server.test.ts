// @vitest-environment node
import * as reactQuery from '@tanstack/react-query'
import * as solidQuery from '@tanstack/solid-query'
import * as svelteQuery from '@tanstack/svelte-query'
import * as vueQuery from '@tanstack/vue-query'
import { createElement } from 'react'
import { renderToString as renderReact } from 'react-dom/server'
import { createComponent } from 'solid-js'
import { renderToString as renderSolid } from 'solid-js/web'
import { render as renderSvelte } from 'svelte/server'
import { createTaskClient, type TaskClient } from 'taskwire'
import * as react from 'taskwire/react'
import * as solid from 'taskwire/solid'
import * as svelte from 'taskwire/svelte'
import * as vue from 'taskwire/vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSSRApp, defineComponent, proxyRefs } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'
import { callThatAsks, formRequest } from '../support/askingCall.js'
import Root from './svelte/Root.svelte'

const WORK = { name: 'work', arguments: { seconds: 2 } }
const WEEKLY = { name: 'work', key: 'weekly' }

const asking = callThatAsks(formRequest({ type: 'object', properties: {} }))

function shownForm({ kind, status, message }: { kind: string; status: string; message: string }): string {
  return `${kind} ${status} ${message}`
}

const nothing = () => {
  throw new Error('The network was used during server rendering.')
}

/** What every page says: of a query, a mutation with a key, the lists, one call, the connection and a form. */
const EXPECTED = 'pending true,idle undefined,0 calls,0 requests,undefined,idle,form open Deploy it?'

const renderers: Record<string, (client: TaskClient) => Promise<string>> = {
  async React(client) {
    const Page = () => {
      const query = react.useToolCall(WORK)
      const mutation = react.useToolCallMutation(WEEKLY)
      return [
        `${query.status} ${query.isPending}`,
        `${mutation.status} ${mutation.call?.phase}`,
        `${react.useToolCalls().length} calls`,
        `${react.useInputRequests().length} requests`,
        `${react.useToolCallState({ callId: 'a' })?.phase}`,
        react.useTaskConnection().status,
        shownForm(react.useElicitationForm(asking.source)),
      ].join()
    }
    const page = createElement(react.TaskClientProvider, { client }, createElement(Page))
    const queryClient = new reactQuery.QueryClient()
    return renderReact(createElement(reactQuery.QueryClientProvider, { client: queryClient }, page))
  },
  Vue(client) {
    const Page = defineComponent(() => {
      const query = vue.useToolCall(WORK)
      const mutation = vue.useToolCallMutation(WEEKLY)
      const calls = vue.useToolCalls()
      const requests = vue.useInputRequests()
      const call = vue.useToolCallState({ callId: 'a' })
      const connection = vue.useTaskConnection()
      const form = vue.useElicitationForm(asking.source)
      return () =>
        [
          `${query.status.value} ${query.isPending.value}`,
          `${mutation.status.value} ${mutation.call.value?.phase}`,
          `${calls.value.length} calls`,
          `${requests.value.length} requests`,
          `${call.value?.phase}`,
          connection.value.status,
          shownForm(proxyRefs(form)),
        ].join()
    })
    const app = createSSRApp(Page)
    app.use(vueQuery.VueQueryPlugin).use(vue.taskClientPlugin(client))
    return renderVue(app)
  },
  async Svelte(client) {
    const use = () => {
      const query = svelte.useToolCall(() => WORK)
      const mutation = svelte.useToolCallMutation(() => WEEKLY)
      const calls = svelte.useToolCalls()
      const requests = svelte.useInputRequests()
      const call = svelte.useToolCallState(() => ({ callId: 'a' }))
      const connection = svelte.useTaskConnection()
      const form = svelte.useElicitationForm(() => asking.source)
      return () =>
        [
          `${query.status} ${query.isPending}`,
          `${mutation.status} ${mutation.call?.phase}`,
          `${calls.current.length} calls`,
          `${requests.current.length} requests`,
          `${call.current?.phase}`,
          connection.current.status,
          shownForm(form),
        ].join()
    }
    const props = {
      provide: () => {
        svelteQuery.setQueryClientContext(new svelteQuery.QueryClient())
        svelte.setTaskClient(client)
      },
      use,
      onresult: () => {},
      show: (shown: () => string) => shown(),
    }
    return renderSvelte(Root, { props }).body
  },
  async Solid(client) {
    const Page = () => {
      const query = solid.useToolCall(() => WORK)
      const mutation = solid.useToolCallMutation(() => WEEKLY)
      const calls = solid.useToolCalls()
      const requests = solid.useInputRequests()
      const call = solid.useToolCallState(() => ({ callId: 'a' }))
      const connection = solid.useTaskConnection()
      const form = solid.useElicitationForm(() => asking.source)
      return [
        `${query.status} ${query.isPending}`,
        `${mutation.status} ${mutation.call?.phase}`,
        `${calls().length} calls`,
        `${requests().length} requests`,
        `${call()?.phase}`,
        connection().status,
        shownForm(form),
      ].join()
    }
    return renderSolid(() =>
      createComponent(solidQuery.QueryClientProvider, {
        client: new solidQuery.QueryClient(),
        get children() {
          return createComponent(solid.TaskClientProvider, {
            client,
            get children() {
              return createComponent(Page, {})
            },
          })
        },
      }),
    )
  },
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }))
afterEach(() => void vi.useRealTimers())

it.each(Object.keys(renderers))(
  '%s renders the pending state on a server, sends nothing and leaves no timer and no listener',
  async (name) => {
    const client = createTaskClient({
      url: 'http://localhost/mcp',
      resume: 'eager',
      transportOptions: { fetch: nothing },
    })
    const html = await renderers[name]?.(client)
    expect(html?.replaceAll(/<!--.*?-->|<script>.*<\/script>/gs, '')).toBe(EXPECTED)
    // Solid disposes of the page by a timer, and TanStack Query notifies by one.
    vi.runOnlyPendingTimers()
    await Promise.resolve()
    expect(client.store.getState()).toEqual(client.store.getInitialState())
    expect(vi.getTimerCount()).toBe(0)
    expect(asking.listeners.size).toBe(0)
  },
)
