import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { completed, TASK, working } from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import { TaskConfigurationError, TaskExpiredError } from '../protocol/errors.js'
import type { DetailedTask } from '../protocol/task.js'
import type { Following } from './call.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'
import { createPollQueue } from './pollQueue.js'
import type { TaskMessage } from './taskMessage.js'
import type { TaskPort } from './taskPort.js'

const due = (taskId: string, now: number): Following => ({
  callId: `call of ${taskId}`,
  name: 'report',
  startedAt: 0,
  stage: 'following',
  ...TRACKED,
  task: { ...TASK, taskId },
  knownAt: now,
  receivedAt: now,
  dueAt: now,
  earliestAt: now,
  poll: 'queued',
})

interface QueueTestOptions {
  readonly maxConcurrent?: number
  readonly connect?: () => Promise<void>
  readonly hasPeers?: boolean
}

/** A queue whose polls end when the test says so. */
function begin({ maxConcurrent = 2, connect, hasPeers = false }: QueueTestOptions = {}) {
  const page = createSimulatedEnvironment()
  const { environment } = page
  const sent: string[] = []
  const posted: [string, TaskMessage][] = []
  const messages: [string, TaskMessage['type']][] = []
  const followers = new Map<string, Following[]>()
  const open = new Map<string, { resolve(task: DetailedTask): void; reject(error: Error): void }>()
  let most = 0
  const port: Pick<TaskPort, 'connect' | 'getTask' | 'era'> = {
    era: 'modern',
    ...(connect && { connect }),
    getTask: (taskId, signal) => {
      sent.push(taskId)
      return new Promise<DetailedTask>((resolve, reject) => {
        open.set(taskId, { resolve, reject })
        most = Math.max(most, open.size)
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      }).finally(() => open.delete(taskId))
    },
  }
  const queue = createPollQueue({
    port,
    environment,
    policy: DEFAULT_POLL_POLICY,
    tabs: { hasPeers: () => hasPeers, postTask: (taskId, message) => void posted.push([taskId, message]) },
    maxConcurrent,
    followersOf: (taskId) => followers.get(taskId) ?? [],
    isPushed: () => false,
    onSent: () => {},
    onMessage: (taskId, { type }) => void messages.push([taskId, type]),
  })
  const follow = (taskId: string, changes: Partial<Following> = {}) =>
    followers.set(taskId, [{ ...due(taskId, page.now()), ...changes }])
  return {
    page,
    queue,
    sent,
    posted,
    messages,
    followers,
    open,
    most: () => most,
    follow,
    add: (...taskIds: string[]) => {
      for (const taskId of taskIds) {
        follow(taskId)
        queue.add(taskId)
      }
    },
    /** The server responds to a poll, or it fails. */
    respond: async (taskId: string, response: DetailedTask | Error = { ...working(), taskId }) => {
      if (response instanceof Error) open.get(taskId)?.reject(response)
      else open.get(taskId)?.resolve(response)
      await page.settle()
    },
  }
}

