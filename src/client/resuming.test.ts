import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { INTENT, recorded, START } from '../../test/support/stubbedCall.js'
import { callOf, settledOf, stubPageCalls } from '../../test/support/stubbedPageCalls.js'
import type { Call } from '../call/call.js'
import { ToolCallInterruptedError } from '../protocol/errors.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import { taskCallId, toolCallId } from './callIds.js'
import { createResuming } from './resuming.js'

const OWNER = { endpoint: INTENT.endpoint, scope: INTENT.scope }
const CLOSED = new Error('closed')
const OVER = recorded({ status: 'completed' })
const { callId: _, ...REST } = INTENT
const IDENTITY = { callId: 'c1', name: 'report', key: 'weekly', startedAt: START }
const INTERRUPTED = ['over', IDENTITY, new ToolCallInterruptedError('report', { callId: 'c1' }), START]

interface Situation {
  /** What the storage has of the call at first. */
  found?: ToolCallRecord
  /** The same, once the call is locked. */
  locked?: ToolCallRecord | undefined
  known?: readonly Call[]
  isRepeatable?: boolean
  /** What happens while the call is being locked. */
  onLock?: (page: { close(): void; put(call: Call): void }) => void
}

function begin(situation: Situation & { all?: readonly ToolCallRecord[]; onRead?: (close: () => void) => void } = {}) {
  const { found, isRepeatable = false, all = found === undefined ? [] : [found] } = situation
  const page = createSimulatedEnvironment({ now: START + 1000 })
  const log: unknown[][] = []
  const closing = new AbortController()
  const close = () => closing.abort(CLOSED)
  const { calls, put } = stubPageCalls(log, situation.known)
  const read = () => Promise.resolve('locked' in situation ? situation.locked : found)
  const resuming = createResuming({
    calls,
    ended: { list: ({ callId }) => void log.push(['list', callId]) },
    handOver: {
      read: () => {
        situation.onRead?.(close)
        return Promise.resolve(found)
      },
    },
    port: { isRepeatable: () => Promise.resolve(isRepeatable) },
    records: {
      read,
      write: (record) => Promise.resolve(log.push(['write', record]) > 0),
      update: (record) => Promise.resolve(log.push(['update', record]) > 0),
      list: () => {
        situation.onRead?.(close)
        return Promise.resolve([...all])
      },
    },
    owner: OWNER,
    tabs: {
      open: () => void log.push(['open tabs']),
      lock: async (callId) => {
        log.push(['lock', callId])
        situation.onLock?.({ close, put })
        return () => void log.push(['unlock', callId])
      },
      postCall: (callId, message) => void log.push(['post', callId, message]),
    },
    now: page.now,
    signal: closing.signal,
  })
  return { ...resuming, page, log, close, calls }
}

const named = (callId: string, record = recorded()): ToolCallRecord => ({ ...record, callId })
const [OPENED, LOCKED, UNLOCKED] = [['open tabs'], ['lock', 'c1'], ['unlock', 'c1']]

