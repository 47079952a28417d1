import { describe, expect, it } from 'vitest'
import { INTENT, recorded, START, TASK } from '../../test/support/stubbedCall.js'
import { callOf, settledOf } from '../../test/support/stubbedPageCalls.js'
import type { Call } from '../call/call.js'
import { createEntry } from '../call/callEntry.js'
import type { CallRuntime } from '../call/callRuntime.js'
import { TaskExpiredError, TaskUnreachableError } from '../protocol/errors.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { TaskClientStore } from './createStore.js'
import { createPageCalls } from './pageCalls.js'

const STARTED = START + 1000

function begin() {
  const log: unknown[][] = []
  const runtime = {
    create: createEntry,
    dispatch: ({ call }, event) => void log.push(['dispatch', call.callId, event]),
    leave: ({ call }, { name, message }) => void log.push(['leave', call.callId, name, message]),
    cancel: ({ call }) => Promise.resolve(void log.push(['cancel', call.callId])),
    observe: ({ call }) => {
      log.push(['observe', call.callId])
      return () => {}
    },
  } as Partial<CallRuntime> as CallRuntime
  const store = {
    setCall: ({ callId, phase }) => void log.push(['show', callId, phase]),
    removeCall: (callId) => void log.push(['hide', callId]),
  } as Partial<TaskClientStore> as TaskClientStore
  const calls = createPageCalls({
    runtime,
    store,
    tabs: { open: () => void log.push(['open tabs']) },
    ended: {
      list: () => {},
      get: () => undefined,
      delete: (id) => void log.push(['unlist', id]),
      callIds: () => ['e'],
    },
    settled: {
      note: ({ callId }) => void log.push(['settled', callId]),
      delete: (callId) => void log.push(['unsettle', callId]),
      dropOld: () => void log.push(['drop old']),
    },
    now: () => STARTED,
    startTime: () => STARTED,
  })
  return { ...calls, log }
}

const [UNSETTLED, UNLISTED, HIDDEN] = [
  ['unsettle', 'c1'],
  ['unlist', 'c1'],
  ['hide', 'c1'],
]
const begun = (phase: string) => [['open tabs'], ['drop old'], UNSETTLED, UNLISTED, ['show', 'c1', phase]]
const adopted = ({ task, startedAt, era }: ToolCallRecord) => [
  ['dispatch', 'c1', { type: 'adopted', task, startedAt, era }],
]

describe('a call of this page', () => {
  it.each([
    ['runs', callOf(recorded()), [['leave', 'c1', 'AbortError', 'The call was started anew.']]],
    ['is over', settledOf(recorded()), []],
  ])('takes the place of the one that %s', (_what, before, left) => {
    const { begin: start, entries, waiting, log } = begin()
    start(before)
    waiting.set('c1', () => {})
    log.length = 0
    const entry = start(callOf(INTENT))
    expect(entries.get('c1')).toBe(entry)
    expect(waiting.has('c1')).toBe(false)
    const [opened, old, unsettled, unlisted, shown] = begun('calling')
    expect(log).toEqual([opened, old, unsettled, unlisted, ...left, shown])
  })

  it('that is forgotten leaves the page and the store', () => {
    const { begin: start, drop, entries, callIds, log } = begin()
    start(callOf(recorded()))
    expect(callIds()).toEqual(['c1', 'e'])
    log.length = 0
    drop('c1')
    expect([...entries]).toEqual([])
    expect(log).toEqual([UNSETTLED, UNLISTED, ['leave', 'c1', 'AbortError', 'The call was forgotten.'], HIDDEN])
  })

  it('that is refused is in no store, and observed by nobody', async () => {
    const { refuse, entries, log } = begin()
    await expect(refuse(callOf(INTENT), 'why').result).rejects.toBe('why')
    expect([...entries]).toEqual([])
    expect(log).toEqual([])
  })
})

describe('the record of a call', () => {
  const lost = recorded({ lost: { at: START + 5, reason: 'ttl' } })

  it.each<[string, ToolCallRecord, unknown[][]]>([
    ['of a task has that followed', recorded(), adopted(recorded())],
    ['without a task has nothing followed', INTENT, []],
  ])('%s, once opened', (_what, record, followed) => {
    const { open, log } = begin()
    const { callId, tool: name, key, startedAt } = record
    expect(open(record).call).toEqual({ callId, name, key, startedAt, stage: 'waiting', for: 'lock' })
    expect(log).toEqual([...begun('calling'), ...followed])
  })

  it('of a lost task, once opened, is a call that has failed', async () => {
    const { open, log } = begin()
    const entry = open(lost)
    const error = new TaskExpiredError('ttl', { taskId: 't1', callId: 'c1' })
    const identity = { callId: 'c1', name: 'report', key: 'weekly', startedAt: START, task: TASK }
    expect(entry.call).toEqual({ ...identity, stage: 'settled', outcome: { error }, endedAt: START + 5 })
    await expect(entry.outcome).rejects.toEqual(error)
    expect(log).toEqual([...begun('failed'), ['settled', 'c1']])
  })

  it.each([
    ['none', []],
    ['requested', [['cancel', 'c1']]],
  ] as const)('is followed with the cancellation that is %s', (cancel, cancelled) => {
    const { begin: start, adopt, log } = begin()
    const entry = start(callOf(recorded()))
    entry.call = { ...callOf(recorded()), cancel } as typeof entry.call
    entry.cancelling = Promise.resolve()
    log.length = 0
    adopt(entry, recorded({ taskId: 't2' }))
    expect(entry.cancelling).toBeUndefined()
    expect(log).toEqual([...adopted(recorded({ taskId: 't2' })), ...cancelled])
  })
})

describe('findTask()', () => {
  it('finds the call of the task among calls without one', () => {
    const { begin: start, findTask } = begin()
    for (const [i, call] of [callOf(INTENT), settledOf(INTENT), callOf(recorded({ taskId: 't2' }))].entries())
      start({ ...call, callId: `c${i}` })
    const entry = start({ ...callOf(recorded()), callId: 'c9' })
    expect(findTask('t1')).toBe(entry)
    expect(findTask('t3')).toBeUndefined()
  })

  it('passes over a call that can be made again without running the tool twice', () => {
    const { begin: start, findTask } = begin()
    const error = new TaskUnreachableError('The server is down.', { taskId: 't1' })
    start({ ...settledOf(recorded()), outcome: { error } } as Call)
    expect(findTask('t1')).toBeUndefined()
    const entry = start({ ...settledOf(recorded()), callId: 'c2' })
    expect(findTask('t1')).toBe(entry)
  })
})
