import { describe, expect, it, vi } from 'vitest'
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

  it('whoever gives up leaves the line, and takes no place', async () => {
    const { run, open, started } = work()
    const limited = limitConcurrency((name: string, _signal?: AbortSignal) => run(name), 1)
    const abort = new AbortController()
    const reason = new Error('enough')
    void limited('a')
    const second = limited('b', abort.signal)
    const third = limited('c', new AbortController().signal)
    abort.abort(reason)
    await expect(second).rejects.toBe(reason)
    open.get('a')?.resolve()
    await settle()
    expect(started).toEqual(['a', 'c'])
    open.get('c')?.resolve()
    await expect(third).resolves.toBe('c')
    void limited('d')
    await settle()
    expect(started).toEqual(['a', 'c', 'd'])
  })

  it('whoever gives up as the place becomes free hands it on', async () => {
    const { run, open, started } = work()
    const limited = limitConcurrency((name: string, _signal?: AbortSignal) => run(name), 1)
    const abort = new AbortController()
    void limited('a')
    const second = limited('b', abort.signal)
    second.catch(() => {})
    void limited('c')
    void open.get('a')?.ended.then(() => abort.abort())
    open.get('a')?.resolve()
    await settle()
    open.get('b')?.resolve()
    await settle()
    expect(started).toContain('c')
  })

  it('whoever has given up before does not start, and waits for nobody', async () => {
    const { run, started } = work()
    const limited = limitConcurrency((name: string, _signal?: AbortSignal) => run(name), 1)
    void limited('a')
    const reason = new Error('enough')
    await expect(limited('b', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(started).toEqual(['a'])
  })

  it('leaves no listener on a signal that lives longer', async () => {
    const { run, open } = work()
    const limited = limitConcurrency((name: string, _signal?: AbortSignal) => run(name), 1)
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    void limited('a')
    void limited('b', signal)
    open.get('a')?.resolve()
    await settle()
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledTimes(1)
  })
})
