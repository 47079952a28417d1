import { expect, it } from 'vitest'
import { type CallRecord, newTaskRecord, setBack } from '../record/record.js'
import { memoryStorage } from './memoryStorage.js'
import { createRecordStore } from './recordStore.js'

const OWNER = { endpoint: 'https://tasks.example/mcp', scope: '' }
const BACK_BY = 301

/** A record of a task that was received at 4000, or at another time by a clock that was set back. */
function recordAt(notedAt: number, earliestAt: number, receivedAt = 4000): CallRecord {
  const task = { taskId: 'task-1', status: 'working' as const, createdAt: '', lastUpdatedAt: '', ttlMs: null }
  return {
    callId: 'call-1',
    tool: 'report',
    key: 'a',
    argumentsHash: undefined,
    meta: undefined,
    keepResult: undefined,
    ...OWNER,
    startedAt: 1000,
    idempotencyKey: undefined,
    task: { ...newTaskRecord(task, 'modern', receivedAt, earliestAt), notedAt },
    held: undefined,
  }
}

/** A store with a record in it, and the record of a page whose clock was set back since. */
async function update(stored: CallRecord, ownNotedAt: number): Promise<number | undefined> {
  const store = createRecordStore({
    ...OWNER,
    storage: memoryStorage(),
    isOfPage: true,
    now: () => 5000,
    pause: () => Promise.resolve(),
    inTime: (pending) => pending,
    onError: (error) => expect.unreachable(error.message),
  })
  await store.write(stored)
  const own = recordAt(ownNotedAt, 0)
  await store.update({ ...own, task: own.task && setBack(own.task, BACK_BY) }, true, BACK_BY)
  return (await store.read('call-1'))?.task?.earliestAt
}

it('moves a stored record with the clock that this page has seen set back', async () => {
  expect(await update(recordAt(4000, 6000), 4000)).toBe(6000 - BACK_BY)
})

it('moves what was noted later than now by as much, too', async () => {
  expect(await update(recordAt(5100, 6000), 4000)).toBe(6000 - BACK_BY)
})

it('leaves what another page has moved and has noted since as it is', async () => {
  expect(await update(recordAt(4500, 6000, 4000 - BACK_BY), 4600)).toBe(6000)
})
