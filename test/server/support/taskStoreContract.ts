import { describe, expect, it } from 'vitest'
import type { TaskStore } from '../../../src/server/taskStore.js'
import { workingRecord } from './records.js'

/** What every {@link TaskStore} must do. */
export function describeTaskStore(name: string, createStore: () => TaskStore): void {
  describe(name, () => {
    it('gives back what was created, as soon as that resolves', async () => {
      const store = createStore()
      await store.create(workingRecord('a'))
      expect(await store.get('a')).toEqual(workingRecord('a'))
    })

    it('knows nothing of ids it was never given, whatever they look like', async () => {
      const store = createStore()
      for (const id of ['a', '', '__proto__', 'constructor', 'x'.repeat(10_000)]) {
        expect(await store.get(id)).toBeUndefined()
      }
    })

    it('refuses a second record of the same id and keeps the first', async () => {
      const store = createStore()
      await store.create(workingRecord('a', { owner: 'first' }))
      await expect(store.create(workingRecord('a', { owner: 'second' }))).rejects.toThrow('its id is in use')
      expect((await store.get('a'))?.owner).toBe('first')
    })

    it('changes a record that has the expected version', async () => {
      const store = createStore()
      await store.create(workingRecord('a'))
      expect(await store.transition(workingRecord('a', { version: 2, cancelRequested: true }), 1)).toBe(true)
      expect(await store.get('a')).toMatchObject({ version: 2, cancelRequested: true })
    })

    it('changes nothing where the version is another or the record is gone', async () => {
      const store = createStore()
      await store.create(workingRecord('a', { version: 3 }))
      expect(await store.transition(workingRecord('a', { version: 2 }), 1)).toBe(false)
      expect(await store.transition(workingRecord('b', { version: 2 }), 1)).toBe(false)
      expect(await store.get('a')).toMatchObject({ version: 3 })
      expect(await store.get('b')).toBeUndefined()
    })

    it('lets exactly one of many racing changes through', async () => {
      const store = createStore()
      await store.create(workingRecord('a'))
      const changes = Array.from({ length: 20 }, () => store.transition(workingRecord('a', { version: 2 }), 1))
      expect((await Promise.all(changes)).filter(Boolean)).toHaveLength(1)
    })

    it('removes what has expired and says when the next one will', async () => {
      const store = createStore()
      await store.create(workingRecord('past', { expiresAt: 99 }))
      await store.create(workingRecord('now', { expiresAt: 100 }))
      await store.create(workingRecord('later', { expiresAt: 300 }))
      await store.create(workingRecord('soon', { expiresAt: 200 }))
      await store.create(workingRecord('never'))
      expect(await store.expire(100)).toBe(200)
      const left = await Promise.all(['past', 'now', 'soon', 'later', 'never'].map((id) => store.get(id)))
      expect(left.map((record) => record?.task.taskId)).toEqual([undefined, undefined, 'soon', 'later', 'never'])
      expect(await store.expire(300)).toBeNull()
    })

    it('removes a record, and does nothing where there is none', async () => {
      const store = createStore()
      await store.create(workingRecord('a'))
      await store.create(workingRecord('b'))
      await store.remove('a')
      await store.remove('a')
      expect(await store.get('a')).toBeUndefined()
      expect(await store.get('b')).toBeDefined()
      expect(await store.transition(workingRecord('a', { version: 2 }), 1)).toBe(false)
    })

    it('counts the tasks of an owner that are not over, if it counts them at all', async () => {
      const store = createStore()
      if (store.countAtWork === undefined) return
      const cancelled = (id: string) => ({ ...workingRecord(id).task, status: 'cancelled' as const })
      await store.create(workingRecord('a', { owner: 'ann' }))
      await store.create(workingRecord('b', { owner: 'bob' }))
      await store.create(workingRecord('c', { owner: 'ann', expiresAt: 1 }))
      await store.create(workingRecord('d', { owner: 'ann' }))
      await store.create(workingRecord('e', { owner: 'ann' }))
      expect(await store.countAtWork('ann')).toBe(4)
      await store.expire(1)
      await store.remove('d')
      await store.transition(workingRecord('e', { owner: 'ann', version: 2, cancelRequested: true }), 1)
      await store.transition(workingRecord('a', { owner: 'ann', version: 2, task: cancelled('a') }), 1)
      await store.transition(workingRecord('b', { owner: 'bob', version: 9, task: cancelled('b') }), 8)
      expect(await store.countAtWork('ann')).toBe(1)
      expect(await store.countAtWork('bob')).toBe(1)
      expect(await store.countAtWork('nobody')).toBe(0)
    })
  })
}
