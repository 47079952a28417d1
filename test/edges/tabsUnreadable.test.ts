import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { created, createScriptedServer, type ScriptedServer, snapshot } from '../support/scriptedServer.js'

const SECOND = 1000
const INTERVAL = 3 * SECOND
const EVERY = { pollIntervalMs: INTERVAL }

let browser: SimulatedBrowser
let server: ScriptedServer

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created(EVERY))
  server.on('tasks/get', snapshot(EVERY))
})

async function openTab(): Promise<SimulatedPage> {
  const page = browser.openPage()
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
  })
  client.startToolCall({ name: 'report' }, { key: 'k' }).result.catch(() => {})
  await browser.advance(500)
  return page
}

/** What the browser has stored of the call can be read no longer. */
function damageRecord(): void {
  const { local } = browser.storage
  for (let index = 0; index < local.length; index++) local.setItem(local.key(index) ?? '', '{')
}

const polls = () => server.received('tasks/get').length

// tab A  leads ─────── steals ── the record: unreadable ─────────────── steals ── …
// tab B   the clock jumps ─ steals ── the record: unreadable ── steals ── …
describe('a record that can be read no longer', () => {
  it.each([2.5, 5, 20])(
    '[EDGE-55] does not keep two tabs from polling that take the lead from each other, after a clock set forward by %f s',
    async (seconds) => {
      await openTab()
      const follower = await openTab()
      await browser.advance(5 * SECOND)
      damageRecord()
      // The tab that follows takes the lead: by the clock the poll is overdue, and the timer of the one that leads does not know.
      browser.setClock(seconds * SECOND)
      await follower.setVisible(false)
      await follower.setVisible(true)
      const before = polls()
      await browser.advance(10 * INTERVAL)
      expect(polls() - before).toBeGreaterThanOrEqual(8)
    },
  )
})
