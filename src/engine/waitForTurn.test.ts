import { describe, expect, it } from 'vitest'
import { createSimulatedEnvironment } from '../testing/simulatedEnvironment.js'
import { createInbox } from './inbox.js'
import { ALONE, type TabLink } from './tabLink.js'
import { TURN_GRACE_MS, waitForTurn, waitUntilOnline } from './waitForTurn.js'

interface WaitTestOptions {
  dueIn?: number
  notBeforeIn?: number
  pauseWhenHidden?: boolean
  before?: 'offline' | 'hidden'
  link?: TabLink
}

function wait(options: WaitTestOptions = {}) {
  const page = createSimulatedEnvironment()
  if (options.before === 'offline') void page.setOnline(false)
  if (options.before === 'hidden') void page.setVisible(false)
  const start = page.now()
  const blocked: (string | undefined)[] = []
  const abort = new AbortController()
  const { dueIn = 0, notBeforeIn = dueIn } = options
  const inbox = createInbox<string>()
  const state: { resolvedAt?: number; rejectedWith?: unknown } = {}
  waitForTurn({
    environment: page.environment,
    dueAt: start + dueIn,
    notBefore: start + notBeforeIn,
    overdueAt: start + dueIn + TURN_GRACE_MS,
    pauseWhenHidden: options.pauseWhenHidden ?? false,
    link: options.link ?? ALONE,
    inbox,
    signal: abort.signal,
    onBlocked: (network) => blocked.push(network),
  }).then(
    () => Object.assign(state, { resolvedAt: page.now() - start }),
    (rejectedWith: unknown) => Object.assign(state, { rejectedWith }),
  )
  return { page, blocked, abort, inbox, state }
}

