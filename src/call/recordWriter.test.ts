import { expect, it } from 'vitest'
import { INTENT, recorded, START } from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import { TaskExpiredError } from '../protocol/errors.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Call, TrackedCall } from './call.js'
import { createEntry } from './callEntry.js'
import { createRecordWriter } from './recordWriter.js'
import type { TaskMessage } from './taskMessage.js'

const { endpoint, scope } = INTENT
const FOLLOWED: TrackedCall = { ...TRACKED, callId: 'c1', name: 'report', startedAt: START, stage: 'following' }
const DELIVERED: TrackedCall = {
  ...FOLLOWED,
  stage: 'ending',
  end: { ...TRACKED.task, status: 'completed', result: { content: [] } },
}

/** A writer over a storage that holds one record, and a log of what happens. */
function openWriter(call: Call, stored?: ToolCallRecord) {
  const log: string[] = []
  const written: ToolCallRecord[] = []
  const posted: TaskMessage[] = []
  const storage = { isWritable: true, isSilent: false }
  const entry = createEntry(call)
  const put = (what: string) => (record: ToolCallRecord, isKept?: boolean) => {
    log.push(isKept === undefined ? what : `${what} ${isKept ? 'what is there' : 'whatever is there'}`)
    written.push(record)
    return Promise.resolve(storage.isWritable)
  }
  const writer = createRecordWriter({
    records: {
      write: put('write'),
      update: put('update'),
      read: () => Promise.resolve(stored),
      find: () => Promise.resolve(storage.isSilent ? 'unreadable' : stored),
      remove: () => Promise.resolve(void log.push('remove')),
    },
    owner: { endpoint, scope },
    port: { era: 'modern' },
    tabs: { postTask: (_taskId, message) => void posted.push(message) },
    now: () => START + 500,
    dispatch: (_entry, event) => {
      if (event.type === 'recorded') log.push(`note ${event.record}`)
      else if (event.type === 'next-poll-read') log.push(`poll at ${event.nextPollAt}`)
      else log.push(event.type)
    },
  })
  return { ...writer, entry, log, written, posted, storage }
}

it('writes the first record of a call, and notes that it is kept', async () => {
  const { write, entry, log, written } = openWriter({ ...FOLLOWED, record: 'unwritten' })
  await write(entry)
  expect(log).toEqual(['write', 'note kept'])
  expect(written).toMatchObject([{ callId: 'c1', endpoint, scope, task: { taskId: 't1', notedAt: START + 500 } }])
})

it('notes that the first record of a call could not be written', async () => {
  const { write, entry, log, storage } = openWriter({ ...FOLLOWED, record: 'unwritten' })
  storage.isWritable = false
  await write(entry)
  expect(log).toEqual(['write', 'note failed'])
})

it('updates a record that is there, and does not bring back one that another tab has removed', async () => {
  const { write, entry, log, storage } = openWriter({ ...FOLLOWED, record: 'kept' })
  await write(entry)
  storage.isWritable = false
  await write(entry)
  expect(log).toEqual(['update what is there', 'note kept', 'update what is there'])
})

it('writes again what the storage has refused before', async () => {
  const { write, entry, log } = openWriter({ ...FOLLOWED, record: 'failed' })
  await write(entry)
  expect(log).toEqual(['update whatever is there', 'note kept'])
})

it('writes nothing of a call that is no task yet', async () => {
  const { write, entry, log } = openWriter({ ...INTENT, name: 'report', stage: 'waiting', for: 'lock' })
  await write(entry)
  expect(log).toEqual([])
})

it('writes nothing of a call whose record has been removed', async () => {
  const { write, entry, log } = openWriter({ ...FOLLOWED, record: 'removed' })
  await write(entry)
  expect(log).toEqual([])
})

it('writes nothing of a call that has been left', async () => {
  const { write, entry, log } = openWriter(FOLLOWED)
  entry.left = new Error('closed')
  await write(entry)
  expect(log).toEqual([])
})

it('does not write what another tab has posted and recorded', async () => {
  const { write, entry, log } = openWriter({ ...FOLLOWED, answered: ['q1'] }, recorded({ answered: ['q1', 'q2'] }))
  await write(entry, true)
  expect(log).toEqual([])
})

it('writes what another tab has posted and not recorded', async () => {
  const { write, entry, log } = openWriter({ ...FOLLOWED, answered: ['q1'] }, recorded())
  await write(entry, true)
  expect(log).toEqual(['update what is there', 'note kept'])
})

it('writes what another tab has posted where the storage has no record of the call', async () => {
  const { write, entry, log } = openWriter({ ...FOLLOWED, answered: ['q1'] })
  await write(entry, true)
  expect(log).toEqual(['update what is there', 'note kept'])
})