describe('resumeToolCalls() of one call', () => {
  it.each<[string, Situation, string[], unknown[][]]>([
    ['that nothing is known of returns none', {}, [], []],
    ['with a task opens it', { found: recorded() }, ['c1'], [['open', recorded()]]],
    ['with a task that has ended opens it', { found: OVER }, ['c1'], [['open', OVER]]],
    ['with a task that is followed returns that', { found: recorded(), known: [callOf(INTENT)] }, ['c1'], []],
    ['that this page is making returns that', { found: INTENT, known: [callOf(INTENT)] }, ['c1'], []],
    ['without a response says so', { found: INTENT }, ['c1'], [LOCKED, INTERRUPTED, UNLOCKED]],
    ['that may be repeated returns none', { found: INTENT, isRepeatable: true }, [], []],
    ['whose record goes meanwhile returns none', { found: INTENT, locked: undefined }, [], [LOCKED, UNLOCKED]],
    [
      'whose record goes meanwhile returns none, although this page makes it anew',
      { found: INTENT, locked: undefined, onLock: ({ put }) => put(callOf(INTENT)) },
      [],
      [LOCKED, UNLOCKED],
    ],
    [
      'that has become a task meanwhile follows it',
      { found: INTENT, locked: recorded() },
      ['c1'],
      [LOCKED, ['follow', recorded()], UNLOCKED],
    ],
    ['whose task has ended meanwhile returns none', { found: INTENT, locked: OVER }, [], [LOCKED, UNLOCKED]],
    [
      'that this page makes meanwhile returns that',
      { found: INTENT, onLock: ({ put }) => put(callOf(INTENT)) },
      ['c1'],
      [LOCKED, UNLOCKED],
    ],
    [
      'of a client that is closed meanwhile returns none',
      { found: INTENT, onLock: ({ close }) => close() },
      [],
      [LOCKED, UNLOCKED],
    ],
    [
      'whose lock ends with the client returns none',
      {
        found: INTENT,
        onLock: ({ close }) => {
          close()
          throw CLOSED
        },
      },
      [],
      [LOCKED],
    ],
  ])('%s', async (_what, situation, returned, log) => {
    const page = begin(situation)
    const calls = await page.resumeToolCalls({ callId: 'c1' })
    expect(calls).toEqual(returned.map((callId) => ({ callId })))
    expect(page.log).toEqual([OPENED, ...log])
  })

  it('that cannot be locked fails with the reason', async () => {
    const reason = new Error('no locks')
    const onLock = () => {
      throw reason
    }
    await expect(begin({ found: INTENT, onLock }).resumeToolCalls({ callId: 'c1' })).rejects.toBe(reason)
  })

  it.each([
    [undefined, false],
    ['0123456789abcdef', true],
  ])('that was interrupted with the idempotency key %j: unanswered %s', async (idempotencyKey, isUnanswered) => {
    const { resumeToolCalls, calls } = begin({ found: { ...INTENT, ...(idempotencyKey && { idempotencyKey }) } })
    await resumeToolCalls({ callId: 'c1' })
    expect(calls.entries.get('c1')?.isUnanswered).toBe(isUnanswered)
  })
})

describe('resumeToolCalls()', () => {
  it.each<[string, Situation, string[], unknown[][]]>([
    ['follows a task', { found: recorded() }, ['c1'], [['follow', recorded()]]],
    ['returns what follows a task', { found: recorded(), known: [callOf(recorded())] }, ['c1'], []],
    ['returns another call of the task', { found: recorded(), known: [callOf(named('c2'))] }, ['c2'], []],
    ['lists what has ended', { found: OVER }, [], [['list', 'c1']]],
    ['lists no call that is known', { found: OVER, known: [settledOf(OVER)] }, [], []],
    ['lists an interrupted call', { found: INTENT }, [], [['list', 'c1'], LOCKED, INTERRUPTED, UNLOCKED]],
    ['leaves alone what this page is making', { found: INTENT, known: [callOf(INTENT)] }, [], []],
    [
      'asks the other tabs for a task that only they know',
      { found: { ...INTENT, held: 'working' } },
      [],
      [
        ['post', 'c1', { type: 'wanted' }],
        ['list', 'c1'],
      ],
    ],
    ['asks no tab for a task that has ended', { found: { ...INTENT, held: 'ended' } }, [], [['list', 'c1']]],
  ])('%s', async (_what, situation, returned, log) => {
    const page = begin(situation)
    const calls = await page.resumeToolCalls()
    await page.page.advance(0)
    expect(calls).toEqual(returned.map((callId) => ({ callId })))
    expect(page.log).toEqual([OPENED, ...log])
  })

  it('lists the newest 200 of those that have ended and are not known, and follows all others', async () => {
    const ended = Array.from({ length: 201 }, (_each, i) => named(`e${i}`, OVER))
    const [working, known] = [named('w', recorded({ taskId: 't2' })), named('k', OVER)]
    const { log, resumeToolCalls } = begin({ all: [working, ...ended, known], known: [settledOf(known)] })
    await expect(resumeToolCalls()).resolves.toEqual([{ callId: 'w' }])
    expect(log).toEqual([OPENED, ['follow', working], ...ended.slice(1).map(({ callId }) => ['list', callId])])
  })

  it.each([{ callId: 'c1' }, undefined])('with %j, closed while it reads, takes nothing up', async (filter) => {
    const { log, resumeToolCalls } = begin({ found: recorded(), onRead: (close) => close() })
    await expect(resumeToolCalls(filter)).resolves.toEqual([])
    expect(log).toEqual([OPENED])
  })

  it.each([{ callId: 'c1' }, undefined])('with %j, closed before, does not even open the tabs', async (filter) => {
    const { log, close, resumeToolCalls } = begin({ found: recorded() })
    close()
    await expect(resumeToolCalls(filter)).resolves.toEqual([])
    expect(log).toEqual([])
  })
})

