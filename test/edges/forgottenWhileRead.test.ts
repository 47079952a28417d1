import type { TaskClient, TaskStorage } from 'taskwire'
import { createSimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { created, createScriptedServer, snapshot } from '../support/scriptedServer.js'

const SECOND = 1000

/** A storage that two pages share. */
function shared(items: Map<string, string>): TaskStorage {
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => [...items.keys()],
  }
}

// resumeToolCalls()  reads the names ─ reads the records ─────────── follows none of them
// forget()                                   removes them
it.each(['the page itself', 'another tab'])(
  '[EDGE-14] calls that %s forgets while they are read are not resumed',
  async (who) => {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now })
    server.on('tools/call', created({ ttlMs: null }))
    server.on('tasks/get', snapshot({ ttlMs: null }))
    const items = new Map<string, string>()
    const open = (page: SimulatedPage, storage: TaskStorage): TaskClient => {
      const environment = { ...page.environment, fetch: server.fetch }
      return createTaskClient({ url: 'http://localhost/mcp', environment, push: false, storage })
    }
    const earlier = browser.openPage()
    const { callId } = open(earlier, shared(items)).startToolCall({ name: 'report' }, { key: 'weekly' })
    await browser.advance(SECOND)
    await earlier.close()

    let read = () => {}
    const storage = shared(items)
    const slow: TaskStorage = {
      ...storage,
      getItem: (key) => {
        const text = items.get(key)
        return new Promise((resolve) => {
          read = () => resolve(text)
        })
      },
    }
    const a = open(browser.openPage(), slow)
    const b = open(browser.openPage(), storage)
    const resumed = a.resumeToolCalls()
    await browser.settle()
    void (who === 'another tab' ? b : a).forget()
    await browser.settle()
    read()
    await Promise.all([resumed, browser.advance(5 * SECOND)])
    expect(await resumed).toEqual([])
    expect(a.getToolCallState(callId)).toBeUndefined()
    expect([...items.keys()]).toEqual([])
  },
)
