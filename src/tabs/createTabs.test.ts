import { createSimulatedBrowser } from 'taskwire/testing'
import { expect, it, vi } from 'vitest'
import type { TaskMessage } from '../call/taskMessage.js'
import type { Channel, Locks } from '../environment/environment.js'
import { createTabs } from './createTabs.js'

const browser = createSimulatedBrowser()

function openTab(
  known: readonly TaskMessage[] = [],
  { scope = '', polledTaskIds = [] }: { scope?: string; polledTaskIds?: readonly string[] } = {},
) {
  const page = browser.openPage()
  const { environment } = page
  const received: [string, TaskMessage][] = []
  const forgotten: [string | undefined, number][] = []
  const tabs = createTabs({
    scope,
    nameOf: (scope) => `tabs:${scope}`,
    environment,
    locks: environment.locks as Locks,
    openChannel: (name) => environment.channel?.(name) as Channel,
    onLocksRefused: () => {},
    leaderPer: 'scope',
    onCallMessage: () => {},
    onTaskMessage: (taskId, message) => void received.push([taskId, message]),
    knownOf: () => known,
    polledTaskIds: () => polledTaskIds,
    onForgotten: (callId, at) => void forgotten.push([callId, at]),
  })
  tabs.open()
  return { tabs, page, received, forgotten }
}

it('what one tab did exclusively is received by the others before it is their turn', async () => {
  const [a, b] = [openTab(), openTab()]
  const { signal } = new AbortController()
  const inB = vi.fn(async () => {})
  const failure = a.tabs.exclusively('input', signal, () => Promise.reject(new Error('no')))
  void b.tabs.exclusively('input', signal, inB)
  await expect(failure).rejects.toThrow('no')
  await browser.advance(99)
  expect(inB).not.toHaveBeenCalled()
  await browser.advance(1)
  expect(inB).toHaveBeenCalledTimes(1)
})

it('a tab posts nothing about tasks before another one has spoken', async () => {
  const [alone, other] = [openTab(), openTab()]
  alone.tabs.postTask('task 2', { type: 'poll-aborted', nextPollAt: 1 })
  await browser.settle()
  expect(other.received).toEqual([])
  other.tabs.postSyncRequest('task 2')
  await browser.settle()
  alone.tabs.postTask('task 2', { type: 'poll-aborted', nextPollAt: 1 })
  await browser.settle()
  expect(other.received).toEqual([['task 2', { type: 'poll-aborted', nextPollAt: 1 }]])
})

it('a tab that is back from the back-forward cache posts to tabs that it has not heard of', async () => {
  const [away, other] = [openTab(), openTab()]
  await away.page.hidePage()
  await away.page.showPage()
  away.tabs.postTask('task 5', { type: 'poll-aborted', nextPollAt: 1 })
  await browser.settle()
  expect(other.received).toEqual([['task 5', { type: 'poll-aborted', nextPollAt: 1 }]])
})

it('a tab that has stolen leadership from a frozen one posts what it learns, and that one receives it when it wakes', async () => {
  const frozen = openTab()
  frozen.tabs.leadershipOf('task 3').join()
  await browser.settle()
  frozen.page.freeze()
  const other = openTab()
  const leadership = other.tabs.leadershipOf('task 3')
  leadership.join()
  leadership.steal()
  await browser.settle()
  other.tabs.postTask('task 3', { type: 'poll-aborted', nextPollAt: 1 })
  await frozen.page.thaw()
  expect(frozen.received).toEqual([['task 3', { type: 'poll-aborted', nextPollAt: 1 }]])
})

it('a tab posts what it knows of the tasks it polls to the first tab it meets, and to no other', async () => {
  const known: TaskMessage = { type: 'poll-aborted', nextPollAt: 5000 }
  const polling = openTab([known], { polledTaskIds: ['task 1', 'task 2'] })
  const [first, second] = [openTab(), openTab()]
  first.tabs.postCall('call 1', { type: 'wanted' })
  await browser.settle()
  second.tabs.postCall('call 1', { type: 'wanted' })
  await browser.settle()
  const [one, two] = [first, second].map(({ received }) => received)
  expect(one).toEqual([
    ['task 1', known],
    ['task 2', known],
  ])
  expect(two).toEqual(one)
  await polling.page.close()
})

it('a tab that asks gets what the others know of a task, and only about that task', async () => {
  const known: TaskMessage[] = [
    { type: 'poll-aborted', nextPollAt: 5000 },
    { type: 'polling', until: 7000 },
  ]
  openTab(known)
  const asking = openTab()
  asking.tabs.postSyncRequest('task 1')
  await browser.settle()
  expect(asking.received).toEqual(known.map((message) => ['task 1', message]))
})

