import { describe, expect, it } from 'vitest'
import type { TaskStatus } from '../protocol/task.js'
import { planStart, type StartPlan, type Wish } from './planStart.js'
import { type CallRecord, newTaskRecord, type TaskRecord } from './record.js'

const CALL: CallRecord = {
  callId: 'c',
  tool: 'report',
  key: 'k',
  argumentsHash: 'one',
  meta: undefined,
  keepResult: undefined,
  endpoint: 'e',
  scope: '',
  startedAt: 1,
  idempotencyKey: undefined,
  task: undefined,
  held: undefined,
}
const of = (status: TaskStatus, more: Partial<TaskRecord> = {}): CallRecord => {
  const task = { taskId: 't', status, createdAt: '', lastUpdatedAt: '', ttlMs: null }
  return { ...CALL, task: { ...newTaskRecord(task, 'modern', 1, 1), ...more } }
}
const LOST = { lost: { at: 1, reason: 'ttl' as const } }
const KEYED = { ...CALL, idempotencyKey: 'a key of the server' }

describe('planStart', () => {
  it.each<[string, CallRecord | undefined, Record<Wish, StartPlan>]>([
    [
      'nothing',
      undefined,
      { call: 'call', 'call-if-settled': 'call', 'call-again': 'call', resume: 'nothing', list: 'nothing' },
    ],
    [
      'an intent',
      CALL,
      {
        call: 'interrupted',
        'call-if-settled': 'call',
        'call-again': 'call',
        resume: 'interrupted',
        list: 'interrupted',
      },
    ],
    [
      'an intent that the server knows',
      KEYED,
      { call: 'repeat', 'call-if-settled': 'repeat', 'call-again': 'call', resume: 'interrupted', list: 'interrupted' },
    ],
    [
      'a task at work',
      of('working'),
      { call: 'follow', 'call-if-settled': 'follow', 'call-again': 'call', resume: 'follow', list: 'follow' },
    ],
    [
      'a task that has ended',
      of('completed'),
      { call: 'follow', 'call-if-settled': 'call', 'call-again': 'call', resume: 'follow', list: 'ended' },
    ],
    [
      'a task that was lost',
      of('working', LOST),
      { call: 'lost', 'call-if-settled': 'call', 'call-again': 'call', resume: 'lost', list: 'lost' },
    ],
    [
      'a task that was seen to end before it was lost',
      of('completed', LOST),
      { call: 'follow', 'call-if-settled': 'call', 'call-again': 'call', resume: 'follow', list: 'ended' },
    ],
  ])('says for %s what each wish comes to', (_, found, plans) => {
    for (const [wish, plan] of Object.entries(plans)) {
      expect([wish, planStart(found, { wish: wish as Wish, isRepeatable: false })]).toEqual([wish, plan])
    }
  })

  it('makes a call again whose tool may run twice', () => {
    expect(planStart(CALL, { wish: 'call', isRepeatable: true })).toBe('call')
    expect(planStart(CALL, { wish: 'resume', isRepeatable: true })).toBe('nothing')
  })

  it('makes a call that was cancelled again only where the app wants it again', () => {
    for (const intent of [CALL, KEYED])
      for (const isRepeatable of [false, true])
        for (const wish of ['call', 'resume', 'list'] as const)
          expect([wish, planStart({ ...intent, isCancelled: true }, { wish, isRepeatable })]).toEqual([
            wish,
            'interrupted',
          ])
    const again = { wish: 'call-if-settled', isRepeatable: false } as const
    expect(planStart({ ...CALL, isCancelled: true }, again)).toBe('call')
    expect(planStart({ ...KEYED, isCancelled: true }, again)).toBe('repeat')
  })

  it('follows a task, and what the server knows by a key, also of a tool that may run twice', () => {
    for (const wish of ['call', 'call-if-settled', 'resume', 'list'] as const)
      expect([wish, planStart(of('working'), { wish, isRepeatable: true })]).toEqual([wish, 'follow'])
    expect(planStart(KEYED, { wish: 'call', isRepeatable: true })).toBe('repeat')
  })

  it('refuses a call of the same key with other arguments, unless it is to be made in any case', () => {
    const other = { isRepeatable: false, argumentsHash: 'two' }
    expect(planStart(of('working'), { wish: 'call', ...other })).toBe('conflict')
    expect(planStart(CALL, { wish: 'call', ...other })).toBe('conflict')
    expect(planStart(of('working'), { wish: 'call-again', ...other })).toBe('call')
    expect(planStart(of('completed'), { wish: 'call-if-settled', ...other })).toBe('call')
    expect(planStart(of('working'), { wish: 'call', ...other, argumentsHash: 'one' })).toBe('follow')
    expect(planStart({ ...of('working'), argumentsHash: undefined }, { wish: 'call', ...other })).toBe('follow')
  })
})
