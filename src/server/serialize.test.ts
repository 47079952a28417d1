import { describe, expect, it } from 'vitest'
import { createSerializer } from './serialize.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('createSerializer', () => {
  it('runs what has the same key one after the other', async () => {
    const serialize = createSerializer()
    const log: string[] = []
    const job = (name: string) => async () => {
      log.push(`${name} starts`)
      await turn()
      log.push(`${name} ends`)
    }
    await Promise.all([serialize('a', job('first')), serialize('a', job('second'))])
    expect(log).toEqual(['first starts', 'first ends', 'second starts', 'second ends'])
  })

  it('runs what has different keys side by side', async () => {
    const serialize = createSerializer()
    const stuck = serialize('a', () => new Promise(() => {}))
    expect(await serialize('b', async () => 'done')).toBe('done')
    expect(stuck).toBeInstanceOf(Promise)
  })

  it('goes on after a failure, which reaches the one it belongs to', async () => {
    const serialize = createSerializer()
    const failing = serialize('a', () => Promise.reject(new Error('no')))
    const next = serialize('a', async () => 'done')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('done')
  })
})
