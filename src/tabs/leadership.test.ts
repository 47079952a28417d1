import { createSimulatedBrowser, type SimulatedBrowser } from 'taskwire/testing'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Locks } from '../environment/environment.js'
import { createLeadership } from './leadership.js'

let browser: SimulatedBrowser

beforeEach(() => {
  browser = createSimulatedBrowser()
})

function openTab() {
  const page = browser.openPage()
  const { environment } = page
  const onEmpty = vi.fn()
  const state = { isHere: true }
  const leadership = createLeadership('leader', environment.locks as Locks, environment, () => state.isHere, onEmpty)
  const turns: string[] = []
  leadership.onChange(() => {
    const how = leadership.wasStolen() ? 'taken' : 'granted'
    turns.push(leadership.isLeader() ? how : 'lost')
  })
  return { page, leadership, turns, onEmpty, state }
}

it('the first tab that joins leads, and the next one when that has left', async () => {
  const [a, b] = [openTab(), openTab()]
  const leave = a.leadership.join()
  b.leadership.join()
  await browser.settle()
  expect([a.leadership.isLeader(), b.leadership.isLeader()]).toEqual([true, false])
  leave()
  expect(a.leadership.isLeader()).toBe(false)
  await browser.settle()
  expect(b.leadership.isLeader()).toBe(true)
  expect([a.turns, b.turns]).toEqual([['granted', 'lost'], ['granted']])
})

it('a tab leads before it has joined by no means', async () => {
  const a = openTab()
  a.leadership.steal()
  await browser.settle()
  expect(a.leadership.isLeader()).toBe(false)
  expect(a.page.locks()).toBe(0)
})

it('a tab leads until its last member has left, however often each of them leaves', async () => {
  const a = openTab()
  const [first, second] = [a.leadership.join(), a.leadership.join()]
  await browser.settle()
  first()
  first()
  await browser.settle()
  expect(a.leadership.isLeader()).toBe(true)
  expect(a.onEmpty).not.toHaveBeenCalled()
  second()
  await browser.settle()
  expect(a.leadership.isLeader()).toBe(false)
  expect(a.onEmpty).toHaveBeenCalledOnce()
  expect(a.page.locks()).toBe(0)
  expect(a.page.listeners()).toBe(0)
})

it('a tab that leaves while it waits leaves the queue', async () => {
  const [a, b, c] = [openTab(), openTab(), openTab()]
  const leave = a.leadership.join()
  b.leadership.join()()
  c.leadership.join()
  await browser.settle()
  expect(b.page.locks()).toBe(0)
  leave()
  await browser.settle()
  expect([b.turns, c.turns]).toEqual([[], ['granted']])
})

it('a tab that takes the lead has it at once, and the other one queues again', async () => {
  const [a, b] = [openTab(), openTab()]
  a.leadership.join()
  const leave = b.leadership.join()
  await browser.settle()
  b.leadership.steal()
  await browser.settle()
  expect([a.turns, b.turns]).toEqual([['granted', 'lost'], ['taken']])
  expect([a.leadership.wasStolen(), b.leadership.wasStolen()]).toEqual([false, true])
  leave()
  await browser.settle()
  expect(a.turns).toEqual(['granted', 'lost', 'granted'])
  expect(a.leadership.wasStolen()).toBe(false)
})

it('a tab that leads already takes nothing', async () => {
  const a = openTab()
  a.leadership.join()
  await browser.settle()
  a.leadership.steal()
  await browser.settle()
  expect(a.turns).toEqual(['granted'])
  expect(a.page.locks()).toBe(1)
})

it('two tabs that take the lead from each other agree on one', async () => {
  const [a, b, c] = [openTab(), openTab(), openTab()]
  for (const { leadership } of [a, b, c]) leadership.join()
  await browser.settle()
  b.leadership.steal()
  c.leadership.steal()
  await browser.settle()
  expect([a, b, c].filter(({ leadership }) => leadership.isLeader())).toHaveLength(1)
})

it('a tab that crashes or is closed passes the lead on', async () => {
  const [a, b, c] = [openTab(), openTab(), openTab()]
  for (const { leadership } of [a, b, c]) leadership.join()
  await browser.settle()
  await a.page.crash()
  expect(b.turns).toEqual(['granted'])
  await b.page.close()
  await browser.settle()
  expect(c.turns).toEqual(['granted'])
})

it('a page that goes away lets the lead go, and stands again when it is back', async () => {
  const [a, b] = [openTab(), openTab()]
  a.leadership.join()
  const leave = b.leadership.join()
  await browser.settle()
  a.state.isHere = false
  await a.page.hidePage()
  expect(a.page.locks()).toBe(0)
  expect([a.turns, b.turns]).toEqual([['granted', 'lost'], ['granted']])
  // Its timers may run before its `pageshow`.
  a.leadership.steal()
  await browser.settle()
  expect(a.page.locks()).toBe(0)
  a.state.isHere = true
  await a.page.showPage()
  expect(a.leadership.isLeader()).toBe(false)
  leave()
  await browser.settle()
  expect(a.leadership.isLeader()).toBe(true)
})

it('a tab that joins while its page is away stands when that is back', async () => {
  const a = openTab()
  a.state.isHere = false
  a.leadership.join()
  await browser.settle()
  expect(a.page.locks()).toBe(0)
  await a.page.hidePage()
  a.state.isHere = true
  await a.page.showPage()
  expect(a.leadership.isLeader()).toBe(true)
  await a.page.showPage()
  expect(a.page.locks()).toBe(1)
  expect(a.turns).toEqual(['granted'])
})

it('a tab that leaves while its page is away stands for nothing', () => {
  const a = openTab()
  a.state.isHere = false
  a.leadership.join()()
  expect(a.onEmpty).toHaveBeenCalledOnce()
  expect(a.page.listeners()).toBe(0)
})

it('a tab that is granted the lead after it has left does not keep it', async () => {
  const [a, b] = [openTab(), openTab()]
  a.leadership.join()()
  b.leadership.join()
  await browser.settle()
  expect(a.turns).toEqual([])
  expect(b.turns).toEqual(['granted'])
})

it('a listener that unsubscribes is called no more', async () => {
  const a = openTab()
  const listener = vi.fn()
  const unsubscribe = a.leadership.onChange(listener)
  unsubscribe()
  a.leadership.join()
  await browser.settle()
  expect(listener).not.toHaveBeenCalled()
})
