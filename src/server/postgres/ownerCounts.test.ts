import { expect, it } from 'vitest'
import { createOwnerCounts } from './ownerCounts.js'

function countsAt(start: number) {
  let now = start
  const counts = createOwnerCounts({ now: () => now })
  return {
    ...counts,
    passMs: (ms: number) => {
      now += ms
    },
  }
}

it('knows for a moment how many tasks an owner has', () => {
  const { known, note, passMs } = countsAt(1000)

  note('alice', 400)

  expect(known('alice', 1000)).toBe(400)
  expect(known('bob', 1000)).toBeUndefined()
  passMs(99)
  expect(known('alice', 1000)).toBe(400)
  passMs(1)
  expect(known('alice', 1000)).toBeUndefined()
})

it('has the tasks of an owner counted who has more than half of what is allowed', () => {
  const { known, note } = countsAt(1000)

  note('alice', 501)

  expect(known('alice', 1001)).toBeUndefined()
  expect(known('alice', 1002)).toBe(501)
})

it('has few tasks counted', () => {
  const { known, note } = countsAt(1000)

  note('alice', 199)
  expect(known('alice', 1000)).toBeUndefined()
  note('alice', 200)
  expect(known('alice', 1000)).toBe(200)
})

it('has tasks counted after a clock was set back', () => {
  const { known, note, passMs } = countsAt(1000)

  note('alice', 400)
  passMs(-500)

  expect(known('alice', 1000)).toBeUndefined()
})
