import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../test/server/support/manualClock.js'
import { workingRecord } from '../../tools/testing/workingRecord.js'
import { InMemoryTaskStore } from './inMemoryTaskStore.js'
import { createTaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskEvent } from './taskReducer.js'
import type { TaskStore } from './taskStore.js'

function setup(store: TaskStore = new InMemoryTaskStore()) {
  const clock = createManualClock(0)
  const seen: TaskRecord[] = []
  const onRecord = (record: TaskRecord) => void seen.push(record)
  const ledger = createTaskLedger({ store, clock, onRecord, onEnded: async () => {}, notify: () => {} })
  return { clock, ledger, seen, store }
}

const complete: TaskEvent = { type: 'complete', result: { content: [] } }
const fail: TaskEvent = { type: 'fail', error: { code: -32603, message: 'no' } }

describe('createTaskLedger', () => {
  it('applies every one of many changes at once', async () => {
    const { ledger } = setup()
    await ledger.create(workingRecord('a'))
    const questions = Array.from({ length: 20 }, (_, index) => `q${index}`)
    await Promise.all(
      questions.map((key) => ledger.apply('a', { type: 'ask', key, request: { method: 'roots/list' } })),
    )
    const record = await ledger.read('a')
    expect(record?.task.status === 'input_required' && Object.keys(record.task.inputRequests).sort()).toEqual(
      questions.sort(),
    )
  })

  it('lets the first of two racing outcomes stand', async () => {
    const { ledger } = setup()
    await ledger.create(workingRecord('a'))
    const [first, second] = await Promise.all([ledger.apply('a', complete), ledger.apply('a', fail)])
    expect(first?.task.status).toBe('completed')
    expect(second).toEqual(first)
  })

  it('looks again where another process was faster, and finds the task over', async () => {
    // completes: read v1 ........................ transition v1 -> refused, read v2: over
    // other:             read v1, transition -> v2 failed
    const store = new InMemoryTaskStore()
    const other = setup(store)
    const racing: TaskStore = Object.assign(Object.create(store) as TaskStore, {
      create: store.create.bind(store),
      transition: store.transition.bind(store),
      async get(taskId: string) {
        const record = await store.get(taskId)
        if (record?.version === 1) await other.ledger.apply(taskId, fail)
        return record
      },
    })
    const { ledger } = setup(racing)
    await ledger.create(workingRecord('a'))
    expect((await ledger.apply('a', complete))?.task.status).toBe('failed')
  })

  it('does not know a task from the moment it expires, swept or not', async () => {
    const { clock, ledger, store } = setup()
    await ledger.create(workingRecord('a', { expiresAt: 1000 }))
    await clock.advance(999)
    expect(await ledger.read('a')).toBeDefined()
    await clock.advance(1)
    expect(await ledger.read('a')).toBeUndefined()
    expect(await ledger.apply('a', complete)).toBeUndefined()
    expect((await store.get('a'))?.version).toBe(1)
  })

  it('tells of every state it wrote or read, and of none that did not come about', async () => {
    const { ledger, seen } = setup()
    await ledger.create(workingRecord('a'))
    await ledger.apply('a', complete)
    await ledger.apply('a', fail)
    await ledger.read('a')
    expect(seen.map(({ task }) => task.status)).toEqual(['working', 'completed', 'completed'])
  })

  it('passes on what the store throws', async () => {
    const { ledger, store } = setup()
    store.get = () => Promise.reject(new Error('disk full'))
    await expect(ledger.apply('a', complete)).rejects.toThrow('disk full')
  })
})
