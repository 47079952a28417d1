import { describe, expect, it } from 'vitest'
import { INTENT, RESULT, recorded, START, TASK, working } from '../../test/support/stubbedCall.js'
import { POLLING_MS } from '../call/taskMessage.js'
import { TaskRequestError } from '../protocol/errors.js'
import { encodeToolCallRecord, LONGEST_WAIT_MS } from '../storage/toolCallRecord.js'
import { decodeTabMessage, encodeTabMessage, type TabMessage } from './tabMessages.js'

const NOW = START
const ofTask = (message: object) => ({ v: 1, type: 'task', taskId: 't1', message })
const ofCall = (message: object) => ({ v: 1, type: 'call', callId: 'c1', message })
const failure = { type: 'poll-failed', failureCount: 2, network: 'retrying', nextPollAt: NOW + 5, earliestAt: NOW + 3 }
const error = new TaskRequestError('down', { kind: 'network' }).toJSON()
const decode = (value: unknown) => decodeTabMessage(value, NOW)

describe('a message', () => {
  const messages: TabMessage[] = [
    { type: 'sync-request', taskId: 't1' },
    { type: 'sync-request', taskId: 't1', nextPollAt: NOW + 5 },
    { type: 'leader', isVisible: true },
    { type: 'leader', isVisible: false },
    { type: 'forgotten', at: NOW - 5 },
    { type: 'forgotten', at: NOW - 5, callId: 'c1' },
    { type: 'task', taskId: 't1', message: { type: 'polling', until: NOW + 5 } },
    { type: 'task', taskId: 't1', message: { type: 'poll-aborted', nextPollAt: NOW + 5 } },
    { type: 'task', taskId: 't1', message: { type: 'snapshot', task: working(), nextPollAt: NOW + 5 } },
    {
      type: 'task',
      taskId: 't1',
      message: { type: 'snapshot', task: working(), nextPollAt: NOW + 5, askedAt: NOW - 1, earliestAt: NOW + 2 },
    },
    { type: 'task', taskId: 't1', message: { type: 'responded', inputKey: 'q1' } },
    { type: 'task', taskId: 't1', message: { type: 'cancelling', isCancelling: true } },
    { type: 'task', taskId: 't1', message: { type: 'cancelling', isCancelling: false } },
    { type: 'call', callId: 'c1', message: { type: 'wanted' } },
    { type: 'call', callId: 'c1', message: { type: 'created', record: INTENT } },
    { type: 'call', callId: 'c1', message: { type: 'settled', outcome: { result: RESULT } } },
  ]

  it.each(messages)('arrives as it was posted: %j', (message) => {
    expect(decode(structuredClone(encodeTabMessage(message)))).toEqual(message)
  })

  it.each([0, 2])('about a poll that failed %i times arrives with its error', (failureCount) => {
    const posted = { ...failure, type: 'poll-failed' as const, network: 'paused' as const, failureCount }
    const down = new TaskRequestError('down', { kind: 'network' })
    const message = encodeTabMessage({ type: 'task', taskId: 't1', message: { ...posted, error: down } })
    expect(decode(structuredClone(message))).toEqual({
      type: 'task',
      taskId: 't1',
      message: { ...posted, error: expect.objectContaining({ name: 'TaskRequestError', message: 'down' }) },
    })
  })

  it('about an end carries the error, also one that is not of Taskwire', () => {
    const ended = encodeTabMessage({ type: 'task', taskId: 't1', message: { type: 'ended', error: new Error('odd') } })
    expect(decode(structuredClone(ended))).toMatchObject({ message: { type: 'ended', error: { message: 'odd' } } })
    const outcome = { error: new TypeError('odder') }
    const settled = encodeTabMessage({ type: 'call', callId: 'c1', message: { type: 'settled', outcome } })
    expect(decode(structuredClone(settled))).toMatchObject({
      message: { type: 'settled', outcome: { error: { message: 'odder' } } },
    })
  })

  it('with the record of a task arrives with the times that it had', () => {
    const record = recorded({ receivedAt: NOW - 9, nextPollAt: NOW + 5, notedAt: NOW - 1 })
    const message = encodeTabMessage({ type: 'call', callId: 'c1', message: { type: 'created', record } })
    expect(decode(message)).toEqual({ type: 'call', callId: 'c1', message: { type: 'created', record } })
  })
})

