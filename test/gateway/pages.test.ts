import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { createTaskClient } from 'taskwire'
import { createTaskGateway } from 'taskwire/gateway'
import { createSimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const URL_OF_GATEWAY = 'http://127.0.0.1:3000/mcp'
const SLOW = { name: 'slow' }
const DONE = { content: [{ type: 'text', text: 'done' }] }

/** A browser, a gateway and a server without tasks behind it, whose tool takes twenty seconds: all by one simulated clock. */
function startBrowser() {
  const fetch: typeof globalThis.fetch = (url, init) => gateway.fetch(new Request(url, init))
  const browser = createSimulatedBrowser({ fetch })
  // A machine of its own, which pages that crash do not take down.
  const { setTimeout, clearTimeout } = browser.openPage().environment
  const runs = vi.fn()
  const stopped = vi.fn()
  const gateway = createTaskGateway({
    clock: { now: browser.now, setTimeout, clearTimeout },
    async transport() {
      const server = new McpServer({ name: 'behind', version: '1' })
      server.registerTool('slow', {}, async ({ mcpReq }) => {
        runs()
        mcpReq.signal.addEventListener('abort', stopped)
        const progressToken = mcpReq._meta?.progressToken ?? ''
        for (let progress = 1; progress <= 4; progress += 1) {
          await new Promise((resolve) => setTimeout(() => resolve(undefined), 5000))
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 4 } })
        }
        return { content: [{ type: 'text', text: 'done' }] }
      })
      const [front, behind] = InMemoryTransport.createLinkedPair()
      await server.connect(behind)
      return front
    },
  })
  onTestFinished(() => gateway.close())
  const open = (page: SimulatedPage, push = true) =>
    createTaskClient({ url: URL_OF_GATEWAY, environment: page.environment, push })
  return { browser, open, runs, stopped }
}

describe('a slow tool of a server without tasks', () => {
  it.each([
    ['before it is a task', 1000],
    ['after it is one', 3000],
  ])('survives a reload, %s', async (_, ms) => {
    const { browser, open, runs } = startBrowser()
    const page = browser.openPage()
    open(page).startToolCall(SLOW, { key: 'slow' })
    await browser.advance(ms)
    const again = open(await page.reload()).startToolCall(SLOW, { key: 'slow' })
    await browser.advance(8000)
    expect(again.getState()).toMatchObject({ phase: 'working', progress: { total: 4 } })
    await browser.advance(20_000)
    expect(again.getState()).toMatchObject({ phase: 'completed', result: DONE })
    expect(runs).toHaveBeenCalledOnce()
  })

  it('is shared by two tabs, and followed by one when the other has crashed', async () => {
    const { browser, open, runs } = startBrowser()
    const [one, two] = [browser.openPage(), browser.openPage()]
    open(one).startToolCall(SLOW, { key: 'slow' })
    await browser.advance(3000)
    const call = open(two).startToolCall(SLOW, { key: 'slow' })
    await browser.advance(1000)
    expect(call.getState().phase).toBe('working')
    await one.crash()
    await browser.advance(30_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: DONE })
    expect(runs).toHaveBeenCalledOnce()
  })

  it('survives a network that is cut', async () => {
    const { browser, open, runs } = startBrowser()
    const page = browser.openPage()
    // A stream in memory is not cut with the network.
    const call = open(page, false).startToolCall(SLOW, { key: 'slow' })
    await browser.advance(3000)
    await page.setOnline(false)
    await browser.advance(30_000)
    expect(call.getState().phase).toBe('working')
    await page.setOnline(true)
    await browser.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: DONE })
    expect(runs).toHaveBeenCalledOnce()
  })

  it('stops when its call is cancelled', async () => {
    const { browser, open, stopped } = startBrowser()
    const call = open(browser.openPage()).startToolCall(SLOW)
    await browser.advance(3000)
    void call.cancel()
    await browser.advance(2000)
    expect(call.getState().phase).toBe('cancelled')
    expect(stopped).toHaveBeenCalledOnce()
  })
})
