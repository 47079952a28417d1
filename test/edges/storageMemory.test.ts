import type { TaskClient, TaskClientUrlOptions } from 'taskwire'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'

const SECOND = 1000
const WORK = { name: 'work', arguments: { seconds: 1, quiet: true } }
const ECHO = { name: 'echo', arguments: { text: 'hi' } }
/** Ended calls that a page keeps. */
const KEPT = 200

let server: TestServer
let client: TaskClient

beforeEach(() => {
  server = createWorkServer()
  client = openPage()
})

function openPage(options: Partial<TaskClientUrlOptions> = {}): TaskClient {
  return createTaskClient({
    url: server.url,
    environment: server.browser.openPage().environment,
    crossTab: false,
    push: false,
    ...options,
  })
}

const shown = () => Object.keys(client.store.getState().calls)

/** Makes so many calls with a key each, and lets them end. */
async function call(count: number, params = ECHO, prefix = 'k'): Promise<void> {
  const calls = Array.from({ length: count }, (_, index) => client.callTool(params, { key: `${prefix}${index}` }))
  await server.advance(3 * SECOND)
  await Promise.all(calls)
}

describe('calls with a key that have ended', () => {
  it('[EDGE-11] leave memory, the oldest first, beyond the latest 200', async () => {
    await call(KEPT + 50)
    expect(shown()).toHaveLength(KEPT)
    expect(client.getToolCall(client.toolCallId('echo', 'k49'))).toBeUndefined()
    expect(client.getToolCall(client.toolCallId('echo', 'k50'))).toBeDefined()
  })

  it('[EDGE-11] stay as long as the page where they are not that many', async () => {
    await call(KEPT)
    await server.advance(24 * 60 * 60 * SECOND)
    const again = client.startToolCall(ECHO, { key: 'k0' })
    await expect(again.result).resolves.toMatchObject({ content: [{ text: 'hi' }] })
    expect(server.count('tools/call')).toBe(KEPT)
  })

  it('[EDGE-11] are asked of the server by their record where they have left memory: no tool runs twice', async () => {
    const first = client.startToolCall(WORK, { key: 'report' })
    await server.advance(3 * SECOND)
    await call(KEPT)
    expect(client.getToolCall(first.callId)).toBeUndefined()
    const calls = server.count('tools/call')
    const polls = server.count('tasks/get')
    const again = client.startToolCall(WORK, { key: 'report' })
    await server.advance(SECOND)
    await expect(again.result).resolves.toEqual(await first.result)
    expect(server.count('tools/call')).toBe(calls)
    expect(server.count('tasks/get')).toBe(polls + 1)
  })

  it('[EDGE-11] are made again where they were answered at once and have left memory: nothing leads back', async () => {
    await call(KEPT + 1)
    const again = client.startToolCall(ECHO, { key: 'k0' })
    await server.advance(SECOND)
    await again.result
    expect(server.count('tools/call')).toBe(KEPT + 2)
  })

  it('[EDGE-11] stay where all that ended before are subscribed to', async () => {
    await call(KEPT)
    for (const callId of shown()) client.subscribeToolCall(callId, () => {})
    await call(2, ECHO, 'later')
    await call(2, ECHO, 'later')
    expect(server.count('tools/call')).toBe(KEPT + 2)
    await call(KEPT, ECHO, 'last')
    expect(shown()).toHaveLength(2 * KEPT)
  })

  it('[EDGE-11] stay in a group with a filter while somebody subscribes to it', async () => {
    const group = client.toolCalls({ filter: ({ meta }) => meta?.['batch'] === 'reports' })
    const stop = group.subscribe(() => {})
    for (let index = 0; index < KEPT + 50; index++) {
      const made = client.startToolCall(index < 10 ? { name: 'nope' } : ECHO, {
        key: `r${index}`,
        meta: { batch: 'reports' },
      })
      made.result.catch(() => {})
    }
    await server.advance(3 * SECOND)
    const total = KEPT + 50
    expect(group.getState()).toMatchObject({ completed: total - 10, failed: 10, progress: { progress: total, total } })
    stop()
    await call(1, ECHO, 'other')
    expect(shown()).toHaveLength(KEPT)
  })

  it('[EDGE-11] stay while somebody subscribes to them', async () => {
    const watched = client.startToolCall(ECHO, { key: 'watched' })
    await server.advance(SECOND)
    const listener = vi.fn()
    const unsubscribe = watched.subscribe(listener)
    await call(KEPT + 50)
    expect(client.getToolCall(watched.callId)).toBeDefined()
    expect(shown()).toContain(watched.callId)
    unsubscribe()
    await call(1, ECHO, 'next')
    expect(client.getToolCall(watched.callId)).toBeUndefined()
    expect(shown().length).toBeLessThanOrEqual(KEPT)
    expect(listener).not.toHaveBeenCalled()
  })

  it('[EDGE-11] keep their last state and their result for handles', async () => {
    const held = client.startToolCall(ECHO, { key: 'held' })
    await call(KEPT + 50)
    expect(client.getToolCall(held.callId)).toBeUndefined()
    expect(held.getState()).toMatchObject({ phase: 'completed', result: { content: [{ text: 'hi' }] } })
    await expect(held.result).resolves.toMatchObject({ content: [{ text: 'hi' }] })
  })

  it('[EDGE-11] leave alone what runs: 250 calls at work are all there', async () => {
    const calls = Array.from({ length: KEPT + 50 }, (_, index) =>
      client.startToolCall({ name: 'work', arguments: { seconds: 60, quiet: true } }, { key: `w${index}` }),
    )
    await server.advance(3 * SECOND)
    expect(shown()).toHaveLength(KEPT + 50)
    for (const { getState } of calls) expect(getState().phase).toBe('working')
    await client.close()
  })
})

it('[EDGE-11] calls without a key leave memory beyond the latest 200 that have ended, within five minutes, too', async () => {
  const calls = Array.from({ length: KEPT + 50 }, () => client.callTool(ECHO))
  await server.advance(SECOND)
  await Promise.all(calls)
  expect(shown()).toHaveLength(KEPT)
})

it('[EDGE-11] calls that other tabs have made leave memory the same way', async () => {
  client = openPage({ crossTab: true })
  await client.resumeToolCalls()
  const other = openPage({ crossTab: true })
  const calls = Array.from({ length: KEPT + 20 }, (_, index) => other.callTool(WORK, { key: `k${index}` }))
  await server.advance(3 * SECOND)
  await Promise.all(calls)
  expect(shown()).toHaveLength(KEPT)
})

describe('close()', () => {
  it('[EDGE-11] lets every call go, those at work included; handles keep what they had', async () => {
    const done = client.startToolCall(ECHO, { key: 'k' })
    const running = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
    running.result.catch(() => {})
    await server.advance(SECOND)
    await client.close()
    expect(shown()).toEqual([])
    for (const { callId } of [done, running]) expect(client.getToolCall(callId)).toBeUndefined()
    expect(done.getState().phase).toBe('completed')
    expect(running.getState().phase).toBe('working')
    await expect(running.result).rejects.toMatchObject({ name: 'AbortError' })
  })
})
