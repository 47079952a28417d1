import { createSimulatedBrowser, type SimulatedBrowser } from 'taskwire/testing'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Locks } from '../environment/environment.js'
import { createLeaderships } from './leaderships.js'
import type { TabMessage } from './tabMessages.js'

let browser: SimulatedBrowser

beforeEach(() => {
  browser = createSimulatedBrowser()
})

function openTab(leaderPer: 'scope' | 'task' = 'scope') {
  const page = browser.openPage()
  const { environment } = page
  const posted: TabMessage[] = []
  const onStolen = vi.fn()
  const names: string[] = []
  const locks = environment.locks as Locks
  const leaderships = createLeaderships({
    name: 'tabs',
    locks: {
      request: (name, options, hold) => {
        names.push(name)
        return locks.request(name, options, hold)
      },
    },
    environment,
    leaderPer,
    isHere: () => true,
    post: (message) => posted.push(message),
    onStolen,
  })
  return { page, leaderships, posted, onStolen, names }
}

it('one election is for every task, or one is for each, by a name that does not show its id', () => {
  const ofAll = openTab('scope')
  expect(ofAll.leaderships.of('t1')).toBe(ofAll.leaderships.of('t2'))
  const ofEach = openTab('task')
  const first = ofEach.leaderships.of('secret')
  expect(ofEach.leaderships.of('secret')).toBe(first)
  expect(ofEach.leaderships.of('t2')).not.toBe(first)
  ofAll.leaderships.of('t1').join()
  first.join()
  expect(ofAll.names).toEqual(['tabs:leader'])
  expect(ofEach.names).toEqual([expect.stringMatching(/^tabs:leader:/)])
  expect(ofEach.names[0]).not.toContain('secret')
})

it('an election that nobody takes part in any more is forgotten', () => {
  const { leaderships } = openTab('task')
  const before = leaderships.of('t1')
  before.join()()
  expect(leaderships.of('t1')).not.toBe(before)
})

it('a tab leads every task where there is one election, and never where each task has its own', async () => {
  const [ofAll, ofEach] = [openTab('scope'), openTab('task')]
  expect(ofAll.leaderships.isLeaderOfAll()).toBe(false)
  for (const { leaderships } of [ofAll, ofEach]) leaderships.of('t1').join()
  await browser.settle()
  expect(ofAll.leaderships.isLeaderOfAll()).toBe(true)
  expect(ofEach.leaderships.of('t1').isLeader()).toBe(true)
  expect(ofEach.leaderships.isLeaderOfAll()).toBe(false)
})

it('a tab that becomes the leader posts whether it can be seen, and again when that changes or is asked for', async () => {
  const [leader, other] = [openTab(), openTab()]
  const leave = leader.leaderships.of('t1').join()
  other.leaderships.of('t1').join()
  await browser.settle()
  expect(leader.posted).toEqual([{ type: 'leader', isVisible: true }])
  await leader.page.setVisible(false)
  leader.leaderships.onVisibilityChange()
  leader.leaderships.announce()
  other.leaderships.announce()
  expect(leader.posted.slice(1)).toEqual([
    { type: 'leader', isVisible: false },
    { type: 'leader', isVisible: false },
  ])
  expect(other.posted).toEqual([])
  leave()
  expect(leader.posted).toHaveLength(3)
  expect(leader.onStolen).not.toHaveBeenCalled()
})

it('a tab announces itself that leads one task of several', async () => {
  const [a, b] = [openTab('task'), openTab('task')]
  a.leaderships.of('t1').join()
  b.leaderships.of('t2').join()
  await browser.settle()
  a.leaderships.of('t2').join()
  a.leaderships.announce()
  expect(a.posted).toHaveLength(2)
})

it('a tab that can be seen takes over from a hidden leader once the messages of that have arrived', async () => {
  const [leader, other] = [openTab(), openTab()]
  for (const { leaderships } of [leader, other]) leaderships.of('t1').join()
  await browser.settle()
  other.leaderships.receive(false)
  await browser.advance(99)
  expect(other.leaderships.of('t1').isLeader()).toBe(false)
  await browser.advance(1)
  expect(other.leaderships.of('t1').isLeader()).toBe(true)
  expect(other.onStolen).toHaveBeenCalledOnce()
  expect(other.posted).toEqual([{ type: 'leader', isVisible: true }])
})

it('a tab takes over neither from a leader that can be seen, nor while it is hidden itself', async () => {
  const [leader, other] = [openTab(), openTab()]
  for (const { leaderships } of [leader, other]) leaderships.of('t1').join()
  await browser.settle()
  other.leaderships.onVisibilityChange()
  other.leaderships.receive(false)
  other.leaderships.receive(true)
  await browser.advance(1000)
  expect(other.leaderships.of('t1').isLeader()).toBe(false)
  await other.page.setVisible(false)
  other.leaderships.receive(false)
  await browser.advance(1000)
  expect(other.leaderships.of('t1').isLeader()).toBe(false)
  await other.page.setVisible(true)
  other.leaderships.onVisibilityChange()
  await browser.settle()
  expect(other.leaderships.of('t1').isLeader()).toBe(true)
})

it('a tab that is closed takes over no more', async () => {
  const [leader, other] = [openTab(), openTab()]
  for (const { leaderships } of [leader, other]) leaderships.of('t1').join()
  await browser.settle()
  other.leaderships.receive(false)
  other.leaderships.close()
  expect(other.page.timers()).toBe(0)
  await browser.advance(1000)
  expect(other.leaderships.of('t1').isLeader()).toBe(false)
})

it('a tab waits to take over only while the leader is hidden, and once, however often that says so', async () => {
  const [leader, other] = [openTab(), openTab()]
  for (const { leaderships } of [leader, other]) leaderships.of('t1').join()
  await browser.settle()
  other.leaderships.receive(true)
  expect(other.page.timers()).toBe(0)
  other.leaderships.receive(false)
  other.leaderships.receive(false)
  expect(other.page.timers()).toBe(1)
  other.leaderships.receive(true)
  expect(other.page.timers()).toBe(0)
})
