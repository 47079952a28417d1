import { getEventListeners } from 'node:events'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { untilOnline } from './untilOnline.js'

function wait(options: { dueIn?: number; isOffline?: boolean; signal?: AbortSignal } = {}) {
  const page = createSimulatedEnvironment()
  if (options.isOffline) void page.setOnline(false)
  const start = page.now()
  const { dueIn } = options
  const abort = new AbortController()
  const naps: number[] = []
  const listened = { times: 0 }
  const state: { resolvedAt?: number; rejectedWith?: unknown; offline: number } = { offline: 0 }
  const environment = {
    ...page.environment,
    setTimeout: (callback: () => void, delayMs: number) => {
      naps.push(delayMs)
      return page.environment.setTimeout(callback, delayMs)
    },
    onOnlineChange: (listener: () => void) => {
      listened.times += 1
      return page.environment.onOnlineChange(listener)
    },
  }
  untilOnline({
    environment,
    signal: options.signal ?? abort.signal,
    ...(dueIn !== undefined && { dueAt: start + dueIn }),
    onOffline: () => {
      state.offline += 1
    },
  }).then(
    () => Object.assign(state, { resolvedAt: page.now() - start }),
    (rejectedWith: unknown) => Object.assign(state, { rejectedWith }),
  )
  return { page, abort, naps, listened, state }
}

describe('untilOnline', () => {
  it.each([
    ['no time', undefined],
    ['a time that is now', 0],
    ['a time that has passed', -5000],
  ])('resolves at once with %s, without a timer or a listener', async (_, dueIn) => {
    const { page, state, naps, listened } = wait(dueIn === undefined ? {} : { dueIn })
    await page.settle()
    expect(state).toEqual({ resolvedAt: 0, offline: 0 })
    expect(naps).toEqual([])
    expect(listened.times).toBe(0)
  })

  it.each([1, 1000, 29_999, 30_000, 30_001, 12 * 60 * 60_000])('resolves after exactly %s ms', async (dueIn) => {
    const { page, state } = wait({ dueIn })
    await page.advance(dueIn - 1)
    expect(state.resolvedAt).toBeUndefined()
    await page.advance(1)
    expect(state.resolvedAt).toBe(dueIn)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('looks at the clock every 30 s: a timer does not count the time that a machine sleeps', async () => {
    const { page, naps } = wait({ dueIn: 100_000 })
    await page.advance(100_000)
    expect(naps).toEqual([30_000, 30_000, 30_000, 10_000])
  })

  it('looks at the clock after a sleep, when the page is looked at', async () => {
    const { page, state } = wait({ dueIn: 10_000 })
    page.sleep(60_000)
    await page.setVisible(true)
    expect(state.resolvedAt).toBe(60_000)
  })

  it.each([
    ['when the page is looked at', true, 20_000],
    ['by its next timer', false, 40_000],
  ])('notices a clock that is set back %s, which lengthens the wait no further', async (_, isLookedAt, expected) => {
    const { page, state } = wait({ dueIn: 20_000 })
    await page.advance(5000)
    page.setClock(-60 * 60_000)
    if (isLookedAt) await page.setVisible(true)
    await page.advance(expected)
    expect(state.resolvedAt).toBeDefined()
    expect(page.pendingTimers()).toBe(0)
  })

  it('waits offline without a timer, says so once, and resolves when back', async () => {
    const { page, state } = wait({ isOffline: true })
    await page.advance(60_000)
    await page.setVisible(false)
    expect(state).toEqual({ offline: 1 })
    expect(page.pendingTimers()).toBe(0)
    await page.setOnline(true)
    expect(state.resolvedAt).toBe(60_000)
    expect(page.listeners()).toBe(0)
  })

  it('waits for the rest of the time where it is back before', async () => {
    const { page, state } = wait({ dueIn: 1000 })
    await page.setOnline(false)
    await page.advance(400)
    await page.setOnline(true)
    await page.advance(599)
    expect(state.resolvedAt).toBeUndefined()
    await page.advance(1)
    expect(state.resolvedAt).toBe(1000)
  })

  it.each([
    ['while it sleeps', { dueIn: 1000 }],
    ['while offline', { isOffline: true }],
  ])('rejects with the reason where it is aborted %s, and leaves nothing behind', async (_, options) => {
    const { page, abort, state } = wait(options)
    const reason = new Error('enough')
    abort.abort(reason)
    await page.settle()
    expect(state.rejectedWith).toBe(reason)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it.each([
    ['it is due', {}],
    ['it is due later', { dueIn: 1000 }],
    ['it is offline', { isOffline: true }],
  ])('rejects where it was aborted before, although %s', async (_, options) => {
    const reason = new Error('enough')
    const { page, state } = wait({ ...options, signal: AbortSignal.abort(reason) })
    await page.settle()
    expect(state).toEqual({ rejectedWith: reason, offline: 0 })
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('has one timer, however often the page is looked at', async () => {
    const { page } = wait({ dueIn: 10_000 })
    await page.setVisible(false)
    await page.setVisible(true)
    expect(page.pendingTimers()).toBe(1)
    await page.setOnline(false)
    expect(page.pendingTimers()).toBe(0)
  })

  it('listens to its signal only while it waits', async () => {
    const { page, abort } = wait({ dueIn: 1000 })
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1)
    await page.advance(1000)
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })

  it('does nothing where it is aborted after it has resolved', async () => {
    const { page, abort, state } = wait()
    await page.settle()
    abort.abort(new Error('late'))
    await page.settle()
    expect(state).toEqual({ resolvedAt: 0, offline: 0 })
  })
})
