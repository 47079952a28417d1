import { createTaskClient } from 'taskwire'
import { expect, it } from 'vitest'
import { isProxy, reactive } from 'vue'
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