describe('no message', () => {
  it.each([
    ['nothing', undefined],
    ['a text', 'leader'],
    ['of another version', { v: 2, type: 'leader', isVisible: true }],
    ['of a type that there is not', { v: 1, type: 'other', taskId: 't1', callId: 'c1' }],
    ['a request without a task', { v: 1, type: 'sync-request', taskId: 7 }],
    ['a call forgotten at no time', { v: 1, type: 'forgotten', at: '5' }],
    ['of a task without an id', { ...ofTask({ type: 'cancelling' }), taskId: 7 }],
    ['of a task with nothing in it', { v: 1, type: 'task', taskId: 't1' }],
    ['of a task with a type that there is not', ofTask({ type: 'other' })],
    ['a poll until no time', ofTask({ type: 'polling', until: Number.NaN })],
    ['a poll cut off without a next one', ofTask({ type: 'poll-aborted' })],
    ['a snapshot of nothing', ofTask({ type: 'snapshot', nextPollAt: NOW })],
    ['a snapshot without a next poll', ofTask({ type: 'snapshot', task: working() })],
    ['a response to nothing', ofTask({ type: 'responded' })],
    ['a failure without times', ofTask({ ...failure, error, nextPollAt: undefined })],
    ['a failure of an unknown network', ofTask({ ...failure, error, network: 'ok' })],
    ['a failure without a count', ofTask({ ...failure, error, failureCount: '2' })],
    ['a failure that is half a one', ofTask({ ...failure, error, failureCount: 0.5 })],
    ['a failure fewer than none', ofTask({ ...failure, error, failureCount: -1 })],
    ['of a call without an id', { ...ofCall({ type: 'wanted' }), callId: 7 }],
    ['of a call with nothing in it', { v: 1, type: 'call', callId: 'c1' }],
    ['of a call with a type that there is not', ofCall({ type: 'other', outcome: { result: RESULT } })],
    ['a record that is no text', ofCall({ type: 'created', record: INTENT })],
    ['a record in a list', ofCall({ type: 'created', record: [encodeToolCallRecord(INTENT)] })],
    ['a record that is none', ofCall({ type: 'created', record: 'x' })],
    ['an end without an outcome', ofCall({ type: 'settled' })],
    ['a result that is none', ofCall({ type: 'settled', outcome: { result: 7 } })],
  ])('is %s', (_, value) => {
    expect(decode(value)).toBeUndefined()
  })

  it.each(['startedAt', 'receivedAt'])('is a record whose %s is Infinity', (name) => {
    const text = encodeToolCallRecord(recorded()).replace(new RegExp(`"${name}":\\d+`), `"${name}":1e999`)
    expect(decode(ofCall({ type: 'created', record: text }))).toBeUndefined()
  })
})

it('a call is forgotten with all others where the message names none', () => {
  expect(decode({ v: 1, type: 'forgotten', at: NOW, callId: 7 })).toEqual({ type: 'forgotten', at: NOW })
})

it('a time too far ahead counts as far ahead as one of its kind can be', () => {
  const far = NOW + 30 * LONGEST_WAIT_MS
  expect(decode(ofTask({ type: 'polling', until: far }))).toMatchObject({ message: { until: NOW + POLLING_MS } })
  expect(decode(ofTask({ type: 'poll-aborted', nextPollAt: far }))).toMatchObject({
    message: { nextPollAt: NOW + LONGEST_WAIT_MS },
  })
  expect(decode({ v: 1, type: 'forgotten', at: far })).toEqual({ type: 'forgotten', at: NOW })
  const snapshot = { type: 'snapshot', task: { ...TASK, resultType: 'complete' }, nextPollAt: far, askedAt: far }
  expect(decode(ofTask(snapshot))).toMatchObject({ message: { nextPollAt: NOW + LONGEST_WAIT_MS, askedAt: NOW } })
  const record = recorded({ receivedAt: far, nextPollAt: far, notedAt: far })
  expect(decode(ofCall({ type: 'created', record: encodeToolCallRecord(record) }))).toMatchObject({
    message: { record: { task: { receivedAt: NOW, nextPollAt: NOW + LONGEST_WAIT_MS } } },
  })
})
