import { expect, it, vi } from 'vitest'
import { memoryLeases } from '../../../../test/support/memoryLeases.js'
import { createSimulatedBrowser } from '../../../tools/testing/simulatedBrowser.js'
import { createBus } from './bus.js'
import { createChannels } from './channels.js'
import { createLeaseLocks, type LeaseStore } from './leaseLocks.js'

const LEASE_MS = 9000

/** A database, and processes that reach it or do not. */
function setUp() {
  const browser = createSimulatedBrowser()
  const { store: kept, leases } = memoryLeases(browser.now)
  const listeners = new Set<(name: string, text: string) => void>()
  const outside = browser.openPage().environment
  let isAway = false
  let messageMs = 0
  let takes = 0

  function reach(): void {
    if (isAway) throw new Error('connect ECONNREFUSED')
  }

  const store: LeaseStore = {
    take: async (...args) => {
      reach()
      takes += 1
      return kept.take(...args)
    },
    renew: async (...args) => {
      reach()
      return kept.renew(...args)
    },
    release: async (lease) => {
      reach()
      return kept.release(lease)
    },
  }

  function startProcess() {
    const page = browser.openPage()
    const { environment } = page
    const bus = createBus({
      open: async () => void listeners.add(bus.receive),
      shut: () => {},
      send: async (name, text) => {
        reach()
        const deliver = () => {
          for (const listener of listeners) listener(name, text)
        }
        if (messageMs > 0) outside.setTimeout(deliver, messageMs)
        else queueMicrotask(deliver)
      },
    })
    const { locks, close } = createLeaseLocks({ store, bus, environment, leaseMs: LEASE_MS })
    const channel = createChannels(bus, environment.randomId)
    /** Holds a lock until `letGo()` is called. */
    const hold = (name: string, options: { signal?: AbortSignal; steal?: boolean } = {}) => {
      const held = { isGranted: false, grantedAt: 0, error: undefined as unknown, letGo: () => {} }
      locks
        .request(name, options, () => {
          held.isGranted = true
          held.grantedAt = browser.now()
          return new Promise<void>((resolve) => {
            held.letGo = resolve
          })
        })
        .catch((error: unknown) => {
          held.error = error
        })
      return held
    }
    return { page, locks, close, channel, hold }
  }

  return {
    browser,
    leases,
    startProcess,
    takes: () => takes,
    /** For how long messages are on their way from now on. */
    setMessageMs: (ms: number) => {
      messageMs = ms
    },
    setAway: (away: boolean) => {
      isAway = away
    },
  }
}

it('grants a lock to one process, for as long as that holds it, and then to the next at once', async () => {
  const { browser, startProcess } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const [first, second] = [a.hold('x'), b.hold('x')]
  const other = b.hold('y')
  await browser.advance(10 * LEASE_MS)
  expect([first.isGranted, second.isGranted, other.isGranted]).toEqual([true, false, true])
  const letGoAt = browser.now()
  first.letGo()
  await browser.settle()
  expect(second).toMatchObject({ isGranted: true, grantedAt: letGoAt, error: undefined })
})

