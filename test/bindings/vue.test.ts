import { createTaskClient } from 'taskwire'
import { taskClientPlugin, useToolCalls } from 'taskwire/vue'
import { expect, it } from 'vitest'
import { createApp, createSSRApp, defineComponent, effectScope, h, isProxy, reactive, ref } from 'vue'
import { createWorkServer } from '../support/workServer.js'
import { describeBinding } from './contract.js'
import { vueBinding } from './vueBinding.js'

describeBinding(vueBinding)

it('shows results as what they are, no proxies of them, also of a client that stands in reactive state', async () => {
  const server = createWorkServer()
  const { environment } = server.browser.openPage()
  const state = reactive({ client: createTaskClient({ url: server.url, environment }) })
  const view = vueBinding.openPage(undefined).mount('useToolCall', {
    name: 'work',
    arguments: { seconds: 1 },
    client: state.client,
  } as never)
  await server.advance(5000)
  expect(view.shown.data?.structuredContent).toEqual({ seconds: 1 })
  expect([isProxy(view.shown.data), isProxy(view.shown.call)]).toEqual([false, false])
  await view.unmount()
})

it.each([
  ['mounted', createApp],
  ['hydrated', createSSRApp],
])('a list in a scope of its own, as of a store, outlives the component that used it first: %s', async (_, create) => {
  const server = createWorkServer()
  const client = createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
  const scope = effectScope(true)
  let calls: ReturnType<typeof useToolCalls> | undefined
  const First = defineComponent(() => {
    calls ??= scope.run(() => useToolCalls())
    return () => h('p', 'first')
  })
  const isOpen = ref(true)
  const container = document.createElement('div')
  container.innerHTML = create === createSSRApp ? '<div><p>first</p></div>' : ''
  const app = create(() => h('div', isOpen.value ? [h(First)] : []))
  app.use(taskClientPlugin(client)).mount(container)
  isOpen.value = false
  await server.advance(100)
  client.startToolCall({ name: 'work', arguments: { seconds: 60 } })
  await server.advance(500)
  expect(calls?.value).toHaveLength(1)
  scope.stop()
  app.unmount()
})
