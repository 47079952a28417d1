import { getEventListeners } from 'node:events'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { TaskExpiredError, TaskProtocolError, TaskRequestError } from '../protocol/errors.js'
import { DEFAULT_POLL_POLICY } from './policy.js'
import { deliver, withRequestTimeout } from './retry.js'
import { createSemaphore, type Semaphore } from './semaphore.js'

const server = (code: number) => new TaskRequestError('no', { kind: 'server', code })
const http = (status?: number, retryAfterMs?: number) =>
  new TaskRequestError('no', {
    kind: 'http',
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })

type Answer = Error | 'never' | 'taken'

/** Sends a request to a server that answers in this order; `never`: not at all. */
function send(...answers: Answer[]) {
  return sendIn(undefined, ...answers)
}

/** The same, where an attempt waits for its place. */
function sendIn(inLine: Semaphore | undefined, ...answers: Answer[]) {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const abort = new AbortController()
  const attempts: number[] = []
  const retries: Error[] = []
  const promising = new Set<() => void>()
  const state: { isTaken?: true; error?: unknown } = {}
  deliver({
    taskId: 't1',
    environment: page.environment,
    policy: DEFAULT_POLL_POLICY,
    signal: abort.signal,
    send: (signal) => {
      attempts.push(page.now() - start)
      const answer = answers.shift() ?? 'taken'
      if (answer instanceof Error) return Promise.reject(answer)
      if (answer === 'taken') return Promise.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    },
    ...(inLine && { inLine }),
    onPromising: (listener) => {
      promising.add(listener)
      return () => promising.delete(listener)
    },
    onRetry: (error) => retries.push(error),
  }).then(
    () => Object.assign(state, { isTaken: true }),
    (error: unknown) => Object.assign(state, { error }),
  )
  return { page, abort, attempts, retries, promising, state }
}

