import { expect, it } from 'vitest'
import { createFloor } from './floor.js'

function at(start: number) {
  let time = start
  const floor = createFloor(() => time)
  const set = (next: number) => {
    time = next
  }
  return { floor, set }
}

it('nothing is too early before anything has asked for patience', () => {
  expect(at(0).floor.leftMs()).toBe(0)
})

it('it is too early until the time has passed', () => {
  const { floor, set } = at(5000)
  floor.set(3000)
  expect(floor.leftMs()).toBe(3000)
  set(7999)
  expect(floor.leftMs()).toBe(1)
  set(9000)
  expect(floor.leftMs()).toBe(0)
})

it('a clock that is set back neither ends the wait nor lengthens it by as much', () => {
  const { floor, set } = at(86_400_000)
  floor.set(3000)
  set(0)
  expect(floor.leftMs()).toBe(3000)
  set(2000)
  expect(floor.leftMs()).toBe(1000)
})

it('a wait that is over stays over when the clock is set back later', () => {
  const { floor, set } = at(5000)
  floor.set(1000)
  set(10_000)
  expect(floor.leftMs()).toBe(0)
  set(2000)
  expect(floor.leftMs()).toBe(0)
})
