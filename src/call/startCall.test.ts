import { describe, expect, it, vi } from 'vitest'
import {
  asks,
  beginCall,
  completed,
  down,
  INTENT,
  RESULT,
  recorded,
  START,
  type StubbedCallOptions,
  TASK,
} from '../../test/support/stubbedCall.js'
import {
  ConnectionFailedError,
  TaskCancelledError,
  TaskExpiredError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { TaskProgress } from '../protocol/progress.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import { NOOP_CALL_TABS } from './callTabs.js'

describe('a call that is made', () => {
  it('leaves no record, timer or listener where it is answered at once', async () => {
    const { page, entry, log, outcome, storage, state } = beginCall({ call: RESULT })
    await page.settle()
    expect(log).toEqual(['write intent', 'tools/call', 'remove', 'show completed', 'settled'])
    expect(outcome.result).toBe(RESULT)
    expect(storage.record).toBeUndefined()
    expect(entry.record).toBeUndefined()
    expect(state()).toMatchObject({ phase: 'completed', result: RESULT, endedAt: START })
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('[DUR-11] writes its intent before it is sent, and that it is a task before anything else', async () => {
    const { page, log } = beginCall({ polls: [completed()] })
    await page.advance(1000)
    expect(log).toEqual([
      'write intent',
      'tools/call',
      // Before anything is shown of it.
      'write working',
      'show working',
      'tasks/get',
      'complete report',
      'update completed',
      'show completed',
      'settled',
    ])
  })

  it('[DUR-85] waits for a slow storage before it is sent', async () => {
    let finish = () => {}
    const { page, count } = beginCall({
      records: {
        write: () =>
          new Promise((resolve) => {
            finish = () => resolve(true)
          }),
        update: () => Promise.resolve(true),
        read: () => Promise.resolve(undefined),
        remove: () => Promise.resolve(),
      },
    })
    await page.settle()
    expect(count('tools/call')).toBe(0)
    finish()
    await page.settle()
    expect(count('tools/call')).toBe(1)
  })

  it('is sent as it was asked for, and once, whatever its polls come to', async () => {
    const request = { name: 'report', arguments: { seconds: 3 } }
    const { page, sent, count, state } = beginCall({ request, polls: [down()] })
    await page.advance(60_000)
    expect(sent.request).toEqual(request)
    expect(count('tools/call')).toBe(1)
    expect(state().arguments).toEqual({ seconds: 3 })
  })

  it.each([
    ['is refused', new ToolCallRejectedError('No', { code: -32602 }), false],
    ['is interrupted', new ToolCallInterruptedError('report'), true],
    ['gets a response that breaks the protocol', new TaskProtocolError('no task', { source: 'tools/call' }), true],
  ])('that %s leaves an intent only where the tool may be running', async (_, error, isKept) => {
    const { page, outcome, storage, state } = beginCall({ call: error })
    await page.advance(60_000)
    expect(outcome.error).toBe(error)
    expect(state()).toMatchObject({ phase: 'failed', error })
    expect(storage.record).toEqual(isKept ? INTENT : undefined)
  })

  it('shows an input request that comes before its response, and goes on with what is responded', async () => {
    const { page, respond, sent, state, outcome } = beginCall({ call: RESULT, askedFirst: { method: 'roots/list' } })
    await page.settle()
    expect(state()).toMatchObject({ phase: 'input_required', inputRequests: { r1: { method: 'roots/list' } } })
    await respond('r1', { roots: [] })
    await page.settle()
    expect(sent.updates).toEqual([{ roots: [] }])
    expect(state()).toMatchObject({ phase: 'completed' })
    expect(state().inputRequests).toEqual({})
    expect(outcome.result).toBe(RESULT)
  })

  it("fails with missingInput: 'error' where an input request comes before its response", async () => {
    const { page, outcome } = beginCall({
      askedFirst: { method: 'roots/list' },
      rules: { missingInput: 'error' },
    })
    await page.settle()
    expect(outcome.error).toMatchObject({ name: 'TaskInputRequiredError', callId: 'c1' })
  })

  it('withdraws an input request that comes before its response when the call is cancelled', async () => {
    const { page, cancel, state, outcome, respond } = beginCall({ askedFirst: { method: 'roots/list' } })
    await page.settle()
    await cancel()
    await page.settle()
    expect(outcome.error).toBeInstanceOf(TaskCancelledError)
    expect(state()).toMatchObject({ phase: 'cancelled' })
    expect(state().inputRequests).toEqual({})
    await expect(respond('r1', { roots: [] })).rejects.toThrow('No open input request')
  })
})

describe('a call that is not answered, on a server that knows repeated calls by their key', () => {
  const KEYED = { keyTtlMs: 3_600_000 }
  const lost = () => new ToolCallInterruptedError('report')

  it('[DUR-04] is sent again under the same key until it is answered, and says so', async () => {
    const { page, sent, state, storage, outcome } = beginCall({
      ...KEYED,
      calls: [lost(), lost(), RESULT],
    })
    await page.settle()
    expect(state()).toMatchObject({ phase: 'calling', network: 'retrying', failureCount: 1, lastError: lost() })
    expect(storage.record).toEqual({ ...INTENT, idempotencyKey: sent.keys[0] })
    await page.advance(60_000)
    expect(outcome.result).toBe(RESULT)
    expect(state()).toMatchObject({ phase: 'completed', network: 'ok', failureCount: 0 })
    expect(storage.record).toBeUndefined()
    expect(sent.keys).toHaveLength(3)
    expect(new Set(sent.keys).size).toBe(1)
    expect(String(sent.keys[0]).length).toBeGreaterThanOrEqual(16)
    // Half of 500 ms and of 1 s, by the jitter of the test.
    expect(sent.at).toEqual([0, 250, 750])
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('becomes the task that the first attempt has made', async () => {
    const { page, state, storage } = beginCall({ ...KEYED, calls: [lost(), TASK] })
    await page.advance(250)
    expect(state()).toMatchObject({ phase: 'working', task: { taskId: 't1' }, network: 'ok', failureCount: 0 })
    // With its task, a record needs no key.
    expect(storage.record).not.toHaveProperty('idempotencyKey')
  })

  it('is sent once, without a key, where the server takes none', async () => {
    const { page, sent, outcome, storage } = beginCall({ calls: [lost(), RESULT] })
    await page.advance(60_000)
    expect(sent.keys).toEqual([undefined])
    expect(outcome.error).toEqual(lost())
    expect(storage.record).toEqual(INTENT)
  })

  it('[DUR-35] waits offline, and says so', async () => {
    const { page, sent, state } = beginCall({ ...KEYED, calls: [lost(), RESULT] })
    await page.settle()
    await page.setOnline(false)
    await page.advance(60_000)
    expect(state()).toMatchObject({ phase: 'calling', network: 'offline', failureCount: 1 })
    expect(sent.at).toEqual([0])
    await page.setOnline(true)
    await page.settle()
    expect(state()).toMatchObject({ phase: 'completed', network: 'ok' })
  })

  it.each([
    ['retry.maxAttempts', { policy: { maxAttempts: 3 } }, 3],
    ['callTimeoutMs', { policy: { callTimeoutMs: 700 } }, 3],
  ])('[DUR-34] is interrupted after %s, and leaves its key', async (_, options, times) => {
    const { page, sent, outcome, storage } = beginCall({ ...KEYED, ...options, calls: [lost()] })
    await page.advance(600_000)
    expect(sent.at).toHaveLength(times)
    expect(outcome.error).toEqual(lost())
    expect(storage.record).toEqual({ ...INTENT, idempotencyKey: sent.keys[0] })
  })

  it('[DUR-71] is interrupted once the server may have forgotten the key', async () => {
    const { page, sent, outcome } = beginCall({ keyTtlMs: 700, calls: [lost(), lost(), RESULT] })
    await page.advance(60_000)
    expect(sent.at).toEqual([0, 250])
    expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
  })

  it('is cancelled, or left, between two attempts', async () => {
    const { page, cancel, sent, outcome, storage } = beginCall({ ...KEYED, calls: [lost()] })
    await page.settle()
    await cancel()
    await page.advance(60_000)
    expect(outcome.error).toBeInstanceOf(TaskCancelledError)
    expect(sent.at).toEqual([0])
    expect(storage.record).toMatchObject({ idempotencyKey: sent.keys[0] })
    const other = beginCall({ ...KEYED, calls: [lost()] })
    await other.page.settle()
    other.leave(new Error('closed'))
    await other.page.advance(60_000)
    expect(other.sent.at).toEqual([0])
    expect(other.page.pendingTimers()).toBe(0)
  })

  const busy = (retryAfterMs: number) => {
    const cause = Object.assign(new Error('HTTP 503'), { retryAfterMs })
    return [new ToolCallInterruptedError('report', { cause }), new ToolCallRejectedError('Later', { code: 429, cause })]
  }

  it('is left alone for as long as the server asks by Retry-After', async () => {
    const { page, sent, outcome } = beginCall({ ...KEYED, calls: [...busy(7000), ...busy(1), RESULT] })
    await page.advance(60_000)
    expect(sent.at.slice(0, 3)).toEqual([0, 7000, 14_000])
    // The backoff is the longer one.
    expect(sent.at[3]).toBeGreaterThan(14_500)
    expect(outcome.result).toBe(RESULT)
  })

  it('[DUR-92] is interrupted at once where the server asks for longer than callTimeoutMs leaves', async () => {
    const { page, sent, outcome } = beginCall({ ...KEYED, calls: busy(7000), policy: { callTimeoutMs: 7000 } })
    await page.settle()
    expect(sent.at).toEqual([0])
    expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
    expect(page.pendingTimers()).toBe(0)
  })

  it('[DUR-93] is sent again after a response that breaks the protocol, and fails with the third in a row', async () => {
    const broken = new TaskProtocolError('no task', { source: 'tools/call' })
    const { page, outcome, sent } = beginCall({ ...KEYED, calls: [broken, broken, lost(), broken, broken, TASK] })
    await page.settle()
    expect(sent.at).toEqual([0])
    await page.advance(60_000)
    expect(outcome.error).toBeUndefined()
    expect(new Set(sent.keys).size).toBe(1)
    const other = beginCall({ ...KEYED, calls: [broken] })
    await other.page.advance(60_000)
    expect(other.sent.at).toHaveLength(3)
    expect(other.outcome.error).toBe(broken)
    // The tool may be running: who makes the call again asks for the same one.
    expect(other.storage.record).toEqual({ ...INTENT, idempotencyKey: other.sent.keys[0] })
  })

  it.each([
    ['cannot connect', new ConnectionFailedError('No')],
    ['is told to come later', new ToolCallRejectedError('Later', { code: 429 })],
  ])('is sent again where an attempt %s, but for the first', async (_, error) => {
    const { page, sent, outcome } = beginCall({ ...KEYED, calls: [lost(), error, RESULT] })
    await page.advance(60_000)
    expect(sent.at).toHaveLength(3)
    expect(outcome.result).toBe(RESULT)
    const first = beginCall({ ...KEYED, calls: [error, RESULT] })
    await first.page.advance(60_000)
    expect(first.outcome.error).toBe(error)
    expect(first.storage.record).toBeUndefined()
  })

  const conflict = { reason: 'idempotency-key-of-another-call' }
  it.each([
    ['removed where the server has refused the call', -32010, undefined, false],
    ['kept where a gateway has', 401, undefined, true],
    ['kept where it was that of a call with other arguments', -32602, conflict, true],
  ])('leaves an intent that is %s', async (_, code, data, isKept) => {
    const error = new ToolCallRejectedError('No', { code, data })
    const { page, outcome, storage } = beginCall({ ...KEYED, calls: [lost(), error] })
    await page.advance(60_000)
    expect(outcome.error).toBe(error)
    expect(storage.record !== undefined).toBe(isKept)
  })
})

describe('an intent with the key of its call', () => {
  const KEY = 'f81d4fae7dec11d0'
  const found: ToolCallRecord = { ...INTENT, startedAt: START - 9000, idempotencyKey: KEY }

  it.each(['call', 'call-if-settled'] as const)('[DUR-28] is sent again under it, with the wish %s', async (wish) => {
    const { page, sent, state, outcome, storage } = beginCall({ found, wish, keyTtlMs: 60_000, call: RESULT })
    await page.settle()
    expect(sent.keys).toEqual([KEY])
    expect(outcome.result).toBe(RESULT)
    expect(state().startedAt).toBe(START - 9000)
    expect(storage.record).toBeUndefined()
  })

  it('backs off from the first attempt on', async () => {
    const calls = [new ConnectionFailedError('No'), TASK]
    const { page, sent, state } = beginCall({ found, keyTtlMs: 60_000, calls })
    await page.settle()
    expect(state()).toMatchObject({ phase: 'calling', network: 'retrying' })
    await page.advance(250)
    expect(sent.keys).toEqual([KEY, KEY])
    expect(state().phase).toBe('working')
  })

  it.each([
    ['has forgotten it', 9000],
    ['takes none any more', 0],
  ])('[DUR-70] is interrupted, and nothing is sent, where the server %s', async (_, keyTtlMs) => {
    const { page, sent, outcome, storage } = beginCall({ found, keyTtlMs, call: RESULT })
    await page.settle()
    expect(sent.keys).toEqual([])
    expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
    expect(storage.record).toEqual(found)
  })

  it('is written over where the app wants another call', async () => {
    const { page, sent } = beginCall({ found, wish: 'call-again', keyTtlMs: 60_000, call: RESULT })
    await page.settle()
    expect(sent.keys).toHaveLength(1)
    expect(sent.keys[0]).not.toBe(KEY)
  })
})

describe('a call that is made offline', () => {
  it('is not sent until the network is back, and says so', async () => {
    const { page, log, written, state } = beginCall({ isOffline: true, call: RESULT })
    await page.advance(60_000)
    expect(log).not.toContain('tools/call')
    // Nor is it recorded that it was: a reload now makes the call anew.
    expect(written).toEqual([])
    expect(state()).toMatchObject({ phase: 'calling', network: 'offline' })
    await page.setOnline(true)
    await page.advance(200)
    expect(log.filter((entry) => entry === 'tools/call')).toHaveLength(1)
    expect(state()).toMatchObject({ phase: 'completed', network: 'ok' })
  })

  it('can be cancelled without ever being sent', async () => {
    const { page, cancel, log, outcome, storage } = beginCall({ isOffline: true })
    await page.advance(1000)
    await cancel()
    await page.setOnline(true)
    expect(log).not.toContain('tools/call')
    expect(outcome.error).toBeInstanceOf(TaskCancelledError)
    expect(storage.record).toBeUndefined()
  })
})

describe('a call with a key', () => {
  it('is the task that an earlier page left', async () => {
    const { page, log, polls, state } = beginCall({
      found: { ...recorded({ nextPollAt: START + 500 }), startedAt: START - 9000 },
      polls: [completed()],
    })
    await page.advance(500)
    expect(log).not.toContain('tools/call')
    expect(polls).toEqual([500])
    expect(state()).toMatchObject({ phase: 'completed', startedAt: START - 9000 })
  })

  it('is made where none was left', async () => {
    const { page, count } = beginCall({ call: RESULT })
    await page.settle()
    expect(count('tools/call')).toBe(1)
  })

  it('is interrupted where an earlier page left only its intent, and stays so', async () => {
    const intent = { ...INTENT, startedAt: START - 9000 }
    const { page, log, outcome, storage, state } = beginCall({ found: intent })
    await page.settle()
    expect(log).toEqual(['show calling', 'show failed', 'settled'])
    expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
    expect(outcome.error).toMatchObject({ callId: 'c1', toolName: 'report' })
    expect(state().startedAt).toBe(START - 9000)
    expect(storage.record).toBe(intent)
  })

  it('is made again where calling twice does no harm', async () => {
    const { page, count, outcome } = beginCall({ found: INTENT, isRepeatable: true, call: RESULT })
    await page.settle()
    expect(count('tools/call')).toBe(1)
    expect(outcome.result).toEqual(RESULT)
  })

  it('[DUR-24] fetches the result of a task that had ended', async () => {
    const { page, polls, outcome, count } = beginCall({
      found: recorded({ status: 'completed' }),
      polls: [completed()],
    })
    await page.settle()
    expect(polls).toEqual([0])
    expect(count('tools/call')).toBe(0)
    expect(outcome.result).toEqual(RESULT)
  })

  it.each([
    ['call-again', 'working', 1],
    ['call-if-settled', 'working', 0],
    ['call-if-settled', 'completed', 1],
  ] as const)('with the wish %s over a task that is %s is made %i times', async (wish, status, times) => {
    const { page, count } = beginCall({ wish, found: recorded({ status, nextPollAt: START + 5000 }) })
    await page.advance(1000)
    expect(count('tools/call')).toBe(times)
  })

  it('follows the lost task that its record names where it is made once only', async () => {
    const { page, count, polls, outcome } = beginCall({
      found: recorded(),
      lostTaskId: 't1',
      polls: [new TaskExpiredError('unknown-task', { taskId: 't1' })],
    })
    await page.advance(1000)
    expect(count('tools/call')).toBe(0)
    expect(polls).toEqual([0])
    expect(outcome.error).toBeInstanceOf(TaskExpiredError)
  })

  it('follows the lost task although calling twice would do no harm: it may have run to its end', async () => {
    const { page, count } = beginCall({ found: recorded(), lostTaskId: 't1', isRepeatable: true })
    await page.advance(1000)
    expect(count('tools/call')).toBe(0)
  })

  it('fails with what its record says of a lost task, without asking for it, writing or posting', async () => {
    const postCall = vi.fn()
    const found = recorded({ lost: { at: START - 1000, reason: 'ttl' } })
    const { page, log, outcome, state, storage } = beginCall({ found, tabs: { postCall } })
    await page.advance(60_000)
    expect(outcome.error).toBeInstanceOf(TaskExpiredError)
    expect(outcome.error).toMatchObject({ reason: 'ttl', taskId: 't1', callId: 'c1' })
    expect(state()).toMatchObject({ phase: 'failed', task: TASK })
    expect(log).toEqual(['show failed', 'settled'])
    expect(postCall).not.toHaveBeenCalled()
    expect(storage.record).toBe(found)
  })

  it('that is made in any case does not read what it replaces', async () => {
    const read = vi.fn(() => Promise.resolve(recorded()))
    const { page, count } = beginCall({ wish: 'call-again', call: RESULT, records: { read } })
    await page.settle()
    expect(count('tools/call')).toBe(1)
    expect(read).not.toHaveBeenCalled()
  })

  it.each([
    ['no record', undefined, 'call', 1],
    ['the record of a task', recorded(), 'call', 0],
    ['an intent that the server knows by its key', { ...INTENT, idempotencyKey: 'f81d4fae7dec11d0' }, 'call', 1],
    ['an intent, where what has ended is called again', INTENT, 'call-if-settled', 1],
  ] as const)('with %s does not ask the server whether it may be made twice', async (_, found, wish, times) => {
    const isRepeatable = vi.fn(() => Promise.resolve(false))
    const { page, count } = beginCall({
      ...(found && { found }),
      wish,
      keyTtlMs: 60_000,
      call: RESULT,
      port: { isRepeatable },
    })
    await page.settle()
    expect(count('tools/call')).toBe(times)
    expect(isRepeatable).not.toHaveBeenCalled()
  })

  it('is made anew after a lost task, where the wish is to call what has ended', async () => {
    const { page, count } = beginCall({ found: recorded(), lostTaskId: 't1', wish: 'call-if-settled' })
    await page.advance(1000)
    expect(count('tools/call')).toBe(1)
  })

  it('is unlocked when its task is recorded, and not before', async () => {
    const unlock = vi.fn()
    const log: string[] = []
    let finish = () => {}
    const { page } = beginCall({
      tabs: {
        lock: () => Promise.resolve(unlock),
        postCall: (_callId, { type }) => void log.push(`${type}, unlocked ${unlock.mock.calls.length} times`),
      },
      records: {
        write: ({ task }) =>
          new Promise((resolve) => {
            if (task === undefined) resolve(true)
            else finish = () => resolve(true)
          }),
        update: () => Promise.resolve(true),
        read: () => Promise.resolve(undefined),
        remove: () => Promise.resolve(),
      },
    })
    await page.settle()
    expect(log).toEqual([])
    expect(unlock).not.toHaveBeenCalled()
    finish()
    await page.settle()
    expect(log).toEqual(['created, unlocked 0 times'])
    expect(unlock).toHaveBeenCalledOnce()
  })

  it('without a task is posted to the tabs that wait for it, then unlocked', async () => {
    const log: string[] = []
    const { page } = beginCall({
      call: RESULT,
      tabs: {
        lock: () => Promise.resolve(() => log.push('unlock')),
        postCall: (_callId, message) => void log.push(JSON.stringify(message)),
      },
    })
    await page.settle()
    expect(log).toEqual([JSON.stringify({ type: 'settled', outcome: { result: RESULT } }), 'unlock'])
  })

  it('has the outcome that another tab posts while it waits for that tab, touches no record and posts nothing', async () => {
    const postCall = vi.fn()
    const { page, waiting, log, outcome } = beginCall({ tabs: { lock: () => new Promise(() => {}), postCall } })
    await page.settle()
    waiting.settle?.({ outcome: { result: RESULT } })
    await page.settle()
    expect(outcome.result).toBe(RESULT)
    expect(log).toEqual(['show completed', 'settled'])
    expect(postCall).not.toHaveBeenCalled()
    expect(waiting.settle).toBeUndefined()
  })

  it('follows the task that another tab posts while it waits for that tab', async () => {
    const { page, waiting, polls, count } = beginCall({ tabs: { lock: () => new Promise(() => {}) } })
    await page.settle()
    waiting.settle?.({ record: recorded({ nextPollAt: START + 700 }) })
    await page.advance(700)
    expect(polls).toEqual([700])
    expect(count('tools/call')).toBe(0)
  })

  it('that is made in any case waits for the tab that makes it, and is then made all the same', async () => {
    let grant = (_unlock: () => void) => {}
    const { page, waiting, count, outcome } = beginCall({
      wish: 'call-again',
      call: { content: [] },
      tabs: {
        lock: () =>
          new Promise((resolve) => {
            grant = resolve
          }),
      },
    })
    await page.settle()
    waiting.settle?.({ outcome: { result: RESULT } })
    await page.settle()
    expect(count('tools/call')).toBe(0)
    grant(() => {})
    await page.settle()
    expect(count('tools/call')).toBe(1)
    expect(outcome.result).toEqual({ content: [] })
  })
})

describe('a call without a key', () => {
  it('takes no lock, reads no record and posts no outcome', async () => {
    const tabs = { lock: vi.fn(NOOP_CALL_TABS.lock), postCall: vi.fn() }
    const { page, log } = beginCall({ key: undefined, found: recorded(), call: RESULT, tabs })
    await page.settle()
    expect(tabs.lock).not.toHaveBeenCalled()
    expect(tabs.postCall).not.toHaveBeenCalled()
    expect(log).toContain('tools/call')
  })
})

describe('a call that is cancelled', () => {
  it('in the moment in which its response arrives is cancelled as a task', async () => {
    let respond = () => {}
    const { page, cancel, count, state } = beginCall({
      cancels: ['never'],
      port: {
        callTool: async (_request, { beforeSend }) => {
          await beforeSend(0)
          await new Promise<void>((resolve) => {
            respond = resolve
          })
          return { type: 'task', task: TASK }
        },
      },
    })
    await page.settle()
    await cancel()
    respond()
    await page.settle()
    expect(count('tasks/cancel')).toBe(1)
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
  })

  it('before its response is aborted: there is no task to cancel', async () => {
    const { page, cancel, sent, log, outcome, state, storage } = beginCall({ call: 'never' })
    await page.settle()
    await cancel()
    await page.settle()
    expect(sent.callSignal?.aborted).toBe(true)
    expect(log).not.toContain('tasks/cancel')
    expect(outcome.error).toBeInstanceOf(TaskCancelledError)
    expect(outcome.error).toMatchObject({ callId: 'c1' })
    expect(state().phase).toBe('cancelled')
    // The tool may run all the same: the intent says so to the next page that starts the call.
    expect(storage.record).toEqual(INTENT)
  })

  it('while its intent is read is cancelled as the task that it turns out to be', async () => {
    let read = (_record: ToolCallRecord) => {}
    const { page, cancel, count, state } = beginCall({
      cancels: ['never'],
      records: {
        write: () => Promise.resolve(true),
        update: () => Promise.resolve(true),
        read: () =>
          new Promise((resolve) => {
            read = resolve
          }),
        remove: () => Promise.resolve(),
      },
    })
    await page.settle()
    await cancel()
    read(recorded({ nextPollAt: START + 1000 }))
    await page.settle()
    expect(count('tools/call')).toBe(0)
    expect(count('tasks/cancel')).toBe(1)
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
  })
})

describe('a call that is left', () => {
  it.each([
    ['before its response', { call: 'never' }, 0, true],
    ['while it waits for the next poll', {}, 1500, true],
    ['in the middle of a poll', { polls: ['never'] }, 1500, true],
    ['before it was sent', { isOffline: true }, 1500, false],
    ['while nobody observes it', { followsUnobserved: false }, 1500, true],
    ['while it has an input request', { polls: [asks] }, 1500, true],
  ] satisfies [string, StubbedCallOptions, number, boolean][])(
    '%s rejects with the reason and leaves no timer and no listener',
    async (_, options, at, isRecorded) => {
      const { page, leave, outcome, log, storage } = beginCall(options)
      await page.advance(at)
      const reason = new Error('closed')
      leave(reason)
      await page.settle()
      expect(outcome.error).toBe(reason)
      expect(page.pendingTimers()).toBe(0)
      expect(page.listeners()).toBe(0)
      expect(log).not.toContain('tasks/cancel')
      expect(log).not.toContain('remove')
      expect(log).not.toContain('settled')
      // A call that was never sent leaves nothing to be followed.
      expect(storage.record !== undefined).toBe(isRecorded)
    },
  )

  it('before it is sent at all is not sent', async () => {
    const { page, leave, log } = beginCall()
    leave(new Error('closed'))
    await page.advance(60_000)
    expect(log).toEqual([])
  })

  it('while what another page has left of it is read does not ask the server about it', async () => {
    let read = (_record: ToolCallRecord) => {}
    const isRepeatable = vi.fn(() => Promise.resolve(true))
    const { page, leave, log } = beginCall({
      records: {
        read: () =>
          new Promise((resolve) => {
            read = resolve
          }),
      },
      port: { isRepeatable },
    })
    await page.settle()
    leave(new Error('closed'))
    read(INTENT)
    await page.settle()
    expect(isRepeatable).not.toHaveBeenCalled()
    expect(log).toEqual([])
  })

  it('before its response posts no outcome, and lets other tabs make the call', async () => {
    const log: string[] = []
    const { page, leave } = beginCall({
      call: 'never',
      tabs: {
        lock: () => Promise.resolve(() => log.push('unlock')),
        postCall: (_callId, { type }) => void log.push(type),
      },
    })
    await page.settle()
    leave(new Error('closed'))
    await page.settle()
    expect(log).toEqual(['unlock'])
  })

  it('shows no progress that the server notifies after that', async () => {
    let notify = (_progress: TaskProgress) => {}
    const { page, leave, state } = beginCall({
      port: {
        callTool: (_request, { onProgress }) => {
          notify = onProgress
          return new Promise(() => {})
        },
      },
    })
    await page.settle()
    notify({ progress: 1 })
    expect(state().progress).toEqual({ progress: 1 })
    leave(new Error('closed'))
    notify({ progress: 2 })
    expect(state().progress).toEqual({ progress: 1 })
  })

  it('while the record of its task is removed has not ended', async () => {
    let finish = () => {}
    const { page, leave, log } = beginCall({
      key: undefined,
      polls: [completed()],
      records: {
        remove: () =>
          new Promise((resolve) => {
            finish = resolve
          }),
      },
    })
    await page.advance(1000)
    leave(new Error('closed'))
    finish()
    await page.settle()
    expect(log).not.toContain('settled')
    expect(log).not.toContain('show completed')
  })

  it('for a second time keeps the first reason', async () => {
    const { page, leave, respond } = beginCall()
    await page.advance(1500)
    const reason = new Error('closed')
    leave(reason)
    leave(new Error('forgotten'))
    await expect(respond('q1', { roots: [] })).rejects.toBe(reason)
  })

  it('while its task is being written does not go on, and posts nothing', async () => {
    let finish = () => {}
    const postCall = vi.fn()
    const { page, leave, state, polls } = beginCall({
      tabs: { postCall },
      records: {
        write: ({ task }) =>
          new Promise((resolve) => {
            if (task === undefined) resolve(true)
            else finish = () => resolve(true)
          }),
        update: () => Promise.resolve(true),
        read: () => Promise.resolve(undefined),
        remove: () => Promise.resolve(),
      },
    })
    await page.settle()
    leave(new Error('closed'))
    finish()
    await page.advance(60_000)
    expect(polls).toEqual([])
    expect(postCall).not.toHaveBeenCalled()
    expect(state().task).toEqual(TASK)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('keeps its state: the task goes on', async () => {
    const { page, leave, state } = beginCall()
    await page.advance(1500)
    const before = state()
    leave(new Error('closed'))
    await page.settle()
    expect(state()).toBe(before)
  })

  it('sends no cancellation and no response', async () => {
    const { page, leave, cancel, respond, log } = beginCall({ polls: [asks] })
    await page.advance(1500)
    const reason = new Error('closed')
    leave(reason)
    await page.settle()
    await cancel()
    await expect(respond('q1', { roots: [] })).rejects.toBe(reason)
    expect(log).not.toContain('tasks/cancel')
    expect(log).not.toContain('tasks/update')
  })
})
