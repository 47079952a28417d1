import { describe, expect, it } from 'vitest'
import { createSemaphore } from './semaphore.js'

/** Work that ends when the test says so. */
function work(places: number) {
  const inLine = createSemaphore(places)
  const open = new Map<string, { resolve(name: string): void; reject(error: Error): void }>()
  const started: string[] = []
  let most = 0
  const run = (name: string): Promise<string> =>
    inLine(() => {
      started.push(name)
      return new Promise<string>((resolve, reject) => {
        open.set(name, { resolve, reject })
        most = Math.max(most, open.size)
      }).finally(() => open.delete(name))
    })
  return { run, open, started, most: () => most, end: (name: string) => open.get(name)?.resolve(name) }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a semaphore', () => {
  it('lets no more work run at once than it has places, the rest in the order in which it came', async () => {
    const { run, end, started, most } = work(2)
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(run))
    expect(started).toEqual(['a', 'b'])
    end('b')
    await settle()
    expect(started).toEqual(['a', 'b', 'c'])
    for (const name of ['a', 'c', 'd', 'e']) {
      end(name)
      await settle()
    }
    await expect(all).resolves.toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(most()).toBe(2)
  })

  it('hands the place of work that fails on, and only that work fails', async () => {
    const { run, open, end, started } = work(1)
    const [first, second] = [run('a'), run('b')]
    open.get('a')?.reject(new Error('no'))
    await expect(first).rejects.toThrow('no')
    await settle()
    expect(started).toEqual(['a', 'b'])
    end('b')
    await expect(second).resolves.toBe('b')
  })

  it('hands the place of work that throws at once on', async () => {
    const inLine = createSemaphore(1)
    const broken = inLine(() => {
      throw new Error('no')
    })
    await expect(broken).rejects.toThrow('no')
    await expect(inLine(async () => 'ok')).resolves.toBe('ok')
  })

  it('lets nobody jump the line in the moment in which a place becomes free', async () => {
    const { run, end, started, most } = work(1)
    const first = run('a')
    void run('b')
    let turn: Promise<unknown> = first
    for (let delay = 0; delay < 8; delay += 1) {
      void turn.then(() => run(`late ${delay}`))
      turn = turn.then(() => {})
    }
    end('a')
    await settle()
    expect(started).toEqual(['a', 'b'])
    expect(most()).toBe(1)
  })
})
