import { mountTaskwireDevtools, type TaskwireDevtools } from 'taskwire/devtools'
import { afterEach, expect, it, vi } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { simulateFrames } from '../support/simulatedFrames.js'
import { createWorkServer } from '../support/workServer.js'

let mounted: TaskwireDevtools | undefined

afterEach(() => {
  mounted?.unmount()
  sessionStorage.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('the devtools show and cancel the calls of a page with a backend, and have no polls or messages of them', async () => {
  const { draw } = simulateFrames()
  const server = createWorkServer({ browser: { turns: 60 } })
  vi.spyOn(Date, 'now').mockImplementation(() => server.browser.now())
  const { client } = createBridgedBackend(server).openPage()
  mounted = mountTaskwireDevtools([client], { initialIsOpen: true })
  async function advance(ms: number): Promise<void> {
    await server.advance(ms)
    draw()
  }
  const panel = document.querySelector('taskwire-devtools')?.shadowRoot as ShadowRoot
  const text = (selector: string) => panel.querySelector(selector)?.textContent
  const click = (name: string) => {
    const found = [...panel.querySelectorAll('button')].find(({ textContent }) => textContent === name)
    found?.click()
  }

  client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'weekly' }).result.catch(() => {})
  await advance(3000)
  expect(text('[role=option]')).toMatch(/work.*working/)
  expect(text('.facts')).toMatch(/Toolwork.*Keyweekly/)
  click('Cancel')
  await advance(5000)
  expect(text('[role=option]')).toMatch(/work.*cancelled/)
  click('Wire')
  await advance(100)
  expect(text('.wires')).toContain('Nothing has been sent yet.')
  expect(panel.querySelectorAll('.wires [role=option]')).toHaveLength(0)
})
