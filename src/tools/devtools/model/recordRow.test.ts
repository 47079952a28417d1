import { expect, it } from 'vitest'
import { encodeCallRecord } from '../../../core/record/codec.js'
import { type CallRecord, newTaskRecord, type TaskRecord } from '../../../core/record/record.js'
import { taskName } from './callRow.js'
import { recordRow } from './recordRow.js'

const record: CallRecord = {
  callId: 'call',
  tool: 'report',
  key: 'weekly',
  argumentsHash: undefined,
  meta: undefined,
  keepResult: undefined,
  endpoint: 'https://example.com/mcp',
  scope: '',
  startedAt: 1000,
  idempotencyKey: undefined,
  task: undefined,
  held: undefined,
}

const taskId = 'a-task-that-nobody-may-know'

const task: TaskRecord = newTaskRecord(
  {
    taskId,
    status: 'working',
    createdAt: '2026-11-21T00:00:00Z',
    lastUpdatedAt: '2026-11-21T00:00:00Z',
    ttlMs: 60_000,
  },
  'modern',
  2000,
  9000,
)

const rowOf = (text: string) => recordRow({ storage: 'localStorage', key: 'taskwire:1:x:call', text }, 8000)

it('the row of a record says what the record says, and names its task by the hash that observations have', () => {
  const row = rowOf(encodeCallRecord({ ...record, task }))
  expect(row).toMatchObject({ name: 'report', summary: 'working' })
  const facts = Object.fromEntries(row.facts)
  expect(facts).toMatchObject({ Key: 'weekly', Started: '7.00 s ago', 'Not polled before': 'in 1.00 s' })
  expect(facts['Task']).toContain(taskName(taskId))
  expect(JSON.stringify(row)).not.toContain(taskId)
})

it('the row of a record has the title that the app has noted, so that two records of one tool can be told apart', () => {
  const { name, facts } = rowOf(encodeCallRecord({ ...record, meta: { title: 'Report of Q3' } }))
  expect(name).toBe('Report of Q3')
  expect(facts).toContainEqual(['Tool', 'report'])
  expect(facts).toContainEqual(['Meta', '{"title":"Report of Q3"}'])
})

it('the row of a record says that the call has no response yet', () => {
  const { summary, facts } = rowOf(encodeCallRecord(record))
  expect(summary).toBe('no response yet')
  expect(facts.map(([name]) => name)).toEqual(['Tool', 'Call', 'Key', 'Endpoint', 'Revision', 'Started'])
})

it('the row of a record shows nothing of an unreadable record', () => {
  const row = rowOf(`{"v":2,"callId":"call","task":"${taskId}"}`)
  expect(row).toMatchObject({ name: 'Another record', facts: [] })
  expect(JSON.stringify(row)).not.toContain(taskId)
})