describe('a request that is delivered', () => {
  it('is sent once where the server takes it', async () => {
    const { page, attempts, state } = send()
    await page.settle()
    expect(attempts).toEqual([0])
    expect(state).toEqual({ isTaken: true })
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it.each([
    ['the network', new TaskRequestError('down', { kind: 'network' })],
    ['missing credentials', new TaskRequestError('who?', { kind: 'auth' })],
    ['credentials that HTTP 401 says are missing', new TaskRequestError('who?', { kind: 'auth', status: 401 })],
    ['an internal error of the server', server(-32603)],
    ['HTTP 408', http(408)],
    ['HTTP 425', http(425)],
    ['HTTP 429', http(429)],
    ['HTTP 500', http(500)],
    ['HTTP 503', http(503)],
    ['HTTP without a status', http()],
  ])('is sent again after %s', async (_, error) => {
    const { page, attempts, retries, state } = send(error)
    await page.advance(60_000)
    expect(attempts).toHaveLength(2)
    expect(retries).toEqual([error])
    expect(state).toEqual({ isTaken: true })
  })

  it.each([
    ['a JSON-RPC error', server(-32602)],
    ['HTTP 400', http(400)],
    ['HTTP 404', http(404)],
    ['HTTP 413', http(413)],
    ['a task that is unknown', new TaskExpiredError('unknown-task')],
    ['an answer that breaks the protocol', new TaskProtocolError('nonsense', { source: 'tasks/update' })],
    ['any other error', new Error('broken')],
  ])('is refused by %s', async (_, error) => {
    const { page, attempts, retries, state } = send(error)
    await page.advance(60_000)
    expect(attempts).toEqual([0])
    expect(retries).toEqual([])
    expect(state).toEqual({ error })
  })

  it('backs off as polls do, with half of 500, 1000, 2000 … ms', async () => {
    const { page, attempts } = send(http(503), http(503), http(503), http(503))
    await page.advance(60_000)
    expect(attempts).toEqual([0, 250, 750, 1750, 3750])
  })

  it('honours Retry-After', async () => {
    const { page, attempts } = send(http(429, 7000))
    await page.advance(60_000)
    expect(attempts).toEqual([0, 7000])
  })

  it.each([
    ['at once in its backoff', undefined, 100],
    ['as soon as the server wants it, where that is later', 200, 200],
  ])('is sent again %s, where another attempt became promising', async (_, retryAfterMs, sentAt) => {
    const { page, attempts, promising } = send(http(503, retryAfterMs))
    await page.advance(100)
    expect(attempts).toEqual([0])
    for (const listener of promising) listener()
    await page.advance(60_000)
    expect(attempts).toEqual([0, sentAt])
    expect(promising.size).toBe(0)
  })

  it.each(['taken', 'refused'] as const)('listens to its signal no longer once it was %s', async (end) => {
    const { page, abort, attempts } = send(http(503), end === 'taken' ? end : server(-32602))
    await page.settle()
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1)
    await page.advance(60_000)
    expect(attempts).toHaveLength(2)
    expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  })

  it('is not sent where its signal aborts while it waits in line', async () => {
    const inLine = createSemaphore(1)
    let leave = () => {}
    void inLine(
      () =>
        new Promise<void>((resolve) => {
          leave = resolve
        }),
    )
    const { page, abort, attempts, state } = sendIn(inLine)
    await page.settle()
    const reason = new Error('closed')
    abort.abort(reason)
    leave()
    await page.settle()
    expect(attempts).toEqual([])
    expect(state).toEqual({ error: reason })
  })

  it('is not sent again where the reason of its signal is a failure that would pass', async () => {
    const { page, abort, retries, state } = send('never')
    await page.settle()
    const reason = http(503)
    abort.abort(reason)
    await page.advance(60_000)
    expect(retries).toEqual([])
    expect(state).toEqual({ error: reason })
  })

  it('is given up where no response comes in time, and sent again', async () => {
    const { page, attempts, retries } = send('never')
    await page.advance(60_000)
    expect(attempts).toEqual([0, 30_250])
    expect(retries).toMatchObject([{ kind: 'network', taskId: 't1', message: expect.stringContaining('30 s') }])
  })

  it('waits for the network where there is none', async () => {
    const { page, attempts } = send(http(503))
    await page.settle()
    await page.setOnline(false)
    await page.advance(60_000)
    expect(attempts).toEqual([0])
    await page.setOnline(true)
    expect(attempts).toEqual([0, 60_000])
  })

  it.each([
    ['under way', ['never'], 100],
    ['waiting to be sent again', [http(503, 60_000)], 100],
  ] as const)(
    'rejects with the reason of its signal while it is %s, and leaves nothing behind',
    async (_, answers, at) => {
      const { page, abort, attempts, state } = send(...answers)
      await page.advance(at)
      const reason = new Error('closed')
      abort.abort(reason)
      await page.advance(60_000)
      expect(state).toEqual({ error: reason })
      expect(attempts).toEqual([0])
      expect(page.pendingTimers()).toBe(0)
      expect(page.listeners()).toBe(0)
    },
  )
})

describe('withRequestTimeout', () => {
  it('rejects with the reason of its controller, whatever the request makes of it', async () => {
    const { environment, ...page } = createSimulatedEnvironment()
    const controller = new AbortController()
    const reason = new Error('given up')
    const sending = withRequestTimeout(
      { taskId: 't1', environment, policy: DEFAULT_POLL_POLICY },
      controller,
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))),
    )
    controller.abort(reason)
    await expect(sending).rejects.toBe(reason)
    expect(page.pendingTimers()).toBe(0)
  })

  it('passes the response on although it comes in the moment in which the time is over', async () => {
    const { environment, advance } = createSimulatedEnvironment()
    const sending = withRequestTimeout(
      { taskId: 't1', environment, policy: DEFAULT_POLL_POLICY },
      new AbortController(),
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'))),
    )
    await advance(30_000)
    await expect(sending).resolves.toBe('late')
  })
})
