import { describe, expect, it } from 'vitest'
import { limitConcurrency } from './limitConcurrency.js'

/** Work that ends when the test says so. */
function work() {
  const open = new Map<string, { resolve(): void; reject(error: Error): void; ended: Promise<void> }>()
  const started: string[] = []
  let running = 0
  let most = 0
  const run = (name: string): Promise<string> => {
    started.push(name)
    running += 1
    most = Math.max(most, running)
    const ended = new Promise<void>((resolve, reject) => {
      open.set(name, { resolve, reject, ended: Promise.resolve() })
    }).finally(() => {
      running -= 1
    })
    const entry = open.get(name)
    if (entry) entry.ended = ended
    return ended.then(() => name)
  }
  return { run, open, started, most: () => most }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('limitConcurrency', () => {
  it('without a limit is the function itself', () => {
    const { run } = work()
    expect(limitConcurrency(run, Number.POSITIVE_INFINITY)).toBe(run)
  })

  it('lets no more than the limit run at once, the others in the order in which they came', async () => {
    const { run, open, started, most } = work()
    const limited = limitConcurrency(run, 2)
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => limited(name)))
    await settle()
    expect(started).toEqual(['a', 'b'])
    open.get('b')?.resolve()
    await settle()
    expect(started).toEqual(['a', 'b', 'c'])
    for (const name of ['a', 'c', 'd', 'e']) {
      open.get(name)?.resolve()
      await settle()
    }
    await expect(all).resolves.toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(most()).toBe(2)
  })

  it('one that fails makes room, and fails alone', async () => {
    const { run, open, started } = work()
    const limited = limitConcurrency(run, 1)
    const first = limited('a')
    const second = limited('b')
    open.get('a')?.reject(new Error('no'))
    await expect(first).rejects.toThrow('no')
    await settle()
    expect(started).toEqual(['a', 'b'])
    open.get('b')?.resolve()
    await expect(second).resolves.toBe('b')
  })

  it('one that throws at once makes room, too', async () => {
    const limited = limitConcurrency(async (fails: boolean): Promise<string> => {
      if (fails) throw new Error('no')
      return 'ok'
    }, 1)
    await expect(limited(true)).rejects.toThrow('no')
    await expect(limited(false)).resolves.toBe('ok')
  })

  it('lets nobody jump the line in the moment in which a place becomes free', async () => {
    const { run, open, started, most } = work()
    const limited = limitConcurrency(run, 1)
    void limited('a')
    await settle()
    // Somebody who asks in the very turn in which `a` ends, while `b` has waited all along.
    for (let delay = 0; delay < 8; delay += 1) {
      let turn = open.get('a')?.ended ?? Promise.resolve()
      for (let count = 0; count < delay; count += 1) turn = turn.then(() => {})
      void turn.then(() => limited(`late ${delay}`))
    }
    void limited('b')
    open.get('a')?.resolve()
    await settle()
    expect(started).toEqual(['a', 'b'])
    expect(most()).toBe(1)
  })
})
