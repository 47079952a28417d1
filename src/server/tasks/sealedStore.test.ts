import { describe, expect, it } from 'vitest'
import { describeTaskStore } from '../../../test/server/support/taskStoreContract.js'
import { workingRecord } from '../../tools/testing/workingRecord.js'
import { InMemoryTaskStore } from './inMemoryTaskStore.js'
import { sealedStore } from './sealedStore.js'

/** No ciphertext is like another. */
const sealing = {
  seal: (text: string) => `${crypto.randomUUID()}:${btoa(text)}`,
  open: (sealed: string) => atob(sealed.slice(sealed.indexOf(':') + 1)),
}

describeTaskStore('sealedStore', () => sealedStore(new InMemoryTaskStore(), sealing))

describe('a sealed call', () => {
  it('is not sealed again where something else of the task has changed', async () => {
    const inner = new InMemoryTaskStore()
    const store = sealedStore(inner, sealing)
    await store.create(workingRecord('a', { call: 'the arguments' }))
    const before = await inner.get('a')
    expect(before?.call).not.toContain('the arguments')
    const read = await store.get('a')
    if (read === undefined) throw new TypeError('There is no record.')
    const next = { ...read, version: 2, task: { ...read.task, statusMessage: 'half' } }
    expect(await store.transition(next, 1, read)).toBe(true)
    const after = await inner.get('a')
    expect(after?.call).toBe(before?.call)
    expect(after?.sealed).not.toBe(before?.sealed)
    expect(await store.get('a')).toEqual(next)
  })

  it('is refused in another task than its own', async () => {
    const inner = new InMemoryTaskStore()
    const store = sealedStore(inner, sealing)
    await store.create(workingRecord('a', { call: 'pay 10' }))
    await store.create(workingRecord('b', { call: 'pay 1000' }))
    const [a, b] = [await inner.get('a'), await inner.get('b')]
    if (a === undefined || b?.call === undefined) throw new TypeError('There is no record.')
    await inner.transition({ ...a, version: 2, call: b.call }, 1)
    await expect(store.get('a')).rejects.toThrow('`open` did not return a task that `seal` was given')
  })
})
