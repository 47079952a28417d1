import { createSimulatedBrowser, createSimulatedEnvironment, type SimulatedPage } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'

const session = (page: SimulatedPage) => page.environment.storage('session')

it('[EDGE-25] the simulated browser gives each page a sessionStorage of its own, and all pages one localStorage', () => {
  const browser = createSimulatedBrowser()
  const [a, b] = [browser.openPage(), browser.openPage()]
  session(a)?.setItem('key', 'of a')
  a.environment.storage('local')?.setItem('key', 'of both')
  expect(session(a)?.getItem('key')).toBe('of a')
  expect(session(b)?.getItem('key')).toBeNull()
  expect(session(b)?.length).toBe(0)
  expect(b.environment.storage('local')?.getItem('key')).toBe('of both')
})

it('[EDGE-25] the page after a reload has the sessionStorage of the page before, which is gone', async () => {
  const browser = createSimulatedBrowser()
  const before = browser.openPage()
  session(before)?.setItem('key', 'kept')
  const after = await before.reload()
  expect(session(after)?.getItem('key')).toBe('kept')
  session(before)?.setItem('key', 'of a page that is gone')
  expect(session(after)?.getItem('key')).toBe('kept')
  expect(session(await after.reload())?.getItem('key')).toBe('kept')
})

it('[EDGE-25] a reload fires pagehide and ends the page as close() does', async () => {
  const browser = createSimulatedBrowser()
  const page = browser.openPage()
  let hidden = 0
  page.environment.onPageHide(() => {
    hidden += 1
  })
  page.environment.setTimeout(() => {
    throw new Error('A timer of a page that is gone ran.')
  }, 1000)
  await page.reload()
  await browser.advance(2000)
  expect(hidden).toBe(1)
})

it('[EDGE-25] a page that is closed or crashes loses its sessionStorage', async () => {
  const browser = createSimulatedBrowser()
  for (const end of ['close', 'crash'] as const) {
    const page = browser.openPage()
    session(page)?.setItem('key', 'lost')
    await page[end]()
    expect(session(page)?.getItem('key')).toBeNull()
    expect(session(browser.openPage())?.getItem('key')).toBeNull()
  }
})

it('[EDGE-25] the page of a simulated environment is reloaded alike, and stays without locks and channels', async () => {
  const page = createSimulatedEnvironment()
  session(page)?.setItem('key', 'kept')
  const after = await (await page.reload()).reload()
  expect(session(after)?.getItem('key')).toBe('kept')
  expect(after.environment).toMatchObject({ locks: undefined, channel: undefined })
})

it("[EDGE-25] with storage: 'session' a reload takes the task up, and another tab does not know it", async () => {
  const server = createWorkServer()
  const open = ({ environment }: SimulatedPage) =>
    createTaskClient({ url: server.url, storage: 'session', environment })
  open(server.page).startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'weekly' })
  await server.advance(1500)
  const after = await server.page.reload()
  const other = server.browser.openPage()
  expect(await open(other).resumeToolCalls()).toHaveLength(0)
  expect(await open(after).resumeToolCalls()).toHaveLength(1)
  await server.advance(6000)
  expect(server.count('tools/call')).toBe(1)
})

it('a channel of the simulated browser that is closed is like one of a real browser: it hears nothing more, and must not post', async () => {
  const browser = createSimulatedBrowser()
  const [here, there] = [browser.openPage(), browser.openPage()].map(({ environment }) => environment.channel?.('news'))
  const heard: unknown[] = []
  there?.onMessage((message) => heard.push(message))
  here?.postMessage('before')
  await browser.settle()
  here?.postMessage('on its way')
  there?.close()
  await browser.settle()
  expect(heard).toEqual(['before'])
  expect(() => there?.postMessage('after')).toThrow(expect.objectContaining({ name: 'InvalidStateError' }))
})
