import { expect, it } from 'vitest'
import { createRequestPace } from './requestPace.js'

const PAGE = {}
const OTHER = {}

/** Sends requests, one after each of these ms. Returns what is said of the last. */
function send(times: number, everyMs: number, about = () => 'tasks/get task-1'): number {
  const pace = createRequestPace<object>()
  let many = 0
  for (let sent = 0; sent < times; sent++) {
    many = pace.sent(PAGE, about(), sent * everyMs)
    pace.sent(OTHER, about(), sent * everyMs)
  }
  return many
}

it('says nothing of a page that polls as fast as servers ask it to', () => {
  expect(send(1000, 700)).toBe(0)
})

it('tells a page that asks four times a second', () => {
  expect(send(20, 250)).toBe(0)
  expect(send(21, 250)).toBe(21)
})

it('counts requests of each kind for themselves', () => {
  let task = 0
  expect(send(100, 100, () => `tasks/get task-${task++ % 50}`)).toBe(0)
})

it('tells by how much a request is sent before the server wants it again', () => {
  const pace = createRequestPace<object>()
  pace.refused(PAGE, 'server/discover', 5000)
  expect(pace.early(PAGE, 'server/discover', 3000)).toBe(2000)
  expect(pace.early(PAGE, 'server/discover', 5000)).toBe(0)
  expect(pace.early(OTHER, 'server/discover', 3000)).toBe(0)
  pace.stirred(PAGE)
  expect(pace.early(PAGE, 'server/discover', 3000)).toBe(0)
})
