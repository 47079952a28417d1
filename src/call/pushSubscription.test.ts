import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { working } from '../../test/support/stubbedCall.js'
import { TaskRequestError, TasksUnsupportedError } from '../protocol/errors.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'
import { createPushSubscription } from './pushSubscription.js'
import type { ListenHooks } from './taskPort.js'

interface Stream {
  readonly ids: readonly string[]
  readonly hooks: ListenHooks
  end(error?: Error): void
}

/** A subscription whose streams the test acknowledges, feeds and ends. */
function begin() {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const streams: Stream[] = []
  const opened: number[] = []
  const changes: string[] = []
  const tasks: string[] = []
  const hints: string[] = []
  let ids: string[] = []
  const push = createPushSubscription({
    port: {
      listen: (ids, hooks) =>
        new Promise((resolve, reject) => {
          opened.push(page.now() - start)
          streams.push({ ids, hooks, end: (error) => (error === undefined ? resolve() : reject(error)) })
        }),
    },
    environment: page.environment,
    policy: DEFAULT_POLL_POLICY,
    taskIds: () => ids,
    onTask: ({ taskId }) => void tasks.push(taskId),
    onHint: (taskId) => void hints.push(taskId),
    onChange: (taskId) => void changes.push(`${taskId} ${push.isPushed(taskId) ? 'is' : 'is not'} pushed`),
  })
  const stream = (index: number) => streams[index] as Stream
  const change = (...next: string[]) => {
    ids = next
    push.update()
  }
  return {
    page,
    push,
    streams,
    opened,
    changes,
    tasks,
    hints,
    stream,
    /** The tasks that are polled here from now on. */
    poll: async (...next: string[]) => {
      change(...next)
      await page.advance(50)
    },
    /** The same, and no time passes. */
    change,
    acknowledge: (index: number, ...honoured: string[]) => stream(index).hooks.onAcknowledged(honoured),
    send: (index: number, taskId: string) => stream(index).hooks.onTask({ ...working(), taskId }),
    isOpen: (index: number) => !stream(index).hooks.signal.aborted,
  }
}

