import { describe, expect, it } from 'vitest'
import { createKeyedQueue } from './keyedQueue.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('createKeyedQueue', () => {
  it('runs what has the same key one after the other', async () => {
    const enqueue = createKeyedQueue()
    const log: string[] = []
    const job = (name: string) => async () => {
      log.push(`${name} starts`)
      await turn()
      log.push(`${name} ends`)
    }
    await Promise.all([enqueue('a', job('first')), enqueue('a', job('second'))])
    expect(log).toEqual(['first starts', 'first ends', 'second starts', 'second ends'])
  })

  it('runs what has different keys side by side', async () => {
    const enqueue = createKeyedQueue()
    const stuck = enqueue('a', () => new Promise(() => {}))
    expect(await enqueue('b', async () => 'done')).toBe('done')
    expect(stuck).toBeInstanceOf(Promise)
  })

  it('goes on after a failure, which reaches the one it belongs to', async () => {
    const enqueue = createKeyedQueue()
    const failing = enqueue('a', () => Promise.reject(new Error('no')))
    const next = enqueue('a', async () => 'done')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('done')
  })
})
