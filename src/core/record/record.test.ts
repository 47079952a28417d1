import { expect, it } from 'vitest'
import type { Task } from '../protocol/task.js'
import { isLost, isOver, newTaskRecord, setBack, withEra } from './record.js'

const TASK: Task = { taskId: 't', status: 'working', createdAt: '', lastUpdatedAt: '', ttlMs: null }
const RECORD = newTaskRecord(TASK, 'modern', 1000, 2000)

it('is over once it has ended here or at the server, or is lost', () => {
  const lost = { at: 1, reason: 'ttl' as const }
  expect(isOver(RECORD)).toBe(false)
  expect(isOver({ ...RECORD, end: { at: 1, error: new Error('no') } })).toBe(true)
  expect(isOver({ ...RECORD, lost })).toBe(true)
  expect(isOver({ ...RECORD, task: { ...TASK, status: 'failed' } })).toBe(true)
  expect(isLost(RECORD)).toBe(false)
  expect(isLost({ ...RECORD, lost })).toBe(true)
  expect(isLost({ ...RECORD, lost, task: { ...TASK, status: 'failed' } })).toBe(false)
})

it('is of the era that the server speaks, and the same record where it was', () => {
  expect(withEra(RECORD, 'modern')).toBe(RECORD)
  expect(withEra(RECORD, 'legacy')).toEqual({ ...RECORD, era: 'legacy' })
})

it('is moved back in all its times, but for those that stand for never', () => {
  const lost = { at: 1500, reason: 'ttl' as const }
  const here = { ...RECORD.here, hintedAt: 1200, blocked: 'offline' as const }
  const back = setBack(
    { ...RECORD, sentAt: 50, lost, cancelling: { at: 1300, isWanted: true, isTaken: true }, here },
    100,
  )
  expect(back).toEqual({
    ...RECORD,
    ...{ receivedAt: 900, heardAt: 900, notedAt: 900, earliestAt: 1900 },
    // Never is 0, so that no time becomes that.
    sentAt: 1,
    lost: { at: 1400, reason: 'ttl' },
    cancelling: { at: 1200, isWanted: true, isTaken: true },
    here: { ...here, hintedAt: 1100 },
  })
  expect(setBack(RECORD, 100).lost).toBeUndefined()
  expect(setBack(RECORD, 100).cancelling.at).toBe(0)
})
