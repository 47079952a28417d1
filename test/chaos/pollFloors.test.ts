import { expect, it } from 'vitest'
import { createPollFloors } from './pollFloors.js'

const setUp = () =>
  createPollFloors<string>({
    all: () => ['tab', 'other'],
    isAwake: () => true,
    follows: () => true,
    awakeSince: () => 0,
    canHaveRead: () => true,
  })

const working = (pollIntervalMs: number) => ({ taskId: 'task', status: 'working', pollIntervalMs })
const answer = (pollIntervalMs: number) => ({ type: 'answer', answer: { result: working(pollIntervalMs) } }) as const

it('asks for no more after a failed poll than the shorter interval that a push has told', () => {
  const floors = setUp()
  floors.answered('tab', 'task', answer(3000), 1000)
  floors.pushed('tab', working(700), true, 2000)
  floors.answered('tab', 'task', { type: 'failure' }, 9000)
  expect(floors.polled('tab', 'task', 9500)).toBe(200)
  expect(floors.polled('tab', 'task', 9700)).toBe(0)
})

it('holds a page to the longer interval that a push has told', () => {
  const floors = setUp()
  floors.answered('tab', 'task', answer(700), 1000)
  floors.pushed('tab', working(3000), true, 1200)
  expect(floors.polled('tab', 'task', 1700)).toBe(2500)
})

it('holds no page to a push of the same instant, which it may read after the timer of its poll', () => {
  const floors = setUp()
  floors.pushed('tab', working(3000), true, 9000)
  expect(floors.polled('tab', 'task', 9000)).toBe(0)
  expect(floors.polled('tab', 'task', 9001)).toBe(2999)
})

it('holds no page to the interval of a push that is out of date', () => {
  const floors = setUp()
  floors.answered('tab', 'task', answer(700), 1000)
  floors.pushed('tab', working(3000), false, 1200)
  expect(floors.polled('tab', 'task', 1700)).toBe(0)
})

it('lets the result of a task be fetched at once when a push has told its end, but for Retry-After', () => {
  const floors = setUp()
  floors.answered('tab', 'task', answer(3000), 1000)
  floors.pushed('tab', { ...working(3000), status: 'completed' }, true, 1200)
  expect(floors.polled('tab', 'task', 1300)).toBe(0)
  floors.answered('tab', 'task', { type: 'failure', notBefore: 5000 }, 1400)
  floors.pushed('tab', { ...working(3000), status: 'completed' }, true, 1500)
  expect(floors.polled('tab', 'task', 1600)).toBe(3400)
})

it('holds no other page to what a page has heard in the instant in which it ended', () => {
  const floors = setUp()
  floors.answered('tab', 'task', answer(1000), 1000)
  floors.ended('tab', 1500)
  expect(floors.polled('other', 'task', 1500)).toBe(500)
  floors.answered('other', 'task', answer(1000), 2000)
  floors.ended('other', 2000)
  expect(floors.polled('tab', 'task', 2500)).toBe(0)
  expect(floors.polled('other', 'task', 2500)).toBe(500)
})
