import { describe, expect, it } from 'vitest'
import type { Task } from '../protocol/task.js'
import { type KnownSnapshots, takeSnapshot } from './snapshotOrder.js'

const TASK: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:10Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}
const KNOWN: KnownSnapshots = { task: TASK, passedOver: undefined }
const at = (lastUpdatedAt: string, status: Task['status'] = 'working'): Task => ({ ...TASK, lastUpdatedAt, status })
const OLDER = at('2026-07-28T00:00:09Z')

describe('takeSnapshot', () => {
  it.each([
    ['one of the same moment: clocks are coarse', TASK.lastUpdatedAt, 'working'],
    ['one of the same moment that is written otherwise', '2026-07-28T02:00:10.000+02:00', 'working'],
    ['a newer one', '2026-07-28T00:00:11Z', 'working'],
    ['one without a time: it cannot be put in order', '', 'working'],
    ['one dated in words', 'yesterday', 'working'],
    ['an older one that is terminal: nothing comes after it', OLDER.lastUpdatedAt, 'cancelled'],
  ] as const)('takes %s', (_, lastUpdatedAt, status) => {
    const next = at(lastUpdatedAt, status)
    for (const isAskedSince of [true, false]) {
      expect(takeSnapshot(KNOWN, next, isAskedSince)).toEqual({ task: next, passedOver: undefined })
    }
  })

  it('takes any snapshot where the time of the known one is not legible', () => {
    expect(takeSnapshot({ task: at(''), passedOver: undefined }, OLDER, false).task).toBe(OLDER)
  })

  it('passes over an older one that was on its way when the known one arrived, however often', () => {
    const once = takeSnapshot(KNOWN, OLDER, false)
    expect(once).toEqual(KNOWN)
    expect(takeSnapshot(once, OLDER, false)).toEqual(KNOWN)
  })

  it('passes over an older one that was asked for since, and takes it when the server says so twice', () => {
    const once = takeSnapshot(KNOWN, OLDER, true)
    expect(once).toEqual({ task: TASK, passedOver: OLDER })
    expect(takeSnapshot(once, OLDER, true)).toEqual({ task: OLDER, passedOver: undefined })
  })

  it('does not take one that is older still than the one that was passed over', () => {
    const once = takeSnapshot(KNOWN, OLDER, true)
    const oldest = at('2026-07-28T00:00:01Z')
    expect(takeSnapshot(once, oldest, true)).toEqual({ task: TASK, passedOver: oldest })
  })

  it('keeps the one that was passed over while late ones arrive', () => {
    const once = takeSnapshot(KNOWN, OLDER, true)
    expect(takeSnapshot(once, at('2026-07-28T00:00:01Z'), false)).toEqual(once)
  })

  it('passes over everything after a terminal snapshot, however new', () => {
    const ended = { task: at(TASK.lastUpdatedAt, 'completed'), passedOver: undefined }
    const next = at('2027-01-01T00:00:00Z')
    expect(takeSnapshot(takeSnapshot(ended, next, true), next, true)).toEqual(ended)
  })

  it('keeps of a snapshot that is passed over only the task', () => {
    const carrying = { ...OLDER, result: { content: [] } }
    expect(takeSnapshot(KNOWN, carrying, true).passedOver).toEqual(OLDER)
  })
})
