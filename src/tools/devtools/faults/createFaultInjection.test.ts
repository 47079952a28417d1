import { createTaskClient } from 'taskwire'
import { createTestServer, scriptTask, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createFaultInjection, type FaultInjection } from './createFaultInjection.js'

let server: TestServer
let faults: FaultInjection

beforeEach(() => {
  const work = scriptTask([{ status: 'working' }], { name: 'work' })
  server = createTestServer({ tools: [work] })
  faults = createFaultInjection({ environment: server.environment })
})

/** A call that is at work, of a client with the faults. */
async function start() {
  const environment = { ...server.environment, ...faults.environment }
  const client = createTaskClient({ url: server.url, environment, push: false })
  const call = client.startToolCall({ name: 'work' })
  await server.advance(2500)
  expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  return call
}

describe('createFaultInjection()', () => {
  it('takes the network away and gives it back', async () => {
    const call = await start()
    faults.set('offline', true)
    await server.advance(5000)
    const polls = server.count('tasks/get')
    expect(call.getState().network).toBe('offline')
    await server.advance(60_000)
    expect(server.count('tasks/get')).toBe(polls)
    faults.set('offline', false)
    await server.advance(100)
    expect(call.getState().network).toBe('ok')
    expect(server.count('tasks/get')).toBe(polls + 1)
  })

  it('breaks off what is under way when the network goes', async () => {
    const broken = createFaultInjection({
      environment: {
        fetch: (_, init) =>
          new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
      },
    })
    const response = broken.environment.fetch('https://example.com/')
    broken.set('offline', true)
    await expect(response).rejects.toThrow('Failed to fetch')
    await expect(broken.environment.fetch('https://example.com/')).rejects.toThrow('Failed to fetch')
  })

  it('loses one response, which the server has sent', async () => {
    const call = await start()
    const polls = server.count('tasks/get')
    faults.set('lose-next-answer', true)
    await server.advance(1000)
    expect(server.count('tasks/get')).toBe(polls + 1)
    expect(call.getState()).toMatchObject({ network: 'retrying', failureCount: 1 })
    expect(faults.active().size).toBe(0)
    await server.advance(5000)
    expect(call.getState().network).toBe('ok')
  })

  it('answers for the server with 503', async () => {
    const call = await start()
    const polls = server.count('tasks/get')
    faults.set('answer-503', true)
    await server.advance(10_000)
    expect(server.count('tasks/get')).toBe(polls)
    expect(call.getState()).toMatchObject({ network: 'retrying', lastError: { status: 503 } })
  })

  it('delays responses by three seconds', async () => {
    const call = await start()
    faults.set('slow', true)
    await server.advance(1000)
    const heardAt = call.lastHeardAt
    await server.advance(2000)
    expect(call.lastHeardAt).toBe(heardAt)
    await server.advance(1500)
    expect(call.lastHeardAt).not.toBe(heardAt)
  })

  it('stops the timers of the client, and runs those that are due when it lets them go on', async () => {
    await start()
    faults.set('freeze', true)
    await server.advance(1)
    const polls = server.count('tasks/get')
    await server.advance(60_000)
    expect(server.count('tasks/get')).toBe(polls)
    faults.set('freeze', false)
    await server.advance(100)
    expect(server.count('tasks/get')).toBe(polls + 1)
  })

  it('does not run a timer that was cleared while it was frozen', async () => {
    const callback = vi.fn()
    faults.set('freeze', true)
    const timer = faults.environment.setTimeout(callback, 10)
    await server.advance(20)
    faults.environment.clearTimeout(timer)
    faults.set('freeze', false)
    expect(callback).not.toHaveBeenCalled()
  })

  it('runs each timer that was due while it was frozen, although one of them throws', async () => {
    const callback = vi.fn()
    const thrown: unknown[] = []
    // As in a browser, what a timer throws reaches no other.
    const page = {
      ...server.environment,
      setTimeout: (run: () => void, delayMs: number) =>
        server.environment.setTimeout(() => {
          try {
            run()
          } catch (error) {
            thrown.push(error)
          }
        }, delayMs),
    }
    const own = createFaultInjection({ environment: page })
    own.set('freeze', true)
    own.environment.setTimeout(() => {
      throw new Error('mine')
    }, 10)
    own.environment.setTimeout(callback, 10)
    await server.advance(20)
    own.set('freeze', false)
    await server.advance(0)
    expect(callback).toHaveBeenCalledOnce()
    expect(thrown).toEqual([new Error('mine')])
  })

  it('calls listeners when a fault goes on or off, and only then', () => {
    const listener = vi.fn()
    const stop = faults.subscribe(listener)
    faults.set('slow', true)
    faults.set('slow', true)
    faults.set('slow', false)
    expect(listener).toHaveBeenCalledTimes(2)
    stop()
    faults.set('slow', true)
    expect(listener).toHaveBeenCalledTimes(2)
  })
})

describe('a fault and an open push stream', () => {
  /** A server whose stream stays open. */
  function open() {
    const streaming = createFaultInjection({
      environment: {
        fetch: async () =>
          new Response(
            new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(': ok\n\n')) }),
            {
              headers: { 'content-type': 'text/event-stream' },
            },
          ),
      },
    })
    return { streaming, response: streaming.environment.fetch('https://example.com/') }
  }

  it.each(['answer-503', 'lose-next-answer', 'offline'] as const)('%s ends it at once', async (fault) => {
    const { streaming, response } = open()
    const reader = (await response).body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const next = reader?.read()
    streaming.set(fault, true)
    await expect(next).rejects.toThrow('Failed to fetch')
  })

  it('slow and freeze leave it open', async () => {
    const { streaming, response } = open()
    const reader = (await response).body?.getReader()
    await reader?.read()
    const ended = vi.fn()
    reader?.read().then(ended, ended)
    streaming.set('slow', true)
    streaming.set('freeze', true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).not.toHaveBeenCalled()
  })
})
