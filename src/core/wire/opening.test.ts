import { SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { DEFAULT_POLL_POLICY } from '../time/policy.js'
import type { ConnectionState } from './connection.js'
import { createOpening } from './opening.js'
import type { ConnectedSdk } from './sdkAdapter.js'

const busy = (status: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Error POSTing to endpoint', { status, statusText: '' })
const offline = () => new TypeError('fetch failed')

/** A server that fails as often as there are errors, and then connects. */
function setUp(failures: unknown[], { attempts = 3, leftMs = (): number => 0, isLost = (): boolean => false } = {}) {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const states: ConnectionState[] = []
  const times: number[] = []
  const connected = {
    state: { status: 'connected' },
    tasks: { close: () => {} },
    isLost,
  } as unknown as ConnectedSdk
  const opening = createOpening({
    sdk: {
      era: () => undefined,
      missingCapability: () => undefined,
      open: async (onConnecting) => {
        onConnecting()
        times.push(page.now() - start)
        const [failure] = failures.splice(0, 1)
        if (failure !== undefined) throw failure
        return connected
      },
      close: async () => {},
    },
    url: 'https://tasks.example/mcp',
    onState: (state) => states.push(state),
    retry: { attempts, policy: DEFAULT_POLL_POLICY, environment: page.environment, leftMs },
  })
  const statuses = () => states.map(({ status, error }) => (error === undefined ? status : `${status}, error`))
  return { page, opening, states, times, statuses, connected }
}

/** What became of it so far. */
function track(promise: Promise<unknown>) {
  const seen: { value?: unknown; error?: unknown } = {}
  promise.then(
    (value) => Object.assign(seen, { value }),
    (error: unknown) => Object.assign(seen, { error }),
  )
  return seen
}

describe('connecting for the app', () => {
  it('is repeated with a backoff, and the state keeps the last failure', async () => {
    const { page, opening, times, statuses, connected } = setUp([offline(), busy(503)])
    const seen = track(opening.connectedForApp())
    await page.advance(10_000)
    expect(seen).toEqual({ value: connected })
    // Half of 500 ms, then half of 1000 ms, since the jitter is 0.5.
    expect(times).toEqual([0, 250, 750])
    expect(statuses()).toEqual([
      ...['connecting', 'connecting, error', 'connecting', 'connecting, error', 'connecting', 'connected'],
    ])
  })

  it('fails after `connectAttempts`, with what the last one came to', async () => {
    const { page, opening, times, statuses } = setUp([offline(), offline(), busy(500), offline()])
    const seen = track(opening.connectedForApp())
    await page.advance(60_000)
    expect(seen.error).toMatchObject({ name: 'ConnectionFailedError', message: expect.stringContaining('HTTP 500') })
    expect(times).toHaveLength(3)
    expect(statuses().at(-1)).toBe('failed, error')
  })

  it.each([400, 401, 403, 404, 415])('is not repeated after HTTP %i', async (status) => {
    const { page, opening, times } = setUp([busy(status), busy(status)])
    const seen = track(opening.connectedForApp())
    await page.advance(60_000)
    expect(seen.error).toMatchObject({ name: 'ConnectionFailedError' })
    expect(times).toHaveLength(1)
    await page.setVisible(false)
    await page.setVisible(true)
    expect(times).toHaveLength(1)
  })

  it('is one row of attempts for all who wait, those of polls between them', async () => {
    const { page, opening, times } = setUp([offline(), offline()])
    const all = [opening.connectedForApp(), opening.connected(), opening.connectedForApp()].map(track)
    await page.advance(10_000)
    expect(times).toHaveLength(3)
    expect(all.map(({ error }) => error === undefined)).toEqual([true, false, true])
  })

  it('waits for as long as the server asks', async () => {
    let at = 0
    const { page, opening, times } = setUp([busy(429)], { leftMs: () => Math.max(0, at - page.now()) })
    at = page.now() + 7000
    const seen = track(opening.connectedForApp())
    await page.advance(6999)
    expect(times).toEqual([0])
    await page.advance(1)
    expect(times).toEqual([0, 7000])
    expect(seen).toHaveProperty('value')
  })

  it('is an error at once where the server asks for more patience than anybody has', async () => {
    let at = 0
    const { page, opening, times } = setUp([busy(503)], { leftMs: () => Math.max(0, at - page.now()) })
    at = page.now() + 3_600_000
    const seen = track(opening.connectedForApp())
    await page.settle()
    expect(seen.error).toMatchObject({ name: 'ConnectionFailedError' })
    await page.setVisible(true)
    expect(times).toHaveLength(1)
    await page.advance(3_600_000)
    await page.setVisible(true)
    expect(times).toHaveLength(2)
  })

  it('waits for the network', async () => {
    const { page, opening, times } = setUp([offline()])
    await page.setOnline(false)
    const seen = track(opening.connectedForApp())
    await page.advance(600_000)
    expect(times).toEqual([0])
    await page.setOnline(true)
    expect(times).toHaveLength(2)
    expect(seen).toHaveProperty('value')
  })

  it.each([
    ['comes online', async (page: ReturnType<typeof createSimulatedEnvironment>) => page.setOnline(true)],
    ['is shown', async (page: ReturnType<typeof createSimulatedEnvironment>) => page.setVisible(true)],
    [
      'is back from the back-forward cache',
      async (page: ReturnType<typeof createSimulatedEnvironment>) => page.showPage(),
    ],
  ])('that has failed is tried again when the page %s, and not after it has succeeded', async (_, event) => {
    const { page, opening, times, statuses } = setUp([offline()], { attempts: 1 })
    track(opening.connectedForApp())
    await page.settle()
    expect(statuses().at(-1)).toBe('failed, error')
    await event(page)
    expect(times).toHaveLength(2)
    expect(statuses().at(-1)).toBe('connected')
    expect(page.listeners()).toBe(0)
  })

  it('goes on for the others when one that waits is aborted, and ends with the last of them', async () => {
    const { page, opening, times, statuses } = setUp([offline(), offline(), offline()])
    const [first, second] = [new AbortController(), new AbortController()]
    const seen = [first, second].map(({ signal }) => track(opening.connectedForApp(signal)))
    await page.settle()
    first.abort(new Error('enough'))
    await page.advance(250)
    expect(seen[0]?.error).toMatchObject({ message: 'enough' })
    expect(times).toHaveLength(2)
    second.abort(new Error('enough'))
    await page.advance(60_000)
    expect(seen[1]?.error).toMatchObject({ message: 'enough' })
    expect(times).toHaveLength(2)
    expect(statuses().at(-1)).toBe('failed, error')
  })

  it('goes on for one that comes while the attempt of another is under way, which has left', async () => {
    const { page, opening, times, statuses, connected } = setUp([offline(), offline()])
    const left = new AbortController()
    const first = track(opening.connectedForApp(left.signal))
    left.abort(new Error('enough'))
    const second = track(opening.connectedForApp(new AbortController().signal))
    await page.advance(10_000)
    expect(first.error).toMatchObject({ message: 'enough' })
    expect(second).toEqual({ value: connected })
    expect(times).toHaveLength(3)
    expect(statuses()).not.toContain('failed, error')
  })

  it('is repeated, too, where a connection was lost', async () => {
    let isLost = false
    const failures: unknown[] = []
    const { page, opening, times, statuses } = setUp(failures, { isLost: () => isLost })
    await opening.connectedForApp()
    isLost = true
    failures.push(offline())
    track(opening.connectedForApp())
    await page.advance(10_000)
    expect(times).toHaveLength(3)
    expect(statuses().slice(2)).toEqual(['connecting', 'connecting, error', 'connecting', 'connected'])
  })

  it('is over once it has succeeded: a poll that finds the connection lost says that it has failed', async () => {
    let isLost = false
    const failures: unknown[] = []
    const { page, opening, statuses } = setUp(failures, { isLost: () => isLost })
    await opening.connectedForApp()
    isLost = true
    failures.push(offline())
    track(opening.connected())
    await page.settle()
    expect(statuses().at(-1)).toBe('failed, error')
  })

  it('ends with close(), which leaves no timer and no listener', async () => {
    const { page, opening, times, statuses } = setUp([offline(), offline()])
    const seen = track(opening.connectedForApp())
    await page.settle()
    await opening.close()
    await page.advance(60_000)
    expect(seen.error).toMatchObject({ name: 'TaskConfigurationError' })
    expect([times.length, page.timers(), page.listeners(), statuses().at(-1)]).toEqual([1, 0, 0, 'closed'])
  })
})

describe('a connection that is closed', () => {
  /** One attempt, which ends when the test says so. */
  function opening() {
    let end: { resolve: (sdk: ConnectedSdk) => void; reject: (error: unknown) => void } | undefined
    const sdk = {
      era: () => undefined,
      missingCapability: () => undefined,
      open: vi.fn(() => new Promise<ConnectedSdk>((resolve, reject) => (end = { resolve, reject }))),
      close: vi.fn(async () => {}),
    }
    const states: string[] = []
    const onState = ({ status }: ConnectionState) => states.push(status)
    const opened = createOpening({ sdk, url: undefined, onState, retry: undefined })
    const connected = { state: { status: 'connected' }, tasks: { close: vi.fn() }, isLost: () => false }
    return {
      ...opened,
      sdk,
      states,
      connected: connected as unknown as ConnectedSdk,
      tasks: connected.tasks,
      open: opened.connected,
      settle: () => end,
    }
  }

  it('while it connects, is closed again, with its tasks', async () => {
    const { open, close, settle, sdk, tasks, states, connected } = opening()
    const seen = track(open())
    await close()
    settle()?.resolve(connected)
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen.error).toMatchObject({ name: 'TaskConfigurationError' })
    expect(tasks.close).toHaveBeenCalledOnce()
    expect(sdk.close).toHaveBeenCalledTimes(2)
    expect(states).toEqual(['closed'])
  })

  it('while it connects, has not failed whatever comes of that', async () => {
    const { open, close, settle, states } = opening()
    const seen = track(open())
    await close()
    settle()?.reject(offline())
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen.error).toMatchObject({ name: 'TaskConfigurationError' })
    expect(states).toEqual(['closed'])
  })

  it('closes its tasks, and connects no more', async () => {
    const { open, close, settle, sdk, tasks, connected } = opening()
    const connecting = open()
    settle()?.resolve(connected)
    await connecting
    await close()
    expect(tasks.close).toHaveBeenCalledOnce()
    await expect(open()).rejects.toMatchObject({ name: 'TaskConfigurationError' })
    expect(sdk.open).toHaveBeenCalledOnce()
  })
})

