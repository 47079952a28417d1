import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScheduler, type Scheduler } from './scheduler.js'
import type { Wakeable } from './wakeQueue.js'

interface Item extends Wakeable {
  readonly name: number
}

interface Timer {
  readonly at: number
  readonly delayMs: number
  readonly callback: () => void
}

/** A clock whose timers run when the test says so, one after the other. */
function createClock() {
  let now = 0
  /** By how much the wall clock is ahead of the timers. */
  let correction = 0
  let sequence = 0
  const timers = new Map<number, Timer>()
  const delays: number[] = []
  const environment = {
    now: () => now + correction,
    setTimeout: (callback: () => void, delayMs: number) => {
      sequence += 1
      delays.push(delayMs)
      timers.set(sequence, { at: now + delayMs, delayMs, callback })
      return sequence
    },
    clearTimeout: (handle: unknown) => void timers.delete(handle as number),
  }
  /** Runs the next timer, at its time or later. False where there is none until then. */
  const runNext = (until: number) => {
    const [next] = [...timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)
    if (next === undefined) return false
    const [id, { at, callback }] = next
    timers.delete(id)
    now = Math.max(now, at)
    callback()
    return true
  }
  return {
    environment,
    delays,
    timers,
    runNext: () => runNext(Number.POSITIVE_INFINITY),
    advance: (ms: number) => {
      const until = now + ms
      while (runNext(until));
      now = Math.max(now, until)
    },
    sleep: (ms: number) => {
      now += ms
    },
    setClock: (ms: number) => {
      correction += ms
    },
  }
}

function begin(onWake?: (item: Item, scheduler: Scheduler<Item>) => void) {
  const clock = createClock()
  const woken: [name: number, at: number][] = []
  const late: number[] = []
  const scheduler: Scheduler<Item> = createScheduler<Item>(clock.environment, (item, lateMs) => {
    woken.push([item.name, clock.environment.now()])
    late.push(lateMs)
    onWake?.(item, scheduler)
  })
  const items = Array.from({ length: 12 }, (_, name): Item => ({ name, wakeAt: 0, place: -1 }))
  const item = (name: number) => items[name] as Item
  return { clock, woken, late, scheduler, item }
}

