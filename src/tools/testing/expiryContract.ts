import { type StoreRequirements, same } from './storeRequirements.js'
import { workingRecord } from './workingRecord.js'

/** Later than now, for databases that expire records by their own clock. */
const FAR: number = 32_000_000_000_000

/** What a store must do with the ends of records. */
export const EXPIRY_CONTRACT: StoreRequirements = {
  async 'has removed what had expired, or does not say when it will'(store) {
    await store.create(workingRecord('past', { expiresAt: 99 }))
    await store.create(workingRecord('now', { expiresAt: 100 }))
    await store.create(workingRecord('later', { expiresAt: FAR + 300 }))
    await store.create(workingRecord('soon', { expiresAt: FAR + 200 }))
    await store.create(workingRecord('never'))
    const next = await store.expire(100)
    // Null from a store whose database expires records by its own clock.
    if (next !== null) {
      same(next, FAR + 200, 'the next end')
      same(await store.get('past'), undefined, 'what had expired')
      same(await store.get('now'), undefined, 'what expires now')
    }
    const left = await Promise.all(['soon', 'later', 'never'].map((id) => store.get(id)))
    same(left.filter(Boolean).length, 3, 'the records that have not expired')
    if (next !== null) same(await store.expire(FAR + 300), null, 'the next end where nothing is left to expire')
  },

  async 'keeps a record whose expiry was postponed, and removes it at the new time'(store) {
    await store.create(workingRecord('a', { expiresAt: FAR + 100 }))
    await store.create(workingRecord('last', { expiresAt: FAR + 900 }))
    const next = workingRecord('a', { version: 2, expiresAt: FAR + 200 })
    same(await store.transition(next, 1), true, 'the change')
    const end = await store.expire(FAR + 199)
    if (end !== null) same(end, FAR + 200, 'the next end')
    same(await store.get('a'), next, 'the record between its old expiry and the new one')
    if ((await store.expire(FAR + 200)) !== null) same(await store.get('a'), undefined, 'what has expired then')
  },

  async 'removes a record earlier if its expiry was brought forward'(store) {
    await store.create(workingRecord('a', { expiresAt: FAR + 300 }))
    await store.create(workingRecord('removed', { expiresAt: FAR + 400 }))
    await store.create(workingRecord('last', { expiresAt: FAR + 900 }))
    for (const id of ['a', 'removed'])
      await store.transition(workingRecord(id, { version: 2, expiresAt: FAR + 100 }), 1)
    await store.remove('removed')
    const end = await store.expire(FAR + 99)
    if (end !== null) same(end, FAR + 100, 'the next end')
    same((await store.get('a'))?.version, 2, 'the version before the new expiry')
    const last = await store.expire(FAR + 100)
    if (last === null) return
    same(await store.get('a'), undefined, 'what has expired at the new time')
    same(last, FAR + 900, 'the end after that')
  },

  async 'either removes a record or lets its expiry be postponed, if both come at once'(store) {
    const ids = Array.from({ length: 20 }, (_, index) => `task-${index}`)
    for (const id of ids) await store.create(workingRecord(id, { expiresAt: FAR + 100 }))
    const postpone = (id: string) => store.transition(workingRecord(id, { version: 2, expiresAt: FAR + 200 }), 1)
    const [, ...changes] = await Promise.all([store.expire(FAR + 100), ...ids.map(postpone)])
    const left = await Promise.all(ids.map(async (id) => (await store.get(id)) !== undefined))
    same(left, changes, 'which records are left')
  },
}