describe('the polls that are due', () => {
  it('are sent no more than the limit at once, the others in the order in which they came', async () => {
    const { page, add, respond, sent, most, messages } = begin()
    add('a', 'b', 'c', 'd', 'e')
    await page.settle()
    expect(sent).toEqual(['a', 'b'])
    await respond('b')
    expect(sent).toEqual(['a', 'b', 'c'])
    for (const taskId of ['a', 'c', 'd', 'e']) await respond(taskId)
    expect(sent).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(messages).toHaveLength(5)
    expect(most()).toBe(2)
    expect(page.pendingTimers()).toBe(0)
  })

  it('are sent all at once where there is no limit', async () => {
    const { page, add, sent } = begin({ maxConcurrent: Number.POSITIVE_INFINITY })
    add('a', 'b', 'c', 'd')
    await page.settle()
    expect(sent).toEqual(['a', 'b', 'c', 'd'])
  })

  it('make room where one of them fails', async () => {
    const { add, respond, sent, messages, page } = begin({ maxConcurrent: 1 })
    add('a', 'b')
    await page.settle()
    await respond('a', new Error('no'))
    expect(sent).toEqual(['a', 'b'])
    expect(messages).toEqual([['a', 'poll-failed']])
  })

  it('make room where the connection fails before anything is sent', async () => {
    let isBroken = true
    const connect = () => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve())
    const { page, add, sent, messages } = begin({ maxConcurrent: 1, connect })
    add('a')
    await page.settle()
    expect(messages).toEqual([['a', 'poll-failed']])
    isBroken = false
    add('b')
    await page.settle()
    expect(sent).toEqual(['b'])
  })

  it('make room where the server does not answer in time', async () => {
    const { page, add, sent, messages } = begin({ maxConcurrent: 1 })
    add('a', 'b')
    await page.advance(DEFAULT_POLL_POLICY.requestTimeoutMs)
    expect(messages).toEqual([['a', 'poll-failed']])
    expect(sent).toEqual(['a', 'b'])
  })

  it('are one a task, however often it is added', async () => {
    const { page, add, queue, sent, respond } = begin()
    add('a')
    queue.add('a')
    await page.settle()
    queue.add('a')
    await respond('a')
    expect(sent).toEqual(['a'])
  })

  it('are not sent where the task is dropped while it waits, which takes no place', async () => {
    const { page, add, queue, sent, respond, messages } = begin({ maxConcurrent: 1 })
    add('a', 'b', 'c')
    queue.drop('b')
    await page.settle()
    await respond('a', completed({ taskId: 'a' }))
    expect(sent).toEqual(['a', 'c'])
    expect(messages).toEqual([['a', 'snapshot']])
  })

  it('make room where the task is dropped under way, and tell nobody of it', async () => {
    const { page, add, queue, followers, sent, messages, posted } = begin({ maxConcurrent: 1 })
    add('a', 'b')
    await page.settle()
    followers.delete('a')
    queue.drop('a')
    await page.settle()
    expect(sent).toEqual(['a', 'b'])
    expect(messages).toEqual([])
    expect(posted).toEqual([])
  })

  it.each([
    ['is followed no longer', (t: ReturnType<typeof begin>) => t.followers.delete('a'), []],
    [
      'is polled by another tab now',
      (t: ReturnType<typeof begin>) => t.follow('a', { poller: 'another-tab' }),
      ['poll-aborted'],
    ],
    [
      'was responded to in another tab',
      (t: ReturnType<typeof begin>) => t.follow('a', { dueAt: 1e15 }),
      ['poll-aborted'],
    ],
    [
      'was left and is followed again by a page that is offline',
      (t: ReturnType<typeof begin>) => t.follow('a', { poll: 'idle', blocked: 'offline' }),
      ['poll-aborted'],
    ],
  ] as const)('are not sent where the task %s once the page has connected', async (_, change, types) => {
    let connected = () => {}
    const connect = () =>
      new Promise<void>((resolve) => {
        connected = resolve
      })
    const test = begin({ connect })
    test.add('a')
    await test.page.settle()
    change(test)
    connected()
    await test.page.settle()
    expect(test.sent).toEqual([])
    expect(test.messages.map(([, type]) => type)).toEqual(types)
    expect(test.page.pendingTimers()).toBe(0)
  })

  it('are given up where the page goes away, and come an interval later', async () => {
    const { page, add, queue, posted, messages, respond } = begin()
    add('a')
    await page.settle()
    queue.abort()
    await page.settle()
    expect(messages).toEqual([['a', 'poll-aborted']])
    expect(posted).toEqual([['a', { type: 'poll-aborted', nextPollAt: page.now() + 1000 }]])
    await respond('a')
    expect(messages).toHaveLength(1)
  })

  it.each([
    ['that the server does not know the task', new TaskExpiredError('unknown-task'), ['ended']],
    ['nothing of how this page is set up', new TaskConfigurationError('Wrong.'), []],
  ])('tell the other tabs %s', async (_, error, types) => {
    const { page, add, respond, messages, posted } = begin()
    add('a')
    await page.settle()
    await respond('a', error)
    expect(messages).toEqual([['a', 'ended']])
    expect(posted.map(([, { type }]) => type)).toEqual(types)
  })

  it('are announced again and again, and only where there are other tabs', async () => {
    const withPeers = begin({ hasPeers: true })
    withPeers.add('a')
    await withPeers.page.advance(5000)
    expect(withPeers.posted.map(([, { type }]) => type)).toEqual(['polling', 'polling', 'polling'])
    await withPeers.respond('a')
    expect(withPeers.page.pendingTimers()).toBe(0)

    const alone = begin()
    alone.add('a')
    await alone.page.advance(5000)
    expect(alone.posted).toEqual([])
  })

  it('are answered about their own task, or break the protocol', async () => {
    const { page, add, respond, messages, posted } = begin()
    add('a')
    await page.settle()
    await respond('a', { ...working(), taskId: 'b' })
    expect(messages).toEqual([['a', 'poll-failed']])
    expect(posted.at(-1)?.[1]).toMatchObject({ error: { name: 'TaskProtocolError', taskId: 'a' } })
  })

  it('leave no listener on the signal of a request', async () => {
    const added = vi.spyOn(AbortSignal.prototype, 'addEventListener')
    const { page, add, respond } = begin()
    add('a')
    await page.settle()
    await respond('a')
    // The one of the stub itself.
    expect(added).toHaveBeenCalledTimes(1)
  })
})
