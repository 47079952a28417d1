import { createSimulatedEnvironment } from 'taskwire/testing'
import { expect, it, vi } from 'vitest'
import { beginCall, stubLeadership } from '../../test/support/stubbedCall.js'
import type { CallEntry } from './callEntry.js'
import { createMembership } from './membership.js'
import { MESSAGE_DELAY_MS } from './tabTimes.js'

function begin() {
  const page = createSimulatedEnvironment()
  const { leadership, log, set } = stubLeadership(false)
  const turns: CallEntry[] = []
  const membership = createMembership(page.environment, (entry) => void turns.push(entry))
  const entry = (): CallEntry => {
    const { entry } = beginCall()
    entry.leadership = leadership
    return entry
  }
  return { page, leadership, log, set, turns, membership, entry }
}

it('all calls of an election have one membership, and each is called when the leader changes', () => {
  const { leadership, log, set, turns, membership, entry } = begin()
  const [a, b] = [entry(), entry()]
  membership.join(a, leadership)
  membership.join(b, leadership)
  expect(log).toEqual(['join'])
  set(true)
  expect(turns).toEqual([a, b])
})

it('a membership ends when the last call has left and its last message has arrived', async () => {
  const { page, leadership, log, set, turns, membership, entry } = begin()
  const [a, b] = [entry(), entry()]
  membership.join(a, leadership)
  membership.join(b, leadership)
  membership.leave(a)
  membership.leave(b)
  membership.leave(b)
  await page.advance(MESSAGE_DELAY_MS - 1)
  expect(log).toEqual(['join'])
  await page.advance(1)
  expect(log).toEqual(['join', 'leave'])
  set(true)
  expect(turns).toEqual([])
  expect(page.pendingTimers()).toBe(0)
})

it('a membership goes on where a call joins before that, and begins anew after', async () => {
  const { page, leadership, log, membership, entry } = begin()
  const [a, b] = [entry(), entry()]
  membership.join(a, leadership)
  membership.leave(a)
  await page.advance(50)
  membership.join(b, leadership)
  await page.advance(1000)
  expect(log).toEqual(['join'])
  membership.leave(b)
  await page.advance(MESSAGE_DELAY_MS)
  membership.join(a, leadership)
  expect(log).toEqual(['join', 'leave', 'join'])
})

it('a membership that has ended unsubscribes from its election', async () => {
  const { page, leadership, membership, entry } = begin()
  const unsubscribe = vi.fn()
  const call = entry()
  call.leadership = { ...leadership, onChange: () => unsubscribe }
  membership.join(call, call.leadership)
  membership.leave(call)
  expect(unsubscribe).not.toHaveBeenCalled()
  await page.advance(MESSAGE_DELAY_MS)
  expect(unsubscribe).toHaveBeenCalledOnce()
})

it('a call that leaves others behind sets no timer', () => {
  const { page, leadership, membership, entry } = begin()
  const [a, b] = [entry(), entry()]
  membership.join(a, leadership)
  membership.join(b, leadership)
  membership.leave(a)
  expect(page.pendingTimers()).toBe(0)
})

it('a membership that is left once more within the delay ends when that last message has arrived', async () => {
  const { page, leadership, log, membership, entry } = begin()
  const [a, b] = [entry(), entry()]
  membership.join(a, leadership)
  membership.leave(a)
  await page.advance(MESSAGE_DELAY_MS / 2)
  membership.join(b, leadership)
  membership.leave(b)
  await page.advance(MESSAGE_DELAY_MS - 1)
  expect(log).toEqual(['join'])
  await page.advance(1)
  expect(log).toEqual(['join', 'leave'])
  expect(page.pendingTimers()).toBe(0)
})

it('a call that leaves after the membership has ended ends nothing', async () => {
  const { page, leadership, log, membership, entry } = begin()
  const call = entry()
  membership.join(call, leadership)
  membership.leave(call)
  await page.advance(MESSAGE_DELAY_MS)
  membership.leave(call)
  await page.advance(MESSAGE_DELAY_MS)
  expect(log).toEqual(['join', 'leave'])
  expect(page.pendingTimers()).toBe(0)
})

it('a call that has joined no election leaves none', () => {
  const { page, log, membership, entry } = begin()
  const alone = entry()
  delete alone.leadership
  membership.leave(alone)
  expect(log).toEqual([])
  expect(page.pendingTimers()).toBe(0)
})
