import { createSimulatedBrowser } from 'taskwire/testing'
import { expect, it, vi } from 'vitest'
import type { Channel, Locks } from '../environment/environment.js'
import { createTabs } from './createTabs.js'

const browser = createSimulatedBrowser()

function openTab() {
  const page = browser.openPage()
  const { environment } = page
  const tabs = createTabs({
    scope: '',
    nameOf: (scope) => `tabs:${scope}`,
    environment,
    locks: environment.locks as Locks,
    openChannel: (name) => environment.channel?.(name) as Channel,
    onLocksRefused: () => {},
    leaderPer: 'scope',
    onCallMessage: () => {},
    onForgotten: () => {},
  })
  tabs.open()
  return { tabs, page, now: environment.now }
}

it('a tab that leads already hears what others know of a task before it takes its turn', async () => {
  const [a, b] = [openTab(), openTab()]
  expect(a.tabs.link('task 1', true, 0).isMyTurn()).toBe(false)
  await browser.settle()
  expect(a.tabs.link('task 2', true, 0).isMyTurn()).toBe(true)

  const late = a.tabs.link('task 3', false, 0)
  const onTurnChange = vi.fn()
  late.onTurnChange(onTurnChange)
  expect(late.isMyTurn()).toBe(false)
  await browser.advance(100)
  expect(onTurnChange).toHaveBeenCalledTimes(1)
  expect(late.isMyTurn()).toBe(true)

  // Another tab is at it: its answer comes first.
  const theirs = b.tabs.link('task 4', false, 0)
  theirs.publish({ type: 'polling', until: b.now() + 5000 })
  await browser.settle()
  const taken = a.tabs.link('task 4', false, 0)
  await browser.advance(100)
  expect(taken.isMyTurn()).toBe(false)
  theirs.publish({ type: 'dropped', nextPollAt: b.now() })
  await browser.settle()
  expect(taken.isMyTurn()).toBe(true)
})

it('what one tab did exclusively is heard by the others before it is their turn', async () => {
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

it('a page that comes back tells the others when the server wants to be asked next, as long as that is to come', async () => {
  const away = openTab()
  const link = away.tabs.link('task 5', true, 0)
  const nextPollAt = away.now() + 3000
  link.publish({ type: 'dropped', nextPollAt })
  await away.page.hidePage()
  const heard: unknown[] = []
  openTab()
    .tabs.link('task 5', false, 0)
    .onNews((news) => heard.push(news))
  await browser.advance(1000)
  expect(heard).toEqual([])
  await away.page.showPage()
  await browser.settle()
  expect(heard).toContainEqual({ type: 'dropped', nextPollAt })

  await away.page.hidePage()
  await browser.advance(2500)
  heard.splice(0)
  await away.page.showPage()
  await browser.settle()
  expect(heard).toEqual([])
})