it('a tab that asks, and has just heard of the task itself, tells the others when it may be polled', async () => {
  const other = openTab()
  openTab().tabs.postSyncRequest('task 1', 5000)
  await browser.settle()
  expect(other.received).toContainEqual(['task 1', { type: 'asked', nextPollAt: 5000 }])
})

it('a hidden tab that leads says so to a tab that asks, which takes over', async () => {
  const leader = openTab([], { scope: 'hidden' })
  leader.tabs.leadershipOf('task 4').join()
  await leader.page.setVisible(false)
  await browser.settle()
  const asking = openTab([], { scope: 'hidden' })
  const leadership = asking.tabs.leadershipOf('task 4')
  leadership.join()
  asking.tabs.postSyncRequest('task 4')
  await browser.advance(100)
  expect(leadership.isLeader()).toBe(true)
})

it('a tab that is in the back-forward cache receives nothing, and goes on when it is back', async () => {
  const [away, other] = [openTab(), openTab()]
  away.tabs.postForgotten(0)
  await browser.settle()
  await away.page.hidePage()
  other.tabs.postTask('task 1', { type: 'cancelling', isCancelling: true })
  await browser.settle()
  expect(away.received).toEqual([])
  await away.page.showPage()
  other.tabs.postTask('task 1', { type: 'cancelling', isCancelling: false })
  await browser.settle()
  expect(away.received).toEqual([['task 1', { type: 'cancelling', isCancelling: false }]])
})

it('a tab posts that calls were forgotten, to its own scope or to another one, and keeps no channel to that', async () => {
  const [tab, same, other] = [openTab(), openTab(), openTab([], { scope: 'other' })]
  const now = browser.now()
  tab.tabs.postForgotten(now)
  tab.tabs.postForgotten(now, 'c1')
  tab.tabs.postForgotten(now, 'c2', 'other')
  await browser.settle()
  expect(same.forgotten).toEqual([
    [undefined, now],
    ['c1', now],
  ])
  expect(other.forgotten).toEqual([['c2', now]])
  expect(tab.forgotten).toEqual([])
  expect(tab.page.channels()).toBe(1)
})

it('a tab that is closed still posts that a call was forgotten', async () => {
  const [closed, other] = [openTab(), openTab()]
  closed.tabs.close()
  closed.tabs.postForgotten(browser.now(), 'c3')
  await browser.settle()
  expect(other.forgotten).toEqual([['c3', browser.now()]])
  expect(closed.page.channels()).toBe(0)
})

it('a tab that is opened twice listens once, and a closed one neither listens nor opens again', async () => {
  const { tabs, page } = openTab()
  const listeners = page.listeners()
  const onPageHide = vi.spyOn(page.environment, 'onPageHide')
  tabs.open()
  expect(onPageHide).not.toHaveBeenCalled()
  expect([page.listeners(), page.channels()]).toEqual([listeners, 1])
  tabs.close()
  expect([page.listeners(), page.channels()]).toEqual([0, 0])
  tabs.open()
  expect([page.listeners(), page.channels()]).toEqual([0, 0])
  tabs.close()
  expect([page.listeners(), page.channels()]).toEqual([0, 0])
})

it('a tab that is closed while it waits to take over has no timer left', async () => {
  const [leader, waiting] = [openTab([], { scope: 'waiting' }), openTab([], { scope: 'waiting' })]
  for (const { tabs } of [leader, waiting]) tabs.leadershipOf('task 5').join()
  await browser.settle()
  await leader.page.setVisible(false)
  await browser.settle()
  expect(waiting.page.timers()).toBe(1)
  waiting.tabs.close()
  expect(waiting.page.timers()).toBe(0)
})

it('a lock that is waited for no longer rejects with the reason, and so does work', async () => {
  const [a, b] = [openTab(), openTab()]
  const unlock = await a.tabs.lock('c9', new AbortController().signal)
  void a.tabs.exclusively('work 9', new AbortController().signal, () => new Promise(() => {}))
  const controller = new AbortController()
  const work = vi.fn(async () => {})
  const waiting = [b.tabs.lock('c9', controller.signal), b.tabs.exclusively('work 9', controller.signal, work)]
  const outcomes = Promise.allSettled(waiting)
  await browser.settle()
  controller.abort(new Error('enough'))
  await browser.settle()
  expect(await outcomes).toMatchObject([{ reason: { message: 'enough' } }, { reason: { message: 'enough' } }])
  expect(work).not.toHaveBeenCalled()
  unlock()
})
