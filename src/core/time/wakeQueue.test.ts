import { expect, it } from 'vitest'
import { createWakeQueue, type Wakeable } from './wakeQueue.js'

function fill(...times: number[]) {
  const queue = createWakeQueue<Wakeable>()
  const items = new Map<number, Wakeable>()
  for (const at of times) {
    const item = { wakeAt: 0, place: -1 }
    items.set(at, item)
    queue.set(item, at)
  }
  const drain = () => {
    const order: number[] = []
    for (let first = queue.first(); first !== undefined; first = queue.first()) {
      order.push(first.wakeAt)
      queue.set(first, undefined)
    }
    return order
  }
  return { queue, item: (at: number) => items.get(at) as Wakeable, drain }
}

it.each([[[]], [[5]], [[3, 1, 2]], [[1, 2, 3, 4, 5, 6, 7]], [[7, 6, 5, 4, 3, 2, 1]], [[4, 8, 1, 9, 3, 7, 2, 6, 5]]])(
  'gives %j in the order of their times',
  (times) => {
    expect(fill(...times).drain()).toEqual([...times].sort((a, b) => a - b))
  },
)

it('what is taken out of one branch is replaced by the last one of another, above it where that is earlier', () => {
  // 1 ┬ 10 ┬ 11
  //   │    └ 12
  //   └ 2 ─┬ 3
  //        └ 4
  const { queue, item, drain } = fill(1, 10, 2, 11, 12, 3, 4)
  queue.set(item(11), undefined)
  expect(drain()).toEqual([1, 2, 3, 4, 10, 12])
})

it.each([11, 12])(
  'what is taken out at %i is replaced by a thing that is earlier than all that was around it',
  (at) => {
    // 1 ┬ 10 ┬ 11 ─ 13, 14
    //   │    └ 12 ─ 15, 16
    //   └ 2 ─┬ 3 ── 5, 6
    //        └ 4
    const { queue, item, drain } = fill(1, 10, 2, 11, 12, 3, 4, 13, 14, 15, 16, 5, 6)
    queue.set(item(at), undefined)
    expect(drain()).toEqual([1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16].filter((time) => time !== at))
  },
)

it.each([2, 3, 10, 12])('what was due at %i and comes last instead, comes last', (at) => {
  const { queue, item, drain } = fill(1, 10, 2, 11, 12, 3, 4)
  queue.set(item(at), 20)
  expect(drain()).toEqual([1, 2, 3, 4, 10, 11, 12].filter((time) => time !== at).concat(20))
})

it('what is taken out has no place, nor has anything once the queue is cleared', () => {
  const { queue, item } = fill(1, 2, 3)
  queue.set(item(2), undefined)
  expect([item(1), item(2), item(3)].map(({ place }) => place)).toEqual([0, -1, 1])
  queue.clear()
  expect(queue.first()).toBeUndefined()
  expect([item(1), item(3)].map(({ place }) => place)).toEqual([-1, -1])
})