it('a page that is watched for a server that was down is watched once, and no more after close()', async () => {
  const { page, opening } = setUp([offline(), offline(), offline()], { attempts: 1 })
  track(opening.connected())
  await page.settle()
  const once = page.listeners()
  track(opening.connected())
  await page.advance(DEFAULT_POLL_POLICY.defaultIntervalMs)
  expect(page.listeners()).toBe(once)
  await opening.close()
  expect([once > 0, page.listeners()]).toEqual([true, 0])
})

it.each([
  [30_000, 2],
  [30_001, 1],
])('a server that may be asked again in %i ms is asked %i times before it counts as down', async (ms, attempts) => {
  let at = 0
  const { page, opening, times } = setUp([busy(503)], { leftMs: () => Math.max(0, at - page.now()) })
  at = page.now() + ms
  track(opening.connectedForApp())
  await page.advance(60_000)
  expect(times).toHaveLength(attempts)
})

it('polls that come one after the other connect once in an interval, all of them together', async () => {
  const { page, opening, times } = setUp(Array.from({ length: 4 }, offline))
  const seen = [track(opening.connected())]
  await page.settle()
  for (const _ of [1, 2, 3]) {
    await page.advance(300)
    seen.push(track(opening.connected()))
  }
  await page.advance(99)
  expect(times).toEqual([0])
  await page.advance(1)
  expect(times).toEqual([0, 1000])
  expect(seen.every(({ error }) => (error as Error).name === 'ConnectionFailedError')).toBe(true)
})

it('close() rejects a poll that waits for the next attempt to connect', async () => {
  const { page, opening, times } = setUp([offline()])
  track(opening.connected())
  await page.settle()
  const waiting = track(opening.connected())
  await opening.close()
  await page.settle()
  expect(waiting.error).toMatchObject({ name: 'TaskConfigurationError' })
  expect([times, page.listeners()]).toEqual([[0], 0])
})

it('a poll connects once, and leaves its repetition to the polls', async () => {
  const { page, opening, times } = setUp([offline()])
  const failed = vi.fn()
  opening.connected().catch(failed)
  await page.advance(60_000)
  expect(failed).toHaveBeenCalledOnce()
  expect(times).toHaveLength(1)
})