describe('the push subscription', () => {
  it('hands a hint of the server on', async () => {
    const { poll, stream, hints } = begin()
    await poll('t1')
    stream(0).hooks.onHint('t1')
    expect(hints).toEqual(['t1'])
  })

  it('opens one stream for tasks that come together, and none where there are none', async () => {
    const { page, push, streams, poll } = begin()
    push.update()
    await page.advance(1000)
    expect(streams).toEqual([])
    expect(page.pendingTimers()).toBe(0)
    push.update()
    push.update()
    await poll('a', 'b')
    expect(streams.map(({ ids }) => ids)).toEqual([['a', 'b']])
    await poll('b', 'a')
    expect(streams).toHaveLength(1)
  })

  it('opens another stream where one task takes the place of another', async () => {
    const { poll, streams } = begin()
    await poll('a')
    await poll('b')
    expect(streams.map(({ ids }) => ids)).toEqual([['a'], ['b']])
  })

  it('opens its stream 50 ms after the first change, however many follow', async () => {
    const { page, change, opened, streams } = begin()
    for (const ids of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      change(...ids)
      await page.advance(20)
    }
    expect(opened).toEqual([50])
    expect(streams.map(({ ids }) => ids)).toEqual([['a', 'b', 'c']])
  })

  it('ends the old stream only when the new one is acknowledged', async () => {
    const { poll, acknowledge, isOpen, send, tasks } = begin()
    await poll('a')
    acknowledge(0, 'a')
    await poll('a', 'b')
    expect(isOpen(0)).toBe(true)
    send(0, 'a')
    expect(tasks).toEqual(['a'])
    acknowledge(1, 'a', 'b')
    expect([isOpen(0), isOpen(1)]).toEqual([false, true])
  })

  it('gives up a stream that is being opened where the tasks change again', async () => {
    const { poll, isOpen, acknowledge, streams } = begin()
    await poll('a')
    await poll('a', 'b')
    expect([isOpen(0), isOpen(1)]).toEqual([false, true])
    // What the server says to the one that was given up counts for nothing.
    acknowledge(0)
    await poll('b')
    expect(streams).toHaveLength(3)
  })

  it('takes a task for pushed once something of it was, and for as long as it is acknowledged', async () => {
    const { poll, push, acknowledge, send, changes } = begin()
    await poll('a', 'b')
    acknowledge(0, 'a', 'b')
    expect(push.isPushed('a')).toBe(false)
    send(0, 'a')
    send(0, 'a')
    expect([push.isPushed('a'), push.isPushed('b')]).toEqual([true, false])
    await poll('b')
    acknowledge(1, 'b')
    expect(push.isPushed('a')).toBe(false)
    expect(changes).toEqual(['a is pushed', 'a is not pushed'])
  })

  it('takes a task for pushed also while another stream takes over that acknowledges it', async () => {
    const { poll, push, acknowledge, send, changes } = begin()
    await poll('a')
    acknowledge(0, 'a')
    send(0, 'a')
    await poll('a', 'b')
    acknowledge(1, 'a', 'b')
    expect(push.isPushed('a')).toBe(true)
    expect(changes).toEqual(['a is pushed'])
  })

  it('keeps the old stream where the new one fails, and ends it when the next one is acknowledged', async () => {
    const { page, poll, acknowledge, send, stream, isOpen, opened, changes } = begin()
    await poll('a')
    acknowledge(0, 'a')
    send(0, 'a')
    await poll('a', 'b')
    stream(1).end(new TaskRequestError('down', { kind: 'network' }))
    await page.advance(1000)
    expect(opened).toEqual([50, 100, 350])
    expect(isOpen(0)).toBe(true)
    expect(changes).toEqual(['a is pushed'])
    acknowledge(2, 'a', 'b')
    expect(isOpen(0)).toBe(false)
  })

  it('waits for the new stream where the old one ends before that is acknowledged', async () => {
    const { page, poll, push, acknowledge, send, stream, streams } = begin()
    await poll('a')
    acknowledge(0, 'a')
    await poll('a', 'b')
    stream(0).end()
    await page.advance(10_000)
    expect(streams).toHaveLength(2)
    acknowledge(1, 'a', 'b')
    send(1, 'a')
    expect(push.isPushed('a')).toBe(true)
  })

  it('does not count a stream that it has ended itself as a failure', async () => {
    const { page, poll, acknowledge, stream, opened } = begin()
    await poll('a')
    await poll('a', 'b')
    stream(0).end()
    await page.advance(1000)
    stream(1).end()
    await page.advance(1000)
    expect(opened).toEqual([50, 100, 1100 + 250])
    acknowledge(2, 'a', 'b')
    await poll()
    stream(2).end()
    await page.settle()
    expect(page.pendingTimers()).toBe(0)
  })

  it('passes on what comes of a task that was not acknowledged, which is polled as before', async () => {
    const { poll, push, acknowledge, send, tasks, changes } = begin()
    await poll('a', 'b')
    acknowledge(0, 'b')
    send(0, 'a')
    expect(tasks).toEqual(['a'])
    expect(push.isPushed('a')).toBe(false)
    expect(changes).toEqual([])
  })

  it('opens a stream that has ended again, backing off, and its tasks are polled meanwhile', async () => {
    const { page, poll, acknowledge, send, stream, opened, changes } = begin()
    await poll('a')
    acknowledge(0, 'a')
    send(0, 'a')
    for (const failure of [0, 1, 2]) {
      stream(failure).end(failure === 0 ? undefined : new TaskRequestError('down', { kind: 'network' }))
      await page.advance(10_000)
    }
    expect(changes).toEqual(['a is pushed', 'a is not pushed'])
    // Half of 500, 1000 and 2000 ms.
    expect(opened).toEqual([50, 300, 10_550, 21_050])
  })

  it('starts the backoff over with an acknowledgement', async () => {
    const { page, poll, acknowledge, stream, opened } = begin()
    await poll('a')
    stream(0).end()
    await page.advance(1000)
    stream(1).end()
    await page.advance(1000)
    acknowledge(2, 'a')
    stream(2).end()
    await page.advance(1000)
    expect(opened).toEqual([50, 300, 1050 + 500, 2050 + 250])
  })

  it.each([
    ['acknowledges no task', (t: ReturnType<typeof begin>) => t.acknowledge(0)],
    [
      'does not serve the method',
      (t: ReturnType<typeof begin>) => t.stream(0).end(new TasksUnsupportedError('no', { code: -32601 })),
    ],
  ])('does not ask a server again that %s', async (_, refuse) => {
    const test = begin()
    await test.poll('a')
    test.push.update()
    refuse(test)
    await test.page.settle()
    expect(test.page.listeners()).toBe(0)
    await test.page.advance(60_000)
    test.push.update()
    expect(test.page.pendingTimers()).toBe(0)
    await test.poll('a', 'b')
    expect(test.streams).toHaveLength(1)
  })

  it('ends a stream for which the server acknowledges no task', async () => {
    const { poll, acknowledge, isOpen } = begin()
    await poll('a')
    acknowledge(0)
    expect(isOpen(0)).toBe(false)
  })

  it('does not ask a server again that refuses a stream of a page that has gone away and come back', async () => {
    const { page, poll, stream, streams } = begin()
    await poll('a')
    await page.hidePage()
    const shown = page.showPage()
    stream(0).end(new TasksUnsupportedError('no', { code: -32601 }))
    await shown
    await page.advance(60_000)
    expect(streams).toHaveLength(1)
  })

  it('waits for the network before it opens a stream', async () => {
    const { page, poll, streams } = begin()
    await page.setOnline(false)
    await poll('a')
    await page.advance(60_000)
    expect(streams).toEqual([])
    await page.setOnline(true)
    expect(streams).toHaveLength(1)
  })

  it('ends with a page that goes away, and is back with it', async () => {
    const { page, poll, acknowledge, send, isOpen, streams, changes } = begin()
    await poll('a')
    acknowledge(0, 'a')
    send(0, 'a')
    await page.hidePage()
    expect(isOpen(0)).toBe(false)
    expect(changes).toEqual(['a is pushed', 'a is not pushed'])
    await page.showPage()
    await page.advance(0)
    expect(streams).toHaveLength(2)
  })

  it.each([
    ['the page is back', 0, (t: ReturnType<typeof begin>) => t.page.showPage()],
    ['the tasks change', 50, (t: ReturnType<typeof begin>) => t.poll('a', 'b')],
  ])('does not wait for the end of the backoff where %s', async (_, delayMs, happen) => {
    const test = begin()
    await test.poll('a')
    test.stream(0).end()
    await test.page.advance(100)
    await happen(test)
    await test.page.advance(0)
    expect(test.opened).toEqual([50, 150 + delayMs])
    expect(test.page.pendingTimers()).toBe(0)
  })

  it('ends when the last task is over, and leaves no timer and no listener', async () => {
    const { page, poll, acknowledge, isOpen } = begin()
    await poll('a', 'b')
    acknowledge(0, 'a', 'b')
    await poll('a')
    await poll()
    expect(isOpen(0)).toBe(false)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('ends when it is closed, also while it backs off', async () => {
    const { page, push, poll, stream, streams } = begin()
    await poll('a')
    stream(0).end()
    await page.settle()
    push.close()
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
    await page.advance(60_000)
    expect(streams).toHaveLength(1)
  })
})
