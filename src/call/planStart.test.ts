import { describe, expect, it } from 'vitest'
import type { TaskStatus } from '../protocol/task.js'
import type { RecordedTask, ToolCallRecord } from '../storage/toolCallRecord.js'
import { planStart, type StartPlan, type Wish } from './planStart.js'

const INTENT: ToolCallRecord = {
  callId: 'c1',
  tool: 'report',
  key: 'weekly',
  endpoint: 'https://example.com/mcp',
  scope: '',
  era: 'modern',
  startedAt: 0,
}
const times = { receivedAt: 0, createdAt: '', lastUpdatedAt: '', ttlMs: null, answered: [], isCancelling: false }
const task = (status: TaskStatus): ToolCallRecord => ({ ...INTENT, task: { taskId: 't1', status, ...times } })

const records = {
  none: undefined,
  intent: INTENT,
  'keyed intent': { ...INTENT, idempotencyKey: 'f81d4fae7dec11d0' },
  working: task('working'),
  'keyed working': { ...task('working'), idempotencyKey: 'f81d4fae7dec11d0' },
  input_required: task('input_required'),
  completed: task('completed'),
  failed: task('failed'),
  cancelled: task('cancelled'),
  lost: { ...INTENT, task: { ...task('working').task, lost: { at: 0, reason: 'ttl' } } as RecordedTask },
}

/** What the app wants, by what is recorded. Two plans: of a tool that must not be called twice, of one that may. */
const table: Record<Wish, Record<keyof typeof records, StartPlan | readonly [StartPlan, StartPlan]>> = {
  call: {
    none: 'call',
    intent: ['interrupted', 'call'],
    'keyed intent': 'repeat',
    working: 'follow',
    'keyed working': 'follow',
    input_required: 'follow',
    completed: 'follow',
    failed: 'follow',
    cancelled: 'follow',
    lost: 'follow',
  },
  'call-if-settled': {
    none: 'call',
    intent: 'call',
    'keyed intent': 'repeat',
    working: 'follow',
    'keyed working': 'follow',
    input_required: 'follow',
    completed: 'call',
    failed: 'call',
    cancelled: 'call',
    lost: 'call',
  },
  'call-again': {
    none: 'call',
    intent: 'call',
    'keyed intent': 'call',
    working: 'call',
    'keyed working': 'call',
    input_required: 'call',
    completed: 'call',
    failed: 'call',
    cancelled: 'call',
    lost: 'call',
  },
  resume: {
    none: 'nothing',
    intent: ['interrupted', 'nothing'],
    'keyed intent': ['interrupted', 'nothing'],
    working: 'follow',
    'keyed working': 'follow',
    input_required: 'follow',
    completed: 'nothing',
    failed: 'nothing',
    cancelled: 'nothing',
    lost: 'nothing',
  },
}

const cells = Object.entries(table).flatMap(([wish, row]) =>
  Object.entries(row).flatMap(([found, plans]) => {
    const [once, repeatable] = typeof plans === 'string' ? [plans, plans] : plans
    return [
      [wish as Wish, found as keyof typeof records, 'once', once] as const,
      [wish as Wish, found as keyof typeof records, 'any number of times', repeatable] as const,
    ]
  }),
)

describe('planStart', () => {
  it.each(cells)(
    'with the wish %s and the record %s, of a tool that may be called %s: %s',
    (wish, found, times, plan) => {
      expect(planStart(records[found], wish, times !== 'once')).toBe(plan)
    },
  )
})