it('reads when other pages want the task to be polled', async () => {
  const { readNote, entry, log } = openWriter(FOLLOWED, recorded({ nextPollAt: START + 900, notedAt: START + 400 }))
  await readNote(entry, 't1')
  expect(log).toEqual([`poll at ${START + 900}`])
})

it('reads no time to poll from the record of another task, nor from one that notes none', async () => {
  const other = openWriter(FOLLOWED, recorded({ taskId: 't2', nextPollAt: START + 900 }))
  await other.readNote(other.entry, 't1')
  expect(other.log).toEqual(['poll at undefined'])
  const silent = openWriter(FOLLOWED, recorded())
  await silent.readNote(silent.entry, 't1')
  expect(silent.log).toEqual(['poll at undefined'])
})

it.each([
  ['kept', 'poll at unreadable'],
  ['assumed', 'poll at unreadable'],
  ['failed', 'poll at undefined'],
] as const)('where the storage fails, and the record is %s, says %s', async (record, expected) => {
  const { readNote, entry, log, storage } = openWriter({ ...FOLLOWED, record })
  await readNote(entry, 't1')
  storage.isSilent = true
  await readNote(entry, 't1')
  expect(log).toEqual(['poll at undefined', expected])
})

it('knows from the record which input requests of the task were answered', async () => {
  const { isAnswered } = openWriter(FOLLOWED, recorded({ answered: ['q1'] }))
  await expect(isAnswered('c1', 't1', 'q1')).resolves.toBe(true)
  await expect(isAnswered('c1', 't1', 'q2')).resolves.toBe(false)
  await expect(isAnswered('c1', 't2', 'q1')).resolves.toBe(false)
})

it('notes a response of the task that is followed as an event of its call', async () => {
  const { noteResponded, entry, log, posted } = openWriter(FOLLOWED, recorded())
  await noteResponded(entry, 't1', 'q1')
  expect(log).toEqual(['responded'])
  expect(posted).toEqual([])
})

it('posts and records a response whose call is over, and keeps those that were recorded', async () => {
  const settled: Call = { ...FOLLOWED, stage: 'settled', outcome: { error: new Error('over') }, endedAt: START }
  const { task: _task, ...over } = settled
  const { noteResponded, entry, log, written, posted } = openWriter(over, recorded({ answered: ['q0'] }))
  await noteResponded(entry, 't1', 'q1')
  expect(posted).toEqual([{ type: 'responded', inputKey: 'q1' }])
  expect(log).toEqual(['update what is there'])
  expect(written).toMatchObject([{ task: { answered: ['q0', 'q1'] } }])
})

it('does not record a response in the record of another task', async () => {
  const { noteResponded, entry, log, posted } = openWriter(FOLLOWED, recorded({ taskId: 't3' }))
  await noteResponded(entry, 't2', 'q1')
  expect(posted).toHaveLength(1)
  expect(log).toEqual([])
})

it('posts a response and records it nowhere where the call was made anew, and its record is of no task yet', async () => {
  const { noteResponded, entry, log, posted } = openWriter(FOLLOWED, INTENT)
  await noteResponded(entry, 't2', 'q1')
  expect(posted).toHaveLength(1)
  expect(log).toEqual([])
})

it('neither posts nor records a response of a call that has been left', async () => {
  const { noteResponded, entry, log, posted } = openWriter(FOLLOWED, recorded({ taskId: 't2' }))
  entry.left = new Error('closed')
  await noteResponded(entry, 't2', 'q1')
  expect([log, posted]).toEqual([[], []])
})

it('closes a record before it is removed, so that nothing can bring it back', async () => {
  const { close, entry, log } = openWriter(DELIVERED)
  entry.isSent = true
  await close(entry, undefined)
  expect(log).toEqual(['note removed', 'remove'])
})

it('keeps the record of a delivered call that this page has not made, for the page that has', async () => {
  const { close, entry, log } = openWriter(DELIVERED)
  await close(entry, undefined)
  expect(log).toEqual(['update what is there', 'note kept'])
})

it('leaves the record of a call that has been left to the page that takes it up', async () => {
  const { close, entry, log } = openWriter(DELIVERED)
  Object.assign(entry, { isSent: true, left: new Error('closed') })
  await close(entry, undefined)
  expect(log).toEqual([])
})

it('keeps the record of a call with a key, and writes down that its task is lost', async () => {
  const { close, entry, log, written } = openWriter({ ...FOLLOWED, key: 'weekly' })
  await close(entry, new TaskExpiredError('unknown-task', { taskId: 't1' }))
  expect(log).toEqual(['update what is there', 'note kept'])
  expect(written).toMatchObject([{ task: { lost: { at: START + 500, reason: 'unknown-task' } } }])
})

it('writes down nothing of the kind where the task has come to another end', async () => {
  const { close, entry, written } = openWriter({ ...DELIVERED, key: 'weekly' })
  await close(entry, undefined)
  expect(written).toHaveLength(1)
  expect(written[0]?.task).not.toHaveProperty('lost')
})