describe('the scheduler', () => {
  it('wakes things in the order of their times, whatever they were set to before', () => {
    const step = fc.oneof(
      fc.record({ name: fc.nat(4), at: fc.option(fc.integer({ min: -10, max: 90_000 }), { nil: undefined }) }),
      fc.record({ advance: fc.nat(40_000) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, woken, scheduler, item } = begin()
        const model = new Map<number, number>()
        const expected: [number, number][] = []
        const { now } = clock.environment
        for (const each of [...steps, { advance: 200_000 }]) {
          if ('advance' in each) {
            const until = now() + each.advance
            for (const [name, at] of model) {
              if (at > until) continue
              expected.push([name, at])
              model.delete(name)
            }
            clock.advance(each.advance)
            continue
          }
          scheduler.set(item(each.name), each.at === undefined ? undefined : now() + each.at)
          if (each.at === undefined) model.delete(each.name)
          else model.set(each.name, Math.max(now(), now() + each.at))
          expect(clock.timers.size).toBe(model.size === 0 ? 0 : 1)
        }
        const byTime = (a: [number, number], b: [number, number]) => a[1] - b[1] || a[0] - b[0]
        expect(woken.map(([, at]) => at)).toEqual(woken.map(([, at]) => at).sort((a, b) => a - b))
        expect([...woken].sort(byTime)).toEqual(expected.sort(byTime))
        expect(clock.timers.size).toBe(0)
      }),
    )
  })

  it('goes on with the others where one throws', () => {
    const { clock, woken, scheduler, item } = begin(({ name }) => {
      if (name === 1) throw new Error('broken')
    })
    for (const name of [0, 1, 2]) scheduler.set(item(name), 1000)
    scheduler.set(item(3), 2000)
    expect(() => clock.advance(1000)).toThrow('broken')
    clock.advance(2000)
    expect(woken.map(([name]) => name)).toEqual([0, 1, 2, 3])
  })

  it('wakes what has been set anew at its new time, although one that throws is woken before it', () => {
    const { clock, woken, scheduler, item } = begin(({ name }, scheduler) => {
      if (name === 0) scheduler.set(item(2), 5000)
      if (name === 1) throw new Error('broken')
    })
    for (const name of [0, 1, 2]) scheduler.set(item(name), 998 + name)
    clock.sleep(1000)
    expect(() => clock.runNext()).toThrow('broken')
    clock.advance(10_000)
    expect(woken).toEqual([
      [0, 1000],
      [1, 1000],
      [2, 5000],
    ])
  })

  it('has one timer for any number of things, and none for nothing', () => {
    const { clock, scheduler, item } = begin()
    for (let name = 0; name < 12; name++) scheduler.set(item(name), 1000 - name)
    expect(clock.timers.size).toBe(1)
    for (let name = 0; name < 11; name++) scheduler.set(item(name), undefined)
    expect(clock.timers.size).toBe(1)
    scheduler.set(item(11), undefined)
    expect(clock.timers.size).toBe(0)
    clock.advance(60_000)
    scheduler.set(item(3), 61_000)
    expect(clock.timers.size).toBe(1)
  })

  it('leaves its timer as it is for what comes later or at the same time, and sets another for what comes earlier', () => {
    const { clock, scheduler, item } = begin()
    for (const [name, at] of [2000, 3000, 2000, 1000].entries()) scheduler.set(item(name), at)
    expect(clock.delays).toEqual([2000, 1000])
    expect(clock.timers.size).toBe(1)
  })

  it('sets one timer for all that are woken together, whatever each is set to then', () => {
    const { clock, scheduler, item } = begin(({ name }, scheduler) => scheduler.set(item(name), 9000 - 1000 * name))
    for (const name of [0, 1, 2]) scheduler.set(item(name), 1000)
    clock.advance(1000)
    expect(clock.delays).toEqual([1000, 6000])
  })

  it('wakes nothing before its time, and each thing once', () => {
    const { clock, woken, scheduler, item } = begin()
    scheduler.set(item(0), 1000)
    clock.advance(999)
    expect(woken).toEqual([])
    clock.advance(1)
    expect(woken).toEqual([[0, 1000]])
    clock.advance(100_000)
    expect(woken).toHaveLength(1)
  })

  it('wakes what has no time any more not at all', () => {
    const { clock, woken, scheduler, item } = begin()
    scheduler.set(item(0), 1000)
    scheduler.set(item(1), 1000)
    scheduler.set(item(0), undefined)
    scheduler.set(item(0), undefined)
    clock.advance(2000)
    expect(woken).toEqual([[1, 1000]])
  })

  it('wakes what is set to a past time once a timer, so that nothing can hold the page up', () => {
    const { clock, woken, scheduler, item } = begin((woken, scheduler) => scheduler.set(woken, woken.wakeAt - 1))
    scheduler.set(item(0), 1000)
    scheduler.set(item(1), 1000)
    clock.advance(999)
    for (let timer = 1; timer <= 3; timer++) {
      clock.runNext()
      expect(woken).toHaveLength(2 * timer)
      expect(clock.timers.size).toBe(1)
    }
    expect(clock.delays.slice(-3)).toEqual([0, 0, 0])
  })

  it('wakes what is due at once, although another thing that is woken takes it away or sets it anew', () => {
    const { clock, woken, scheduler, item } = begin((woken) => {
      if (woken.name === 0) scheduler.set(item(1), 5000)
    })
    scheduler.set(item(0), 1000)
    scheduler.set(item(1), 1000)
    clock.advance(1000)
    expect(woken.map(([name]) => name).sort()).toEqual([0, 1])
    clock.advance(4000)
    expect(woken.filter(([name]) => name === 1)).toEqual([
      [1, 1000],
      [1, 5000],
    ])
  })

  it('looks at the clock every 30 s: a timer does not count the time that a machine sleeps', () => {
    const { clock, woken, scheduler, item } = begin()
    scheduler.set(item(0), 100_000)
    clock.advance(100_000)
    expect(woken).toEqual([[0, 100_000]])
    expect(clock.delays).toEqual([30_000, 30_000, 30_000, 10_000])
  })

  it('says by how many ms its timer came late', () => {
    const { clock, late, scheduler, item } = begin()
    for (const sleep of [0, 99, 100, 60_000]) {
      scheduler.set(item(0), clock.environment.now() + 1000)
      clock.sleep(1000 + sleep)
      clock.runNext()
    }
    expect(late).toEqual([0, 99, 100, 60_000])
  })

  it('wakes everything that is due after a sleep by one timer', () => {
    const { clock, woken, scheduler, item } = begin()
    for (let name = 0; name < 5; name++) scheduler.set(item(name), 1000 * (name + 1))
    clock.sleep(3500)
    clock.runNext()
    expect(woken.map(([name]) => name)).toEqual([0, 1, 2])
  })

  it('sets one timer although the clock that it looks at sets things anew', () => {
    const clock = createClock()
    const woken: number[] = []
    let set = () => {}
    const now = () => {
      const once = set
      set = () => {}
      once()
      return clock.environment.now()
    }
    const scheduler = createScheduler<Item>({ ...clock.environment, now }, ({ name }) => woken.push(name))
    const items = [0, 1].map((name): Item => ({ name, wakeAt: 0, place: -1 }))
    const [first, second] = items as [Item, Item]
    scheduler.set(first, 20_000)
    scheduler.set(second, 50_000)
    clock.setClock(-3_600_000)
    set = () => {
      scheduler.set(first, 21_000 - 3_600_000)
      scheduler.set(second, 22_000 - 3_600_000)
    }
    clock.runNext()
    expect(woken).toEqual([])
    expect(clock.timers.size).toBe(1)
    clock.advance(2000)
    expect(woken).toEqual([0, 1])
    expect(clock.timers.size).toBe(0)
  })

  it('wakes nothing and sets no timer after it was closed', () => {
    const { clock, woken, scheduler, item } = begin()
    scheduler.set(item(0), 1000)
    scheduler.set(item(1), 2000)
    scheduler.close()
    expect(clock.timers.size).toBe(0)
    scheduler.set(item(1), undefined)
    scheduler.set(item(0), 500)
    scheduler.set(item(2), 500)
    clock.advance(10_000)
    expect(woken).toEqual([])
    expect(clock.timers.size).toBe(0)
  })

  it('wakes nothing more where one of the things that are woken closes it', () => {
    const { clock, woken, scheduler, item } = begin((_, scheduler) => scheduler.close())
    scheduler.set(item(0), 1000)
    scheduler.set(item(1), 2000)
    clock.advance(10_000)
    expect(woken).toEqual([[0, 1000]])
    expect(clock.timers.size).toBe(0)
  })
})
