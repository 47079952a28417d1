import { Webhook } from 'standardwebhooks'
import { TaskConfigurationError, type TaskStorage, TaskStorageError, ToolCallKeyConflictError } from 'taskwire'
import { type ClientPool, createClientPool } from 'taskwire/backend'
import { createWebhooks, DeliveryFailedError, type WebhooksOptions } from 'taskwire/backend/webhooks'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Locks } from '../../src/core/environment/environment.js'
import { createWorkServer } from '../support/workServer.js'
import { failedAttempt, type Receiver, startReceiver, waiting, watchedStorage } from './receiver.js'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`
const WORK = { name: 'work', arguments: { seconds: 3, outcome: 'success' } }
const MINUTE = 60_000

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await receiver.crash()
})

function setUp() {
  const server = createWorkServer({ browser: { turns: 60 } })
  const storage = watchedStorage()
  const errors: Error[] = []
  const sentAt: number[] = []
  const send: typeof fetch = (url, init) => {
    sentAt.push(server.browser.now())
    return fetch(url, init)
  }

  /** A process of the backend. Those with `isOne` do not know of each other. */
  function start(options: Partial<WebhooksOptions> = {}, isOne = true, ofClient: { crossTab?: boolean } = {}) {
    const machine = server.browser.openPage()
    const { locks, channel, ...parts } = machine.environment
    const shared = isOne ? {} : { locks, channel }
    const webhooks = createWebhooks({
      storage,
      endpoint: { url: receiver.url, secret: SECRET },
      onError: (error) => errors.push(error),
      ...options,
      environment: { ...parts, ...shared, random: () => 0, fetch: send, ...options.environment },
    })
    const environment = { ...parts, locks: undefined, channel: undefined, ...shared }
    const pool = createClientPool({
      create: () => ({ url: server.url, storage, environment, ...ofClient }),
      onCreate: webhooks.watch,
      environment: machine.environment,
    })
    const kill = async () => {
      isKilled = true
      await machine.crash()
    }
    let isKilled = false
    onTestFinished(async () => {
      if (isKilled) return
      await Promise.all([webhooks.close(), server.advance(1000)])
    })
    return { pool, webhooks, machine, kill }
  }

  /** Lets a call of a user run to its end. Its webhook is not answered before. */
  async function work(pool: ClientPool, key = 'weekly', userId = 'ada') {
    const release = receiver.hold()
    const { result } = pool.get(userId).startToolCall(WORK, { key, meta: { title: 'Weekly report' } })
    await Promise.all([result, server.advance(5000)])
    release()
  }

  return {
    server,
    storage,
    errors,
    sentAt,
    start,
    work,
    delivered: () => storage.until((items) => waiting(items).length === 0),
  }
}

/** What came, as the receiver's library reads it: it throws where the signature is not right. */
function verified(at: number, now: number) {
  vi.setSystemTime(now)
  const { body, headers } = receiver.requests[at] ?? expect.fail(`there are only ${receiver.requests.length} requests`)
  return new Webhook(SECRET).verify(body, headers as Record<string, string>)
}

it('sends one signed webhook for each call that ends, without its arguments, its result and its task id', async () => {
  const { server, start, work, delivered, storage } = setUp()
  const { pool } = start()
  await work(pool)
  await receiver.received(1)
  await delivered()
  expect(verified(0, server.browser.now())).toEqual({
    type: 'tool_call.completed',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    data: {
      userId: 'ada',
      callId: expect.any(String),
      name: 'work',
      key: 'weekly',
      meta: { title: 'Weekly report' },
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      isError: false,
    },
  })
  const [{ headers, body } = expect.fail()] = receiver.requests
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^msg_\w+$/),
  })
  const taskId = pool.get('ada').store.getState().calls[JSON.parse(`${body}`).data.callId]?.task?.taskId
  expect(body.toString()).not.toContain(taskId ?? expect.fail('there was no task'))
  expect(body.toString()).not.toContain('success')
  await work(pool, 'monthly')
  await receiver.received(2)
  await delivered()
  expect(receiver.requests[1]?.headers['webhook-id']).not.toBe(headers['webhook-id'])
  expect(waiting(storage.items)).toEqual([])
})

it('writes down that a call runs, then its webhook, and nothing once the webhook is taken', async () => {
  const { server, start, storage, delivered } = setUp()
  const { pool } = start()
  receiver.answer('hang')
  const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await server.advance(1000)
  expect(waiting(storage.items)).toEqual(['open'])
  await Promise.all([result, server.advance(5000)])
  await receiver.received(1)
  expect(waiting(storage.items)).toEqual(['due'])
  await server.advance(30_000)
  await receiver.received(2)
  await delivered()
})

it('tries again after 5 s, 5 min and 30 min, with the same id and body, until the receiver takes it', async () => {
  const { server, start, work, storage, delivered, errors } = setUp()
  const { pool } = start()
  receiver.answer(500, 'die')
  await work(pool)
  await failedAttempt(storage, 1)
  expect(receiver.requests).toHaveLength(1)
  await server.advance(4999)
  expect(receiver.requests).toHaveLength(1)
  await server.advance(1)
  await failedAttempt(storage, 2)
  expect(receiver.requests).toHaveLength(2)
  await receiver.crash()
  await server.advance(5 * MINUTE)
  await failedAttempt(storage, 3)
  await receiver.restart()
  await server.advance(30 * MINUTE - 1)
  expect(receiver.requests).toHaveLength(2)
  await server.advance(1)
  await receiver.received(3)
  await delivered()
  const [first, , last] = receiver.requests
  expect(last?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(last?.body).toEqual(first?.body)
  expect(last?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp'])
  verified(2, server.browser.now())
  expect(errors).toEqual([])
})

it('tells of calls that fail and of calls without a task', async () => {
  const { server, start, delivered } = setUp()
  const { pool } = start()
  const client = pool.get('ada')
  const failing = client.startToolCall(
    { name: 'work', arguments: { seconds: 1, outcome: 'failure' } },
    { key: 'failing' },
  )
  await Promise.all([expect(failing.result).rejects.toThrow(), server.advance(5000)])
  await receiver.received(1)
  const { result } = client.startToolCall({ name: 'echo', arguments: { text: 'hi' } })
  await Promise.all([result, server.advance(1000)])
  await receiver.received(2)
  await delivered()
  const now = server.browser.now()
  expect(verified(0, now)).toMatchObject({ type: 'tool_call.failed', data: { name: 'work', error: 'TaskFailedError' } })
  expect(verified(1, now)).toMatchObject({ type: 'tool_call.completed', data: { name: 'echo', isError: false } })
})

it('waits for as long as Retry-After says, and takes a redirect for a refusal', async () => {
  const { server, start, work, storage, delivered } = setUp()
  const { pool } = start()
  receiver.answer({ status: 503, headers: { 'retry-after': '60' } }, { status: 307, headers: { location: '/other' } })
  await work(pool)
  await failedAttempt(storage, 1)
  await server.advance(59_999)
  expect(receiver.requests).toHaveLength(1)
  await server.advance(1)
  await failedAttempt(storage, 2)
  expect(receiver.requests.map(({ url }) => url)).toEqual(['/hooks', '/hooks'])
  await server.advance(5 * MINUTE)
  await receiver.received(3)
  await delivered()
})

it('gives an attempt up that is not answered for 20 s', async () => {
  const { server, start, work, storage, delivered, sentAt } = setUp()
  const { pool } = start()
  receiver.answer('hang')
  await work(pool)
  await receiver.received(1)
  const [at = expect.fail()] = sentAt
  await server.advance(at + 19_999 - server.browser.now())
  expect([...storage.items.values()].some((text) => JSON.parse(text).attempts === 1)).toBe(false)
  await server.advance(1)
  expect(await failedAttempt(storage, 1)).toMatchObject({ nextAt: at + 25_000 })
  await server.advance(5000)
  await receiver.received(2)
  await delivered()
})

it('takes a webhook for delivered whose receiver answers 200, and then cuts the connection', async () => {
  const { start, work, storage, delivered } = setUp()
  const cut: typeof fetch = async (url, init) => {
    await fetch(url, init)
    const body = new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) })
    return new Response(body, { status: 200 })
  }
  const { pool } = start({ environment: { fetch: cut } })
  await work(pool)
  await Promise.race([delivered(), failedAttempt(storage, 1)])
  expect(waiting(storage.items)).toEqual([])
  expect(receiver.requests).toHaveLength(1)
})

it('reports a webhook that was refused ten times, and keeps nothing of it', async () => {
  const { server, start, work, storage, delivered, errors } = setUp()
  const { pool } = start()
  receiver.answer(...Array.from({ length: 10 }, () => 500))
  await work(pool)
  for (let attempts = 1; attempts < 10; attempts += 1) {
    const { nextAt } = await failedAttempt(storage, attempts)
    await server.advance(nextAt - server.browser.now())
  }
  await delivered()
  expect(receiver.requests).toHaveLength(10)
  expect(errors).toEqual([expect.any(DeliveryFailedError)])
  expect(errors[0]).toMatchObject({
    name: 'DeliveryFailedError',
    attempts: 10,
    deliveryId: receiver.requests[0]?.headers['webhook-id'],
    message: 'Failed to deliver the message about a call after 10 attempts: it answered with HTTP 500.',
  })
})

it('gives up at once where the receiver answers 410', async () => {
  const { start, work, delivered, errors } = setUp()
  const { pool } = start()
  receiver.answer(410)
  await work(pool)
  await receiver.received(1)
  await delivered()
  expect(errors).toMatchObject([{ name: 'DeliveryFailedError', attempts: 1 }])
})

describe('a process that is killed', () => {
  it('leaves a webhook that the next process sends at its time, under the same id', async () => {
    const { server, start, work, storage, delivered } = setUp()
    const first = start()
    receiver.answer(500)
    await work(first.pool)
    await failedAttempt(storage, 1)
    await first.kill()
    start()
    await server.advance(4999)
    expect(receiver.requests).toHaveLength(1)
    await server.advance(1)
    await receiver.received(2)
    await delivered()
    const [before, after] = receiver.requests
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id'])
  })

  it('leaves a webhook that the next process sends, although its clock is a year behind', async () => {
    const { start, work, storage, delivered, server } = setUp()
    const first = start()
    receiver.answer(500)
    await work(first.pool)
    await failedAttempt(storage, 1)
    await first.kill()
    const yearMs = 365 * 24 * 60 * MINUTE
    for (const [key, text] of [...storage.items].filter(([each]) => each.includes(':due:'))) {
      const { nextAt, endedAt, ...rest } = JSON.parse(text)
      storage.items.set(key, JSON.stringify({ ...rest, nextAt: nextAt + yearMs, endedAt: endedAt + yearMs }))
    }
    start()
    await server.advance(1000)
    await receiver.received(2)
    await delivered()
  })

  it.each(['killed', 'closed'])(
    'leaves a call that the next process follows to its end, although no page asks for it (%s)',
    async (end) => {
      const { server, start, delivered } = setUp()
      const first = start()
      first.pool
        .get('ada')
        .startToolCall(WORK, { key: 'weekly' })
        .result.catch(() => {})
      await server.advance(1500)
      if (end === 'killed') await first.kill()
      else await Promise.all([first.pool.close().then(first.webhooks.close), server.advance(100)])
      await server.advance(10_000)
      const next = start()
      await Promise.all([next.webhooks.resume(next.pool.get), server.advance(1000)])
      expect(next.pool.size).toBe(1)
      await server.advance(5000)
      await receiver.received(1)
      await delivered()
      expect(verified(0, server.browser.now())).toMatchObject({ type: 'tool_call.completed', data: { key: 'weekly' } })
      expect(server.count('tools/call')).toBe(1)
    },
  )

  it.each(['webhook', 'running call'])(
    'leaves a %s to a process whose storage does not work at first',
    async (what) => {
      const { server, start, work, storage, delivered, errors } = setUp()
      const first = start()
      if (what === 'webhook') {
        receiver.answer(500)
        await work(first.pool)
        await failedAttempt(storage, 1)
      } else {
        first.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
        await server.advance(1500)
      }
      await first.kill()
      const before = receiver.requests.length
      let isDown = true
      const keys = async (prefix?: string) => {
        if (isDown) throw new Error('connect ECONNREFUSED')
        return storage.keys(prefix)
      }
      const next = start({ storage: { ...storage, keys } })
      await Promise.all([next.webhooks.resume(next.pool.get), server.advance(90_000)])
      expect(errors.length).toBeGreaterThan(0)
      expect(receiver.requests).toHaveLength(before)
      isDown = false
      await server.advance(2 * MINUTE)
      await receiver.received(before + 1)
      await delivered()
      expect(server.count('tools/call')).toBe(1)
    },
  )

  describe('before the call has a task', () => {
    async function leaveInterrupted(call: { name: string; arguments: Record<string, unknown> } = WORK) {
      const parts = setUp()
      const { server, start } = parts
      const first = start()
      server.faults.delay(3000, { method: 'tools/call', times: 1 })
      first.pool.get('ada').startToolCall(call, { key: 'weekly', meta: { title: 'Weekly report' } })
      await server.advance(500)
      await first.kill()
      const next = start()
      await Promise.all([next.webhooks.resume(next.pool.get), server.advance(1000)])
      return { ...parts, ...next }
    }

    it.each([30_000, 2 * MINUTE])('leaves it to who goes on with it within some minutes (%i)', async (ms) => {
      const { server, storage, pool, delivered } = await leaveInterrupted()
      await server.advance(ms)
      expect(waiting(storage.items)).toEqual(['open'])
      const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
      await Promise.all([result, server.advance(10_000)])
      await receiver.received(1)
      await delivered()
      expect(verified(0, server.browser.now())).toMatchObject({ type: 'tool_call.completed', data: { key: 'weekly' } })
      await server.advance(10 * MINUTE)
      expect(receiver.requests).toHaveLength(1)
    })

    it('is told of as failed after five minutes, if nobody goes on with it', async () => {
      const { server, storage, delivered } = await leaveInterrupted()
      await server.advance(5 * MINUTE - 2000)
      expect(waiting(storage.items)).toEqual(['open'])
      await server.advance(2000)
      await receiver.received(1)
      await delivered()
      const error = 'ToolCallInterruptedError'
      expect(verified(0, server.browser.now())).toMatchObject({
        type: 'tool_call.failed',
        data: { key: 'weekly', error },
      })
    })

    // No client lists the record of a call that its page may make anew.
    it('is told of as failed also where the tool only reads', async () => {
      const { server, storage, delivered } = await leaveInterrupted({ name: 'look', arguments: { seconds: 3 } })
      await server.advance(5 * MINUTE - 2000)
      expect(waiting(storage.items)).toEqual(['open'])
      await server.advance(2000)
      await receiver.received(1)
      await delivered()
      expect(verified(0, server.browser.now())).toMatchObject({
        type: 'tool_call.failed',
        data: { name: 'look', key: 'weekly', meta: { title: 'Weekly report' }, error: 'ToolCallInterruptedError' },
      })
    })

    it('is not told of as failed where the tool only reads, and the call is made again', async () => {
      const look = { name: 'look', arguments: { seconds: 3 } }
      const { server, storage, pool, delivered } = await leaveInterrupted(look)
      const { result } = pool.get('ada').startToolCall(look, { key: 'weekly' })
      await Promise.all([result, server.advance(10_000)])
      await receiver.received(1)
      expect(verified(0, server.browser.now())).toMatchObject({ type: 'tool_call.completed' })
      await server.advance(10 * MINUTE)
      await delivered()
      expect([receiver.requests.length, waiting(storage.items)]).toEqual([1, []])
    })

    it('is not told of where it is forgotten', async () => {
      const { server, storage, pool } = await leaveInterrupted({ name: 'look', arguments: { seconds: 3 } })
      const client = pool.get('ada')
      await Promise.all([client.forget({ callId: client.toolCallId('look', 'weekly') }), server.advance(1000)])
      expect(waiting(storage.items)).toEqual([])
      await server.advance(10 * MINUTE)
      expect(receiver.requests).toHaveLength(0)
    })

    // It only looked failed: a receiver that ignores ids that it knows must not ignore how it has ended.
    it('is told of again, under another id, if it is gone on with after that', async () => {
      const { server, pool, delivered } = await leaveInterrupted()
      await server.advance(6 * MINUTE)
      await receiver.received(1)
      await delivered()
      const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
      await Promise.all([result, server.advance(10_000)])
      await receiver.received(2)
      await delivered()
      const [failed, completed] = receiver.requests
      expect(verified(0, server.browser.now())).toMatchObject({ type: 'tool_call.failed' })
      expect(verified(1, server.browser.now())).toMatchObject({ type: 'tool_call.completed' })
      expect(completed?.headers['webhook-id']).not.toBe(failed?.headers['webhook-id'])
    })

    it('is not told of as failed any more once it is gone on with', async () => {
      const { server, storage, pool, delivered } = await leaveInterrupted()
      receiver.answer(500)
      await server.advance(5 * MINUTE)
      await failedAttempt(storage, 1)
      const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
      await Promise.all([result, server.advance(10_000)])
      await receiver.received(2)
      await delivered()
      expect(verified(1, server.browser.now())).toMatchObject({ type: 'tool_call.completed' })
      await server.advance(60 * MINUTE)
      expect(receiver.requests).toHaveLength(2)
    })
  })

  it('between the end of a call and its webhook leaves what the next process needs to send it', async () => {
    const { server, start, storage, delivered } = setUp()
    const never = new Promise<never>(() => {})
    const setItem = (key: string, value: string) => (key.includes(':due:') ? never : storage.setItem(key, value))
    const first = start({ storage: { ...storage, setItem } })
    const { result } = first.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
    await Promise.all([result, server.advance(4500)])
    expect(waiting(storage.items)).toEqual(['open'])
    await first.kill()
    const next = start()
    await Promise.all([next.webhooks.resume(next.pool.get), server.advance(3000)])
    await receiver.received(1)
    await delivered()
    expect(verified(0, server.browser.now())).toMatchObject({ type: 'tool_call.completed' })
  })

  it('with an attempt under way leaves a webhook that comes a second time, under the same id', async () => {
    const { server, start, work, delivered } = setUp()
    const first = start()
    receiver.answer('hang')
    await work(first.pool)
    await receiver.received(1)
    await first.kill()
    start()
    await server.advance(1000)
    await receiver.received(2)
    await delivered()
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  it('leaves a note that is removed after 30 days, if nobody asks how the call has ended', async () => {
    const { server, start, storage } = setUp()
    const first = start()
    first.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
    await server.advance(1500)
    await first.kill()
    const second = await startLater(29)
    expect(waiting(storage.items)).toEqual(['open'])
    await second.kill()
    await startLater(1)
    await server.advance(MINUTE)
    expect(waiting(storage.items)).toEqual([])

    async function startLater(days: number) {
      await server.advance(days * 24 * 60 * MINUTE)
      const next = start()
      await server.advance(1000)
      return next
    }
  })

  it('leaves a call that runs for longer than 30 days, which is told of at its end', async () => {
    const { server, start, storage, delivered } = setUp()
    const days = 24 * 60 * MINUTE
    const first = start()
    const quiet = { name: 'look', arguments: { seconds: (31 * days + 10 * MINUTE) / 1000 } }
    first.pool.get('ada').startToolCall(quiet, { key: 'monthly' })
    await server.advance(1500)
    await first.kill()
    await server.advance(31 * days)
    const next = start()
    await Promise.all([next.webhooks.resume(next.pool.get), server.advance(2 * MINUTE)])
    expect(waiting(storage.items)).toEqual(['open'])
    await server.advance(10 * MINUTE)
    await receiver.received(1)
    await delivered()
    expect(verified(0, server.browser.now())).toMatchObject({ type: 'tool_call.completed', data: { key: 'monthly' } })
  })

  it('that had sent its webhooks leaves none, also where the ended call is looked at again', async () => {
    const { server, start, work, delivered } = setUp()
    const first = start()
    await work(first.pool)
    await receiver.received(1)
    await delivered()
    await first.kill()
    const { pool } = start()
    const client = pool.get('ada')
    await server.advance(1000)
    const [call] = Object.values(client.store.getState().calls)
    expect(call?.phase).toBe('ended')
    await Promise.all([client.getToolCall(call?.callId ?? '')?.result, server.advance(60_000)])
    expect(receiver.requests).toHaveLength(1)
  })
})

describe('a note of a call', () => {
  it('goes where the call was made in an earlier visit, and had ended by then', async () => {
    const { server, start, work, storage, delivered } = setUp()
    const first = start()
    await work(first.pool)
    await receiver.received(1)
    await delivered()
    await first.kill()
    const { pool } = start()
    const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
    await Promise.all([result, server.advance(10_000)])
    expect(server.count('tools/call')).toBe(1)
    expect(waiting(storage.items)).toEqual([])
    expect(receiver.requests).toHaveLength(1)
  })

  it('goes where the call is refused for one of its key that a killed process has left', async () => {
    const { server, start, storage } = setUp()
    const first = start()
    server.faults.delay(3000, { method: 'tools/call', times: 1 })
    first.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
    await server.advance(500)
    await first.kill()
    const notes = () => [...storage.items.keys()].filter((key) => key.includes(':open:'))
    const left = notes()
    const { pool } = start()
    const other = { name: 'work', arguments: { seconds: 4 } }
    const { result } = pool.get('ada').startToolCall(other, { key: 'weekly' })
    await Promise.all([expect(result).rejects.toThrow(ToolCallKeyConflictError), server.advance(1000)])
    expect(left).toHaveLength(1)
    expect(notes().filter((key) => !left.includes(key))).toEqual([])
  })
})

describe('several processes', () => {
  it('send one webhook for a call that all of them follow', async () => {
    const { server, start, delivered } = setUp()
    const [a, b] = [start({}, false), start({}, false)]
    const calls = [a, b].map(({ pool }) => pool.get('ada').startToolCall(WORK, { key: 'weekly' }))
    await Promise.all([...calls.map(({ result }) => result), server.advance(10_000)])
    await receiver.received(1)
    await delivered()
    await server.advance(2 * MINUTE)
    expect(receiver.requests).toHaveLength(1)
    expect(server.count('tools/call')).toBe(1)
  })

  it('send it once, also where one of them was frozen while the call ended', async () => {
    const { server, start, storage, delivered } = setUp()
    const [a, b] = [start({}, false), start({}, false)]
    const calls = [a, b].map(({ pool }) => pool.get('ada').startToolCall(WORK, { key: 'weekly' }))
    await server.advance(1500)
    b.machine.freeze()
    await Promise.all([calls[0]?.result, server.advance(40_000)])
    await receiver.received(1)
    await delivered()
    await b.machine.thaw()
    await Promise.all([calls[1]?.result, server.advance(2 * MINUTE)])
    expect(receiver.requests).toHaveLength(1)
    expect(waiting(storage.items)).toEqual([])
  })

  it('leave alone what another one has delivered while they were frozen during an attempt', async () => {
    const { server, start, storage } = setUp()
    let isHeld = true
    const locks: Locks = { request: (name, _, hold) => hold({ name, isHeld: () => isHeld }) }
    const isDue = (key: string) => key.includes(':due:')
    let onTouch = () => {}
    const watched: TaskStorage = {
      ...storage,
      getItem: (key) => {
        if (isDue(key)) onTouch()
        return storage.getItem(key)
      },
      setItem: (key, value) => {
        if (isDue(key)) onTouch()
        return storage.setItem(key, value)
      },
    }
    const { pool } = start({ environment: { locks }, storage: watched })
    const release = receiver.hold()
    receiver.answer(500)
    const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
    await Promise.all([result, server.advance(5000), receiver.received(1)])
    isHeld = false
    for (const key of [...storage.items.keys()].filter(isDue)) await storage.removeItem(key)
    const touched = new Promise<void>((resolve) => {
      onTouch = resolve
    })
    release()
    await touched
    await server.advance(2 * MINUTE)
    expect(waiting(storage.items)).toEqual([])
    expect(receiver.requests).toHaveLength(1)
  })

  it('do not send at the same time what a killed one has left', async () => {
    const { server, start, work, storage, delivered } = setUp()
    const first = start({}, false)
    receiver.answer(500)
    await work(first.pool)
    const { nextAt } = await failedAttempt(storage, 1)
    await first.kill()
    start({}, false)
    start({}, false)
    const release = receiver.hold()
    await server.advance(nextAt - server.browser.now())
    await receiver.received(2)
    await server.advance(10_000)
    expect(receiver.requests).toHaveLength(2)
    release()
    await delivered()
    await server.advance(2 * MINUTE)
    expect(receiver.requests).toHaveLength(2)
  })

  it.each(['killed', 'closed'])(
    'follow the running call of one that is gone, although no page asks for it (%s)',
    async (end) => {
      const { server, start, storage, delivered } = setUp()
      const [a, b, c] = [start({}, false), start({}, false), start({}, false)]
      for (const { webhooks, pool } of [b, c]) await Promise.all([webhooks.resume(pool.get), server.advance(1000)])
      const { result } = a.pool
        .get('ada')
        .startToolCall({ name: 'work', arguments: { seconds: 200 } }, { key: 'weekly' })
      result.catch(() => {})
      await server.advance(2 * MINUTE)
      expect([b.pool.size, c.pool.size]).toEqual([0, 0])
      if (end === 'killed') await a.kill()
      else await Promise.all([a.pool.close().then(a.webhooks.close), server.advance(100)])
      expect(waiting(storage.items)).toEqual(['open'])
      await server.advance(MINUTE)
      expect([b.pool.size, c.pool.size].sort()).toEqual([0, 1])
      await server.advance(2 * MINUTE)
      await receiver.received(1)
      await delivered()
      await server.advance(2 * MINUTE)
      expect(receiver.requests).toHaveLength(1)
      expect(verified(0, server.browser.now())).toMatchObject({ type: 'tool_call.completed', data: { key: 'weekly' } })
      expect(server.count('tools/call')).toBe(1)
    },
  )

  it('follow on what they had taken over from a killed one, when they are killed themselves', async () => {
    const { server, start, delivered } = setUp()
    const [a, b, c] = [start({}, false), start({}, false), start({}, false)]
    for (const { webhooks, pool } of [b, c]) await Promise.all([webhooks.resume(pool.get), server.advance(1000)])
    const { result } = a.pool.get('ada').startToolCall({ name: 'work', arguments: { seconds: 200 } }, { key: 'weekly' })
    result.catch(() => {})
    await server.advance(1500)
    await a.kill()
    await server.advance(MINUTE)
    const [second, third] = b.pool.size === 1 ? [b, c] : [c, b]
    await second.kill()
    await server.advance(MINUTE)
    expect(third.pool.size).toBe(1)
    await server.advance(3 * MINUTE)
    await receiver.received(1)
    await delivered()
    expect(server.count('tools/call')).toBe(1)
  })

  it('follow the call of a killed one also if the storage loses its answer when they take it over', async () => {
    const { server, start, storage, delivered } = setUp()
    let isLossy = true
    const replaceItem: TaskStorage['replaceItem'] = async (key, before, after = '') => {
      if (storage.items.get(key) !== before) return false
      await storage.setItem(key, after)
      if (isLossy) throw new Error('the connection was lost')
      return true
    }
    const [a, b] = [start({}, false), start({ storage: { ...storage, replaceItem } }, false)]
    await Promise.all([b.webhooks.resume(b.pool.get), server.advance(1000)])
    a.pool.get('ada').startToolCall({ name: 'work', arguments: { seconds: 200 } }, { key: 'weekly' })
    await server.advance(1500)
    await a.kill()
    await server.advance(MINUTE)
    expect(b.pool.size).toBe(0)
    isLossy = false
    await server.advance(5 * MINUTE)
    expect(b.pool.size).toBe(1)
    await receiver.received(1)
    await delivered()
    expect(server.count('tools/call')).toBe(1)
  })

  it('follow the call of a killed one with a client of the user that has not heard of it', async () => {
    const { server, start, delivered } = setUp()
    const [a, b] = [start({}, false), start({}, false, { crossTab: false })]
    b.pool.get('ada')
    await server.advance(1000)
    const { result } = a.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
    result.catch(() => {})
    await server.advance(1500)
    await a.kill()
    await server.advance(2 * MINUTE)
    await receiver.received(1)
    await delivered()
    expect(server.count('tools/call')).toBe(1)
  })

  it('leave the calls of one that runs to it when they start', async () => {
    const { server, start, delivered } = setUp()
    const a = start({}, false)
    const { result } = a.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
    await server.advance(1500)
    const b = start({}, false)
    await Promise.all([b.webhooks.resume(b.pool.get), server.advance(1000)])
    expect(b.pool.size).toBe(0)
    await Promise.all([result, server.advance(10_000)])
    await receiver.received(1)
    await delivered()
  })

  it('send what a killed one has left, within a minute', async () => {
    const { server, start, work, storage, delivered } = setUp()
    const [a] = [start({}, false), start({}, false)]
    await server.advance(1000)
    receiver.answer(500)
    await work(a.pool)
    await failedAttempt(storage, 1)
    await a.kill()
    await server.advance(MINUTE)
    await receiver.received(2)
    await delivered()
  })
})

it('sends the webhooks of a user while the receiver of another one hangs, or is not found out', async () => {
  const { server, start } = setUp()
  const never = new Promise<never>(() => {})
  const to = { url: receiver.url, secret: SECRET }
  const { pool } = start({ endpoint: (userId) => (userId === 'ada' ? never : to) })
  for (let at = 0; at < 20; at += 1) pool.get('ada').startToolCall(WORK, { key: `of Ada ${at}` })
  await server.advance(10_000)
  pool.get('eve').startToolCall(WORK, { key: 'of Eve' })
  await server.advance(5000)
  await receiver.received(1)
  expect(JSON.parse(`${receiver.requests[0]?.body}`)).toMatchObject({ data: { userId: 'eve' } })
})

it('gives an attempt up whose receiver is not found out for 20 s', async () => {
  const { server, storage, start, work, delivered } = setUp()
  const never = new Promise<never>(() => {})
  const to = { url: receiver.url, secret: SECRET }
  let asked = 0
  const { pool } = start({ endpoint: () => (asked++ === 0 ? never : to) })
  await work(pool)
  await server.advance(20_000)
  await failedAttempt(storage, 1)
  await server.advance(5000)
  await receiver.received(1)
  await delivered()
})

it('waits for a body that is a promise, and reports one that rejects', async () => {
  const { server, start, errors, delivered } = setUp()
  const { pool } = start({
    body: async ({ key }) => {
      if (key === 'broken') throw new Error('no such row')
      return { key }
    },
  })
  for (const key of ['broken', 'weekly']) pool.get('ada').startToolCall(WORK, { key })
  await server.advance(10_000)
  await receiver.received(1)
  await delivered()
  expect(receiver.requests.map(({ body }) => JSON.parse(`${body}`))).toEqual([{ key: 'weekly' }])
  expect(errors.map(({ message }) => message)).toEqual(['no such row'])
})

it('sends nothing where the filter returns something else than true', async () => {
  const { server, start, storage } = setUp()
  const { pool } = start({ filter: (async () => false) as never })
  pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await server.advance(10_000)
  await storage.until((items) => waiting(items).length === 0)
  expect(receiver.requests).toHaveLength(0)
})

it('sends nothing for calls that were forgotten or filtered out, and for those that have no body', async () => {
  const { server, start, work, storage } = setUp()
  const { pool } = start({
    filter: ({ key }) => key !== 'private',
    body: ({ key, phase }) => (key === 'silent' ? undefined : { phase }),
  })
  await work(pool, 'private')
  await work(pool, 'silent')
  const client = pool.get('ada')
  const { callId } = client.startToolCall(WORK, { key: 'forgotten' })
  await server.advance(1000)
  expect(waiting(storage.items)).toEqual(['open'])
  await Promise.all([client.forget({ callId }), server.advance(10_000)])
  expect(waiting(storage.items)).toEqual([])
  await work(pool, 'told')
  await receiver.received(1)
  expect(verified(0, server.browser.now())).toEqual({ phase: 'completed' })
})

it('sends the webhook of a call that the app forgets as soon as it has ended', async () => {
  const { server, start, delivered } = setUp()
  const { pool } = start()
  const client = pool.get('ada')
  client.onToolCallSettled(({ callId }) => void client.forget({ callId }))
  const { result } = client.startToolCall(WORK, { key: 'weekly' })
  await Promise.all([result, server.advance(5000)])
  await delivered()
  expect(receiver.requests).toHaveLength(1)
})

it('forgetUser() removes what is kept for a user, and nothing of others', async () => {
  const { server, start, work, storage, delivered } = setUp()
  const { pool, webhooks } = start()
  receiver.answer(500)
  await work(pool)
  await failedAttempt(storage, 1)
  pool.get('eve').startToolCall(WORK, { key: 'weekly' })
  await server.advance(1000)
  expect(waiting(storage.items)).toEqual(['due', 'open'])
  await webhooks.forgetUser('ada')
  expect(waiting(storage.items)).toEqual(['open'])
  await server.advance(10_000)
  await receiver.received(2)
  await delivered()
  expect(verified(1, server.browser.now())).toMatchObject({ data: { userId: 'eve' } })
})

it('forgetUser() removes the message that a call is taken for failed, also where it is being written', async () => {
  const { server, start, storage } = setUp()
  const first = start()
  server.faults.delay(3000, { method: 'tools/call', times: 1 })
  first.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await server.advance(1500)
  await first.kill()
  let write = () => {}
  const body = () =>
    new Promise<unknown>((resolve) => {
      write = () => resolve({ phase: 'failed' })
    })
  const { webhooks, pool } = start({ body })
  await Promise.all([webhooks.resume(pool.get), server.advance(5 * MINUTE + 5000)])
  expect(waiting(storage.items)).toEqual(['open'])
  receiver.hold()
  const forgotten = webhooks.forgetUser('ada')
  await server.advance(100)
  write()
  await forgotten
  expect(waiting(storage.items)).toEqual([])
  await server.advance(MINUTE)
  expect(receiver.requests).toHaveLength(0)
})

it('forgetUser() removes what another process has written, which then sends nothing', async () => {
  const { server, start, work, storage } = setUp()
  const [a, b] = [start({}, false), start({}, false)]
  await server.advance(1000)
  receiver.answer(500)
  await work(a.pool)
  await failedAttempt(storage, 1)
  const { result } = a.pool.get('ada').startToolCall(WORK, { key: 'monthly' })
  a.pool.get('eve').startToolCall({ name: 'work', arguments: { seconds: 3600 } }, { key: 'weekly' })
  await server.advance(1000)
  expect(waiting(storage.items)).toEqual(['due', 'open', 'open'])
  await Promise.all([b.webhooks.forgetUser('ada'), server.advance(100)])
  expect(waiting(storage.items)).toEqual(['open'])
  await Promise.all([result, server.advance(2 * MINUTE)])
  expect(receiver.requests).toHaveLength(1)
  expect(waiting(storage.items)).toEqual(['open'])
})

it.each(['one process', 'several processes'])(
  'does not send again what was delivered and could not be removed, and removes it later (%s)',
  async (processes) => {
    const { server, start, storage, errors, work, delivered } = setUp()
    let failures = 0
    let onFailure = () => {}
    const failed = new Promise<void>((resolve) => {
      onFailure = resolve
    })
    const removeItem = (key: string) => {
      if (!key.includes(':due:') || failures++ >= 3) return storage.removeItem(key)
      onFailure()
      throw new Error('the connection was lost')
    }
    const { pool } = start({ storage: { ...storage, removeItem } }, processes === 'one process')
    await work(pool)
    await failed
    await server.advance(2 * MINUTE)
    await delivered()
    await server.advance(2 * MINUTE)
    expect(receiver.requests).toHaveLength(1)
    expect(errors.map(({ name }) => name)).toEqual(['TaskStorageError', 'TaskStorageError', 'TaskStorageError'])
  },
)

it('forgetUser() rejects while the storage fails, and removes the rest when it is called again', async () => {
  const { server, start, work, storage } = setUp()
  let isDown = false
  const removeItem = (key: string) => {
    if (isDown) throw new Error('the disk is read-only')
    return storage.removeItem(key)
  }
  const { pool, webhooks } = start({ storage: { ...storage, removeItem } })
  receiver.answer(500)
  await work(pool)
  await failedAttempt(storage, 1)
  isDown = true
  await expect(webhooks.forgetUser('ada')).rejects.toThrow(TaskStorageError)
  isDown = false
  await webhooks.forgetUser('ada')
  expect(waiting(storage.items)).toEqual([])
  await server.advance(MINUTE)
  expect(receiver.requests).toHaveLength(1)
})

it('asks for the endpoint of a user before each attempt, and signs with each secret', async () => {
  const { server, start, work, delivered } = setUp()
  const old = `whsec_${Buffer.from('another secret, older one').toString('base64')}`
  const endpoint = vi.fn((userId: string) =>
    userId === 'ada' ? { url: receiver.url, secret: [SECRET, old] } : undefined,
  )
  const { pool } = start({ endpoint })
  await work(pool, 'weekly', 'eve')
  await delivered()
  await work(pool)
  await receiver.received(1)
  await delivered()
  expect(endpoint.mock.calls).toEqual([['eve'], ['ada']])
  verified(0, server.browser.now())
  const [{ headers, body } = expect.fail()] = receiver.requests
  expect(new Webhook(old).verify(body, headers as Record<string, string>)).toMatchObject({ data: { userId: 'ada' } })
})

it.each([
  ['a URL that is none', 'nowhere', SECRET],
  ['a URL of data', 'data:,', SECRET],
  ['a password in the URL', 'http://hook:pass@127.0.0.1/', SECRET],
  ['no secret', '', []],
])('sends nothing to an endpoint of a user that has %s, and reports it', async (_, url, secret) => {
  const { server, start, work, storage, errors, delivered } = setUp()
  let isRight = false
  const right = { url: receiver.url, secret: SECRET }
  const { pool } = start({ endpoint: () => (isRight ? right : { url: url || receiver.url, secret }) })
  await work(pool)
  await failedAttempt(storage, 1)
  expect(receiver.requests).toHaveLength(0)
  expect(errors).toEqual([expect.any(TaskConfigurationError)])
  expect(errors[0]?.message).not.toContain('pass@')
  isRight = true
  await server.advance(5000)
  await receiver.received(1)
  await delivered()
  verified(0, server.browser.now())
})

it('delivers while the storage fails, and reports that it does', async () => {
  const { server, start, storage, errors } = setUp()
  const setItem = (key: string, value: string) => {
    if (key.startsWith('taskwire:out:')) throw new Error('the disk is full')
    return storage.setItem(key, value)
  }
  const { pool } = start({ storage: { ...storage, setItem } })
  const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await Promise.all([result, server.advance(5000)])
  await receiver.received(1)
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.every((error) => error instanceof TaskStorageError)).toBe(true)
})

it('close() ends what is under way, and the next process sends it', async () => {
  const { server, start, work, storage, delivered } = setUp()
  const first = start()
  receiver.answer('hang')
  await work(first.pool)
  await receiver.received(1)
  await Promise.all([first.pool.close(), server.advance(0)])
  await first.webhooks.close()
  expect(waiting(storage.items)).toEqual(['due'])
  start()
  await server.advance(0)
  await receiver.received(2)
  await delivered()
})

it('close() resolves, although a body is never made, and the next process sends the webhook', async () => {
  const { server, start, storage, errors, delivered } = setUp()
  const never = new Promise<never>(() => {})
  const { pool, webhooks } = start({ body: () => never })
  const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await Promise.all([result, server.advance(5000)])
  await Promise.all([pool.close(), server.advance(0)])
  const closed = vi.fn()
  void webhooks.close().then(closed)
  await server.advance(10_000)
  expect(closed).toHaveBeenCalledOnce()
  expect([waiting(storage.items), errors]).toEqual([['open'], []])
  const next = start()
  await Promise.all([next.webhooks.resume(next.pool.get), server.advance(1000)])
  await receiver.received(1)
  await delivered()
})

it('reports a body that is not made within 20 s', async () => {
  const { server, start, storage, errors } = setUp()
  const { pool } = start({ body: () => new Promise<never>(() => {}) })
  pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await server.advance(30_000)
  expect(errors.map(({ message }) => message)).toEqual(['the message about a call was not made within 20 s'])
  expect(waiting(storage.items)).toEqual([])
})

it('reports what functions of the app throw, and what their promises reject with', async () => {
  const { server, start, storage, errors, delivered } = setUp()
  const first = start()
  first.pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await server.advance(1500)
  await first.kill()
  let asked = 0
  const { webhooks, pool } = start({
    endpoint: () => {
      if (asked++ === 0) throw new Error('no such user')
      return { url: receiver.url, secret: SECRET }
    },
  })
  const failing = async () => {
    throw new Error('no such session')
  }
  await Promise.all([webhooks.resume(failing), server.advance(1000)])
  expect(errors.map(({ message }) => message)).toEqual(['no such session'])
  pool.get('ada')
  await server.advance(5000)
  await failedAttempt(storage, 1)
  expect(errors.map(({ message }) => message)).toEqual(['no such session', 'no such user'])
  await server.advance(5000)
  await receiver.received(1)
  await delivered()
})

it('sends each webhook, although onError throws', async () => {
  const { server, start, storage } = setUp()
  const setItem = (key: string, value: string) => {
    if (key.startsWith('taskwire:out:')) throw new Error('the disk is full')
    return storage.setItem(key, value)
  }
  const onError = () => {
    throw new Error('the log is full')
  }
  const uncaught: unknown[] = []
  const timers = server.browser.openPage().environment
  const { pool } = start({
    ...{ storage: { ...storage, setItem }, onError },
    environment: {
      setTimeout: (callback, ms) =>
        timers.setTimeout(() => {
          try {
            callback()
          } catch (thrown) {
            uncaught.push(thrown)
          }
        }, ms),
      clearTimeout: timers.clearTimeout,
    },
  })
  const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await Promise.all([result, server.advance(5000)])
  await receiver.received(1)
  expect(uncaught).toContainEqual(new Error('the log is full'))
})

it('close() resolves, although another process does not let go of a lock', async () => {
  const { server, start, storage, errors } = setUp()
  const { pool, webhooks } = start({}, false)
  const { result } = pool.get('ada').startToolCall(WORK, { key: 'weekly' })
  await server.advance(1500)
  const [key = ''] = [...storage.items.keys()].filter((each) => each.includes(':open:'))
  const never = new Promise<void>(() => {})
  const { locks } = server.browser.openPage().environment
  void locks?.request(key.replace(':open:', ':'), {}, () => never)
  await Promise.all([result, server.advance(5000)])
  expect(waiting(storage.items)).toEqual(['open'])
  const closed = vi.fn()
  void webhooks.close().then(closed)
  await server.advance(10_000)
  expect(closed).toHaveBeenCalledOnce()
  expect([waiting(storage.items), errors]).toEqual([['open'], []])
})

it('says which option cannot be used', () => {
  const storage = watchedStorage()
  const endpoint = { url: receiver.url, secret: SECRET }
  const refused: [options: object, words: RegExp][] = [
    [{ endpoint }, /needs a storage/],
    [{ endpoint, storage: {} }, /storage must be/],
    [{ storage }, /endpoint.url is undefined; it must be/],
    [{ storage, endpoint: { ...endpoint, url: 'ftp://example.com' } }, /endpoint.url is 'ftp:\/\/example.com'/],
    [{ storage, endpoint: { url: receiver.url } }, /endpoint.secret is missing/],
    [{ storage, endpoint: { ...endpoint, secret: [] } }, /endpoint.secret is missing/],
    [{ storage, endpoint: { ...endpoint, secret: 'whsec_§' } }, /endpoint.secret cannot be read/],
    [{ storage, endpoint: { ...endpoint, url: 'https://hook:pass@example.com' } }, /has a user name or a password/],
    [{ storage, endpoint, name: 'push' }, /name is 'push'; it must be another text/],
    [{ storage, endpoint, body: {} }, /body is an object; it must be a function/],
    [{ storage, endpoint, name: 'a:b' }, /name is 'a:b'/],
    [{ storage, endpoint, url: 'x' }, /There is no option url/],
  ]
  for (const [options, words] of refused) {
    expect(() => createWebhooks(options as WebhooksOptions)).toThrow(TaskConfigurationError)
    expect(() => createWebhooks(options as WebhooksOptions)).toThrow(words)
  }
})
