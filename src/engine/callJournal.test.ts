import { expect, it } from 'vitest'
import { asynchronous } from '../../test/support/asynchronousStorage.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { createRecordStore } from '../storage/recordStore.js'
import { createCallJournal } from './callJournal.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'

it('notes what is heard in a burst in its order, also where the storage takes its time', async () => {
  const storage = asynchronous(memoryStorage())
  const errors: unknown[] = []
  const now = () => 1000
  const onError = (error: unknown) => errors.push(error)
  const records = createRecordStore({ storage, endpoint: 'e', scope: '', now, pause: async () => {}, onError })
  const times = { receivedAt: 1000, createdAt: '', lastUpdatedAt: '', ttlMs: null }
  const task = { taskId: 't', status: 'working' as const, ...times, answered: [], isCancelling: false }
  const record = { callId: 'c', tool: 'x', endpoint: 'e', scope: '', era: 'modern' as const, startedAt: 1000, task }
  await records.write(record)
  const journal = createCallJournal({ record, records, now, policy: DEFAULT_POLL_POLICY })
  await Promise.all([
    journal.hear({ isCancelling: true }),
    journal.hear({ answered: 'q1' }),
    journal.hear({ isCancelling: false }),
    journal.hear({ answered: 'q2' }),
  ])
  expect((await records.read('c'))?.task).toMatchObject({ isCancelling: false, answered: ['q1', 'q2'] })
  expect(errors).toEqual([])
})
