import { describe, expect, it } from 'vitest'
import { completed, recorded, TASK } from '../../test/support/stubbedCall.js'
import {
  TaskCancelledError,
  TaskExpiredError,
  TaskFailedError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import type { RecordedTask, ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Call, CallIdentity } from './call.js'
import { isRecorded, recordFate, recordOf } from './callRecord.js'
import { NO_INPUTS } from './inputs.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'
import { transition } from './transition.js'

const OWNER = { endpoint: 'https://example.com/mcp', scope: 'ada' }
const IDENTITY: CallIdentity = { callId: 'c1', name: 'report', key: 'weekly', arguments: { week: 7 }, startedAt: 5 }
const CALLING: Call = { ...IDENTITY, stage: 'calling', inputs: NO_INPUTS }

function followed(task: Task = TASK, call: Call = CALLING): Call {
  const at = {
    now: 100,
    jitter: 0.5,
    isOnline: true,
    isVisible: true,
    isAlone: true,
    isLeader: true,
    isPushed: false,
    isLate: false,
    era: 'modern' as const,
    wasStolen: false,
  }
  const rules = {
    policy: DEFAULT_POLL_POLICY,
    missingInput: 'wait' as const,
    stuckAfterPolls: 60,
    isHandled: () => false,
    missingCapability: () => undefined,
  }
  return transition(call, { type: 'created', task, era: 'legacy' }, at, rules).call
}

describe('recordOf', () => {
  it('is an intent where there is no task yet', () => {
    expect(recordOf(CALLING, OWNER, 200)).toStrictEqual({
      callId: 'c1',
      tool: 'report',
      key: 'weekly',
      ...OWNER,
      startedAt: 5,
      era: 'modern',
    })
  })

  it('has no key where the call has none', () => {
    expect(recordOf({ ...CALLING, key: undefined }, OWNER, 200)).not.toHaveProperty('key')
  })

  it('has when the newest snapshot arrived, and that the task was lost', () => {
    const lost = { at: 300, reason: 'ttl' as const }
    expect(recordOf({ ...followed(), snapshotAt: 250 } as Call, OWNER, 300, lost).task).toMatchObject({
      snapshotAt: 250,
      lost,
    })
    expect(recordOf(followed(), OWNER, 300).task).not.toHaveProperty('snapshotAt')
  })

  it('has what is needed to follow the task again, and no status message', () => {
    const call = followed({ ...TASK, statusMessage: 'SECRET' })
    expect(
      recordOf({ ...call, answered: ['q1'], cancel: 'retrying', earliestAt: 700 } as Call, OWNER, 200),
    ).toStrictEqual({
      callId: 'c1',
      tool: 'report',
      key: 'weekly',
      ...OWNER,
      startedAt: 5,
      era: 'legacy',
      task: { ...TASK, receivedAt: 100, nextPollAt: 700, notedAt: 200, answered: ['q1'], isCancelling: true },
    })
  })
})

describe('isRecorded', () => {
  const stored = (changes: Partial<RecordedTask>): RecordedTask | undefined => recorded(changes).task

  it.each([
    ['nothing is stored', undefined, {}, false],
    ['the task is another one', stored({ taskId: 't2' }), {}, false],
    ['the storage has the same', stored({ answered: ['q1'] }), { answered: ['q1'] }, true],
    ['the storage has more answers', stored({ answered: ['q1', 'q2'] }), { answered: ['q2'] }, true],
    ['the storage lacks an answer', stored({ answered: ['q1'] }), { answered: ['q1', 'q2'] }, false],
    ['the storage lacks the cancellation', stored({}), { isCancelling: true }, false],
    ['the storage has a cancellation that was taken back', stored({ isCancelling: true }), {}, false],
  ] as const)('where %s', (_, known, changes, expected) => {
    expect(isRecorded(known, recorded(changes))).toBe(expected)
  })

  it('is false of an intent', () => {
    const { task: _, ...intent }: ToolCallRecord = recorded()
    expect(isRecorded(stored({}), intent)).toBe(false)
  })
})

describe('recordFate', () => {
  const interrupted = new ToolCallInterruptedError('report')
  const expired = new TaskExpiredError('unknown-task')
  const protocol = new TaskProtocolError('nonsense', { source: 'tools/call' })
  const keyless: Call = { ...CALLING, key: undefined }

  it.each([
    ['a call that was never sent', CALLING, new TaskCancelledError(), false, 'leave'],
    ['a call whose response came', CALLING, undefined, true, 'remove'],
    ['a call that was refused', CALLING, new ToolCallRejectedError('no', { code: 1 }), true, 'remove'],
    ['a call that was interrupted', CALLING, interrupted, true, 'keep'],
    ['a call that was cancelled before its response', CALLING, new TaskCancelledError(), true, 'keep'],
    ['a call whose response breaks the protocol', CALLING, protocol, true, 'keep'],
    ['a task that completed', followed(), undefined, true, 'keep'],
    ['a task that failed', followed(), new TaskFailedError({ code: 1, message: 'no' }), true, 'keep'],
    ['a task that was cancelled', followed(), new TaskCancelledError(), true, 'keep'],
    ['a task whose server breaks the protocol', followed(), protocol, true, 'keep'],
    ['a lost task under a key', followed(), expired, true, 'keep'],
    ['a lost task without a key', followed(TASK, keyless), expired, true, 'remove'],
  ] as const)('of %s', (_, call, error, isSent, expected) => {
    expect(recordFate(call, error, isSent, 'legacy')).toBe(expected)
  })

  it('of a task without a key whose result was delivered is to remove it, by the page that has made the call', () => {
    const task = followed(TASK, keyless)
    const ending = { ...task, stage: 'ending', end: completed() } as Call
    expect(recordFate(ending, undefined, true, 'legacy')).toBe('remove')
    expect(recordFate(ending, undefined, false, 'legacy')).toBe('keep')
    expect(recordFate({ ...ending, key: 'weekly' }, undefined, true, 'legacy')).toBe('keep')
  })

  it('of a task without a key whose result was not delivered is to keep it', () => {
    const task = followed(TASK, keyless)
    expect(recordFate(task, protocol, true, 'legacy')).toBe('keep')
    expect(recordFate({ ...task, stage: 'ending', end: protocol } as Call, protocol, true, 'legacy')).toBe('keep')
  })

  it.each([
    [399, 'remove'],
    [400, 'keep'],
    [599, 'keep'],
    [600, 'remove'],
    [-32602, 'remove'],
  ] as const)('of a call that is sent again and refused with %i is to %s it', (code, expected) => {
    expect(recordFate(CALLING, new ToolCallRejectedError('No', { code }), true, 'modern', true)).toBe(expected)
  })

  it('of a lost task under a key that was made in another era is to remove it', () => {
    expect(recordFate(followed(), expired, true, 'modern')).toBe('remove')
  })
})