describe('waitForTurn', () => {
  it.each([
    ['due now', 0],
    ['overdue', -5000],
  ])('resolves at once where it is %s, without a timer', async (_, dueIn) => {
    const { page, state } = wait({ dueIn })
    expect(page.pendingTimers()).toBe(0)
    await page.settle()
    expect(state).toEqual({ resolvedAt: 0 })
    expect(page.listeners()).toBe(0)
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

  it('never has more than one timer', async () => {
    const { page } = wait({ dueIn: 100_000 })
    await page.setVisible(false)
    await page.setVisible(true)
    await page.showPage()
    await page.setOnline(true)
    expect(page.pendingTimers()).toBe(1)
  })

  it('looks at the clock after a sleep, and resolves late once', async () => {
    const { page, state } = wait({ dueIn: 10_000 })
    page.sleep(60_000)
    await page.showPage()
    expect(state.resolvedAt).toBe(60_000)
  })

  it('looks at the clock every 30 s: a timer does not count the time that a machine sleeps', async () => {
    const page = createSimulatedEnvironment()
    const naps: number[] = []
    const setTimeout = (callback: () => void, delayMs: number) => {
      naps.push(delayMs)
      return page.environment.setTimeout(callback, delayMs)
    }
    const dueAt = page.now() + 100_000
    const waiting = waitForTurn({
      environment: { ...page.environment, setTimeout },
      dueAt,
      notBefore: dueAt,
      overdueAt: dueAt,
      pauseWhenHidden: false,
      link: ALONE,
      inbox: createInbox(),
      signal: new AbortController().signal,
      onBlocked: () => {},
    })
    await page.advance(100_000)
    await waiting
    expect(naps).toEqual([30_000, 30_000, 30_000, 10_000])
  })

  it('is not lengthened by a clock that is set back', async () => {
    const { page, state } = wait({ dueIn: 20_000 })
    await page.advance(5000)
    page.sleep(-60 * 60_000)
    await page.showPage()
    await page.advance(20_000)
    expect(state.resolvedAt).toBeDefined()
  })

  it.each(['offline', 'hidden'] as const)('resolves when there is news, also %s', async (before) => {
    const { page, inbox, state } = wait({ dueIn: 5000, before, pauseWhenHidden: true })
    await page.advance(2000)
    inbox.put('news')
    await page.settle()
    expect(state).toEqual({ resolvedAt: 2000 })
  })

  describe('offline', () => {
    it('waits without a timer, says so, and resolves when back', async () => {
      const { page, blocked, state } = wait({ dueIn: 1000, before: 'offline' })
      expect(blocked).toEqual(['offline'])
      expect(page.pendingTimers()).toBe(0)
      await page.advance(60_000)
      expect(state.resolvedAt).toBeUndefined()
      await page.setOnline(true)
      await page.advance(200)
      // Half of the jitter of 200 ms.
      expect(state.resolvedAt).toBe(60_100)
    })

    it('back before it is due, waits for the rest', async () => {
      const { page, state } = wait({ dueIn: 1000 })
      await page.setOnline(false)
      await page.advance(400)
      await page.setOnline(true)
      await page.advance(599)
      expect(state.resolvedAt).toBeUndefined()
      await page.advance(1)
      expect(state.resolvedAt).toBe(1000)
    })

    it('back, waits no longer than what the server asked for', async () => {
      const { page, state } = wait({ dueIn: 30_000, notBeforeIn: 2000 })
      await page.setOnline(false)
      await page.advance(500)
      await page.setOnline(true)
      await page.advance(1499)
      expect(state.resolvedAt).toBeUndefined()
      await page.advance(1)
      expect(state.resolvedAt).toBe(2000)
    })

    it('going offline does not shorten the wait', async () => {
      const { page, state } = wait({ dueIn: 30_000, notBeforeIn: 2000 })
      await page.setOnline(false)
      await page.setVisible(true)
      await page.advance(5000)
      expect(state.resolvedAt).toBeUndefined()
    })
  })

  describe('hidden', () => {
    it('is no reason to wait, unless asked for', async () => {
      const { page, blocked, state } = wait({ dueIn: 1000, before: 'hidden' })
      await page.advance(1000)
      expect(state.resolvedAt).toBe(1000)
      expect(blocked).toEqual([])
    })

    it('waits where asked for, and resolves when looked at', async () => {
      const { page, blocked, state } = wait({ dueIn: 1000, before: 'hidden', pauseWhenHidden: true })
      await page.advance(5000)
      expect(state.resolvedAt).toBeUndefined()
      expect(blocked).toEqual(['paused'])
      await page.setVisible(true)
      expect(state.resolvedAt).toBe(5000)
    })
  })

  describe('aborted', () => {
    it.each([
      ['while it sleeps', {}],
      ['while offline', { before: 'offline' }],
      ['while hidden', { before: 'hidden', pauseWhenHidden: true }],
    ] satisfies [string, WaitTestOptions][])(
      '%s, rejects with the reason and leaves nothing behind',
      async (_, options) => {
        const { page, abort, state } = wait({ dueIn: 1000, ...options })
        const reason = new Error('enough')
        abort.abort(reason)
        await page.settle()
        expect(state.rejectedWith).toBe(reason)
        expect(page.pendingTimers()).toBe(0)
        expect(page.listeners()).toBe(0)
      },
    )

    it('before it began, rejects although it is due', async () => {
      const page = createSimulatedEnvironment()
      const reason = new Error('enough')
      const signal = AbortSignal.abort(reason)
      await expect(waitUntilOnline({ environment: page.environment, signal, onBlocked: () => {} })).rejects.toBe(reason)
      expect(page.pendingTimers()).toBe(0)
      expect(page.listeners()).toBe(0)
    })

    it('after it has resolved, does nothing', async () => {
      const { page, abort, state } = wait()
      await page.settle()
      abort.abort(new Error('late'))
      await page.settle()
      expect(state).toEqual({ resolvedAt: 0 })
    })
  })

  describe('where another tab has the turn', () => {
    function otherTab() {
      let isMine = false
      let onChange = () => {}
      const taken: number[] = []
      const link: TabLink = {
        ...ALONE,
        isMyTurn: () => isMine,
        takeTurn: () => taken.push(taken.length),
        onTurnChange: (listener) => {
          onChange = listener
          return () => {
            onChange = () => {}
          }
        },
      }
      const giveTurn = () => {
        isMine = true
        onChange()
      }
      return { link, taken, giveTurn }
    }

    it('does not resolve when it is due, and takes the turn when that is long overdue', async () => {
      const { link, taken } = otherTab()
      const { page, state } = wait({ dueIn: 5000, link })
      await page.advance(5000 + TURN_GRACE_MS - 1)
      expect(taken).toEqual([])
      await page.advance(1)
      expect(taken).toHaveLength(1)
      expect(state.resolvedAt).toBeUndefined()
    })

    it('hears the others first where its timer comes late, but once only: those of hidden tabs always do', async () => {
      const { link, taken } = otherTab()
      const { page } = wait({ dueIn: 5000, link })
      page.sleep(60_000)
      await page.advance(0)
      expect(taken).toEqual([])
      page.sleep(60_000)
      await page.advance(0)
      expect(taken).toHaveLength(1)
    })

    it('resolves with the turn, no sooner than it is due', async () => {
      const { link, giveTurn } = otherTab()
      const { page, state } = wait({ dueIn: 5000, link })
      await page.advance(2000)
      giveTurn()
      await page.settle()
      expect(state.resolvedAt).toBeUndefined()
      await page.advance(3000)
      expect(state.resolvedAt).toBe(5000)
    })

    it('resolves when that tab has news, however early', async () => {
      const { link } = otherTab()
      const { page, inbox, state } = wait({ dueIn: 5000, link })
      await page.advance(2000)
      inbox.put('news')
      await page.settle()
      expect(state).toEqual({ resolvedAt: 2000 })
      expect(inbox.take()).toBe('news')
      expect(page.pendingTimers()).toBe(0)
      expect(page.listeners()).toBe(0)
    })
  })
})