it('returns what the work returns, and throws what it throws', async () => {
  const { browser, startProcess, leases } = setUp()
  const { locks } = startProcess()
  expect(await locks.request('x', {}, async (lock) => lock)).toMatchObject({ name: 'x' })
  await expect(locks.request('x', {}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await browser.settle()
  expect(leases.size).toBe(0)
})

it('grants the lock of a process that was killed when its lease has ended', async () => {
  const { browser, startProcess } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const first = a.hold('x')
  const second = b.hold('x')
  await browser.advance(20_000)
  const killedAt = browser.now()
  await a.page.crash()
  await browser.advance(2 * LEASE_MS)
  expect(first.isGranted).toBe(true)
  expect(second.isGranted).toBe(true)
  expect(second.grantedAt - killedAt).toBeLessThanOrEqual(LEASE_MS + 50)
})

it('a process that was frozen for longer than its lease learns that another one has the lock', async () => {
  const { browser, startProcess } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const first = a.hold('x')
  await browser.settle()
  const second = b.hold('x')
  a.page.freeze()
  await browser.advance(2 * LEASE_MS)
  expect(second.isGranted).toBe(true)
  await a.page.thaw()
  await browser.advance(LEASE_MS)
  expect(first.error).toMatchObject({ name: 'AbortError' })
  first.letGo()
  await browser.advance(3 * LEASE_MS)
  expect(second.error).toBeUndefined()
})

it('says of a lock whose lease has ended that it is not held, before a timer or a message can', async () => {
  const { browser, startProcess } = setUp()
  const { page, locks } = startProcess()
  const held: (boolean | undefined)[] = []
  void locks.request('x', {}, async (lock) => {
    held.push(lock?.isHeld?.())
    page.freeze()
    await browser.advance(2 * LEASE_MS)
    held.push(lock?.isHeld?.())
  })
  await browser.settle()
  await browser.advance(2 * LEASE_MS)
  expect(held).toEqual([true, false])
})

it('a lock that is stolen rejects where it was held, and what that process lets go of later is not freed', async () => {
  const { browser, startProcess } = setUp()
  const [a, b, c] = [startProcess(), startProcess(), startProcess()]
  const first = a.hold('x')
  await browser.settle()
  const thief = b.hold('x', { steal: true })
  await browser.settle()
  expect(thief.isGranted).toBe(true)
  expect(first.error).toMatchObject({ name: 'AbortError' })
  first.letGo()
  const third = c.hold('x')
  await browser.advance(3 * LEASE_MS)
  expect([thief.error, third.isGranted]).toEqual([undefined, false])
})

// process A  take ─ take ──────────── told: stolen, by the first
// process B        take ──── told: stolen, by both of A
it('when a lock is stolen several times at once, the last thief keeps it, although messages about the other thefts come later', async () => {
  const { browser, leases, startProcess, setMessageMs } = setUp()
  const [a, b, c] = [startProcess(), startProcess(), startProcess()]
  setMessageMs(20)
  const first = c.hold('x')
  await browser.settle()
  const steal = { steal: true }
  const thieves = [a.hold('x', steal), b.hold('x', steal), a.hold('x', steal)]
  const waiting = c.hold('x')
  await browser.advance(3 * LEASE_MS)
  const stolen = { name: 'AbortError' }
  expect([first, ...thieves]).toMatchObject([
    ...[stolen, stolen, stolen].map((error) => ({ error })),
    { isGranted: true, error: undefined },
  ])
  expect(leases.size).toBe(1)
  expect(waiting.isGranted).toBe(false)
  thieves[2]?.letGo()
  await browser.advance(20)
  expect(waiting.isGranted).toBe(true)
})

it('a request that is given up rejects with the reason, and the lock goes to the next', async () => {
  const { browser, startProcess, leases } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const first = a.hold('x')
  await browser.settle()
  const controller = new AbortController()
  const second = b.hold('x', { signal: controller.signal })
  await browser.settle()
  controller.abort(new Error('enough'))
  await browser.settle()
  expect(second).toMatchObject({ isGranted: false, error: { message: 'enough' } })
  first.letGo()
  await browser.settle()
  expect(leases.size).toBe(0)
  await expect(b.locks.request('x', { signal: AbortSignal.abort(new Error('no')) }, vi.fn())).rejects.toThrow('no')
  expect(b.page.timers()).toBe(0)
})

it('lets others have a lock first that it lets go of and asks for again', async () => {
  const { browser, startProcess } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const first = a.hold('x')
  await browser.settle()
  const [other, again] = [b.hold('x'), a.hold('x')]
  await browser.settle()
  first.letGo()
  await browser.advance(1000)
  expect([other.isGranted, again.isGranted]).toEqual([true, false])
})

it('grants no lock while the store cannot be reached, and gives up those that may have ended', async () => {
  const { browser, startProcess, setAway } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const first = a.hold('x')
  await browser.settle()
  setAway(true)
  const second = b.hold('x')
  const thieves = Array.from({ length: 5 }, () => b.hold('x', { steal: true }))
  await browser.advance(LEASE_MS / 2)
  expect(first.error).toBeUndefined()
  await browser.advance(LEASE_MS)
  expect(first.error).toMatchObject({ name: 'AbortError' })
  expect([second, ...thieves].some(({ isGranted }) => isGranted)).toBe(false)
  setAway(false)
  await browser.advance(2 * LEASE_MS)
  expect(thieves.map(({ isGranted }) => isGranted)).toEqual([false, false, false, false, true])
})

it('keeps a lock through an outage that is shorter than its lease', async () => {
  const { browser, startProcess, setAway } = setUp()
  const a = startProcess()
  const first = a.hold('x')
  await browser.settle()
  setAway(true)
  await browser.advance(LEASE_MS / 2)
  setAway(false)
  await browser.advance(5 * LEASE_MS)
  expect(first).toMatchObject({ isGranted: true, error: undefined })
})

it('close() lets go of every lock at once, and leaves no timer', async () => {
  const { browser, startProcess } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const held = ['x', 'y'].map((name) => a.hold(name))
  await browser.settle()
  const waiting = ['x', 'y'].map((name) => b.hold(name))
  await browser.settle()
  await a.close()
  await browser.settle()
  expect(waiting.every(({ isGranted }) => isGranted)).toBe(true)
  expect(held.every(({ error }) => (error as Error).name === 'AbortError')).toBe(true)
  expect(a.page.timers()).toBe(0)
})

it('asks the store for a lock as often as the lease ends, and not in a loop', async () => {
  const { browser, startProcess, takes } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  a.hold('x')
  await browser.settle()
  b.hold('x')
  await browser.advance(20 * LEASE_MS)
  expect(takes()).toBeLessThan(40)
})

it('a channel reaches the others of its name and not itself, as JSON', async () => {
  const { browser, startProcess } = setUp()
  const [a, b] = [startProcess(), startProcess()]
  const channels = [a.channel('one'), a.channel('one'), b.channel('one'), b.channel('two')]
  const heard: unknown[] = []
  for (const [index, channel] of channels.entries()) channel.onMessage((message) => heard.push([index, message]))
  channels[0]?.postMessage({ text: 'ä', gone: undefined })
  await browser.settle()
  expect(heard).toEqual([
    [1, { text: 'ä' }],
    [2, { text: 'ä' }],
  ])
  channels[2]?.close()
  channels[1]?.postMessage(2)
  await browser.settle()
  expect(heard.slice(2)).toEqual([[0, 2]])
})
