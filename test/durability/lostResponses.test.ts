import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { created, http, type Reply, result, silence, snapshot, unreachable } from '../support/scriptedServer.js'
import { createVisits, knowsKeys, startReport } from '../support/visits.js'

const answered = result({ content: [{ type: 'text', text: 'done' }] })
/** A task without an id. */
const broken: Reply = result({ resultType: 'task', status: 'working' })
const interrupted = { name: 'ToolCallInterruptedError' }

/** A server that knows calls by their keys, and answers `tools/call` so. */
function setUp(replies: [Reply, ...Reply[]], keyTtlMs?: number) {
  const visits = createVisits(createTaskClient, knowsKeys(keyTtlMs))
  visits.server.on('tools/call', ...replies)
  visits.server.on('tasks/get', snapshot())
  return visits
}

describe('a call whose response is lost, on a server that knows calls by their keys', () => {
  it('[DUR-04] is sent again under the same key until it is answered, and says so', async () => {
    const visits = setUp([unreachable, unreachable, answered])
    const visit = visits.open()
    const call = startReport(visit)
    await visits.browser.settle()
    expect(call.getState()).toMatchObject({
      phase: 'calling',
      network: 'retrying',
      failureCount: 1,
      lastError: interrupted,
    })
    expect(visits.records()).toMatchObject([{ idempotencyKey: visits.callKeys()[0] }])
    await visits.browser.advance(60_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', network: 'ok', failureCount: 0 })
    expect(visits.keys()).toEqual([])
    expect(new Set(visits.callKeys()).size).toBe(1)
    expect(String(visits.callKeys()[0]).length).toBeGreaterThanOrEqual(16)
    // Half of 500 ms and of 1 s, by the random number of the simulated browser.
    expect(visits.times('tools/call')).toEqual([0, 250, 750])
    expect(visit.page.timers()).toBe(0)
  })

  it('[DUR-35] waits offline, and says so', async () => {
    const visits = setUp([unreachable, answered])
    const visit = visits.open()
    const call = startReport(visit)
    await visits.browser.settle()
    await visit.page.setOnline(false)
    await visits.browser.advance(60_000)
    expect(call.getState()).toMatchObject({ phase: 'calling', network: 'offline', failureCount: 1 })
    expect(visits.times('tools/call')).toEqual([0])
    await visit.page.setOnline(true)
    await visits.browser.settle()
    expect(call.getState()).toMatchObject({ phase: 'completed', network: 'ok' })
  })

  it.each([
    ['retry.maxAttempts', { retry: { maxAttempts: 3 } }],
    ['callTimeoutMs', { callTimeoutMs: 700 }],
  ])('[DUR-34] is interrupted after %s, and leaves its key', async (_, options) => {
    const visits = setUp([unreachable])
    const call = startReport(visits.open(options))
    await visits.browser.advance(600_000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: interrupted })
    expect(visits.times('tools/call')).toEqual([0, 250, 750])
    expect(visits.records()).toMatchObject([{ idempotencyKey: visits.callKeys()[0] }])
  })

  it('[DUR-71] is interrupted once the server may have forgotten the key', async () => {
    const visits = setUp([unreachable, unreachable, answered], 700)
    const call = startReport(visits.open())
    await visits.browser.advance(60_000)
    expect(visits.times('tools/call')).toEqual([0, 250])
    expect(call.getState()).toMatchObject({ phase: 'failed', error: interrupted })
  })

  it('[DUR-92] is interrupted at once where the server asks for longer than callTimeoutMs leaves', async () => {
    const visits = setUp([http(503, { headers: { 'Retry-After': '7' } })])
    const visit = visits.open({ callTimeoutMs: 7000 })
    const call = startReport(visit)
    await visits.browser.settle()
    expect(visits.times('tools/call')).toEqual([0])
    expect(call.getState()).toMatchObject({ phase: 'failed', error: interrupted })
    expect(visits.records()).toMatchObject([{ idempotencyKey: visits.callKeys()[0] }])
    await visits.browser.advance(60_000)
    expect(visits.times('tools/call')).toEqual([0])
    expect(visit.page.timers()).toBe(0)
  })

  it('[DUR-93] is sent again after a response that breaks the protocol, and fails with the third in a row', async () => {
    const good = setUp([broken, broken, unreachable, broken, broken, created()])
    const call = startReport(good.open())
    await good.browser.advance(60_000)
    expect(call.getState().phase).toBe('working')
    expect(good.callKeys()).toHaveLength(6)
    expect(new Set(good.callKeys()).size).toBe(1)

    const bad = setUp([broken])
    const lost = startReport(bad.open())
    await bad.browser.advance(60_000)
    expect(lost.getState()).toMatchObject({ phase: 'failed', error: { name: 'TaskProtocolError' } })
    expect(bad.callKeys()).toHaveLength(3)
    // The tool may be running: a call that is made again asks for the same one.
    expect(bad.records()).toMatchObject([{ idempotencyKey: bad.callKeys()[0] }])
  })
})

describe('a call whose response was lost before a reload', () => {
  it.each([
    ['has forgotten its key', 5000],
    ['takes no keys any longer', 0],
  ])('[DUR-70] is interrupted, and nothing is sent, where the server %s', async (_, keyTtlMs) => {
    const visits = setUp([silence])
    const first = visits.open()
    startReport(first)
    await visits.browser.advance(9000)
    const [record] = visits.records()
    visits.server.on(
      'server/discover',
      result({ supportedVersions: ['2026-07-28'], capabilities: knowsKeys(keyTtlMs) }),
    )
    const call = startReport(visits.open({}, await first.page.reload()))
    await visits.browser.advance(60_000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: interrupted })
    expect(visits.count('tools/call')).toBe(1)
    expect(visits.records()).toEqual([record])
  })

  it.each(['too-short', 'x'.repeat(257), 7, {}, null])(
    '[DUR-05] is interrupted, and nothing is sent, where its record has %j for its key',
    async (idempotencyKey) => {
      const visits = setUp([silence])
      const first = visits.open()
      startReport(first)
      await visits.browser.advance(1000)
      const page = await first.page.reload()
      visits.edit((record) => Object.assign(record, { idempotencyKey }))
      const call = startReport(visits.open({}, page))
      await visits.browser.advance(60_000)
      expect(call.getState()).toMatchObject({ phase: 'failed', error: interrupted })
      expect(visits.count('tools/call')).toBe(1)
    },
  )
})