describe('resumeTask()', () => {
  const KEYED = toolCallId(OWNER, 'report', 'weekly')
  const UNKEYED = taskCallId(OWNER, 't1')
  const times = { receivedAt: START + 1000, createdAt: '', lastUpdatedAt: '', ttlMs: null }
  const task = { taskId: 't1', status: 'working' as const, ...times, answered: [], isCancelling: false }
  const RESUMED: ToolCallRecord = { ...REST, callId: KEYED, task }
  const { key: _key, ...unkeyed } = RESUMED
  const RESUMED_UNKEYED: ToolCallRecord = { ...unkeyed, callId: UNKEYED, tool: '' }
  const followed = (record: ToolCallRecord) => [
    ['follow', record],
    ['post', record.callId, { type: 'created', record }],
  ]

  it.each<[string, string | undefined, readonly Call[], string, boolean]>([
    ['that is over, without a key, returns its call', undefined, [settledOf(recorded())], 'c1', false],
    ['that is over, with its key, returns its call', 'weekly', [settledOf(named(KEYED))], KEYED, false],
    ['that runs under another key returns its call', 'weekly', [callOf(recorded())], 'c1', false],
    ['that is over under another key follows it anew', 'weekly', [settledOf(recorded())], KEYED, true],
    ['that is not known follows it', 'weekly', [], KEYED, true],
  ])('of a task %s', (_what, key, known, callId, isFollowed) => {
    const { resumeTask, log } = begin({ known })
    expect(resumeTask({ taskId: 't1', name: 'report' }, { ...(key && { key }) })).toEqual({ callId })
    expect(log).toEqual(isFollowed ? followed(RESUMED) : [])
  })

  it('without a key notes it under the id of the task, whatever is recorded', async () => {
    const { resumeTask, log, page } = begin({ found: recorded({ taskId: 't2', status: 'completed' }) })
    expect(resumeTask({ taskId: 't1' }, {})).toEqual({ callId: UNKEYED })
    await page.advance(0)
    expect(log).toStrictEqual([...followed(RESUMED_UNKEYED), ['update', RESUMED_UNKEYED]])
  })

  it.each<[string, Situation, string]>([
    ['over no record', {}, 'write'],
    ['over one without a task', { found: INTENT }, 'write'],
    ['into that of the task', { found: recorded() }, 'update'],
    ['into that of the task, which has ended', { found: OVER }, 'update'],
    ['over that of the task, which was lost', { found: recorded({ lost: { at: 0, reason: 'ttl' } }) }, 'write'],
    ['into that of another task', { found: recorded({ taskId: 't2' }) }, 'update'],
    ['over that of another task, which has ended', { found: recorded({ taskId: 't2', status: 'failed' }) }, 'write'],
  ])('with a key notes the task %s', async (_what, situation, done) => {
    const { resumeTask, log, page } = begin(situation)
    resumeTask({ taskId: 't1', name: 'report' }, { key: 'weekly' })
    await page.advance(0)
    expect(log).toStrictEqual([...followed(RESUMED), [done, RESUMED]])
  })
})
