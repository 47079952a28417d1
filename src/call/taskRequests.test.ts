import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { down, START, TASK } from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import { TaskCancelledError, TaskRequestError } from '../protocol/errors.js'
import type { Call, CallEvent } from './call.js'
import { type CallEntry, createEntry } from './callEntry.js'
import { DEFAULT_POLL_POLICY } from './pollPolicy.js'
import { createTaskRequests } from './taskRequests.js'

const following = (taskId = 't1'): Call => ({
  ...TRACKED,
  task: { ...TASK, taskId },
  callId: 'c1',
  name: 'report',
  startedAt: START,
  stage: 'following',
})

/** A call with a task, and a server that answers each request with what is next in line; in the end it takes it. */
function begin(...responses: Error[]) {
  const page = createSimulatedEnvironment({ now: START })
  const events: CallEvent[] = []
  const errors: unknown[][] = []
  const sent: string[] = []
  const answer = async (what: string) => {
    sent.push(what)
    const next = responses.shift()
    if (next !== undefined) throw next
  }
  const requests = createTaskRequests({
    port: {
      updateTask: (taskId, inputResponses) => answer(`update ${taskId} ${Object.keys(inputResponses)}`),
      cancelTask: (taskId) => answer(`cancel ${taskId}`),
    },
    environment: page.environment,
    policy: DEFAULT_POLL_POLICY,
    dispatch: (_entry, event) => void events.push(event),
    onError: (...details) => void errors.push(details),
  })
  const entry: CallEntry = createEntry(following())
  return { page, events, errors, sent, requests, entry }
}

const refusal = () => new TaskRequestError('no', { kind: 'server', code: -32602 })

describe('cancelling', () => {
  it('says that the request is being sent, sent again, and taken', async () => {
    const { page, events, errors, sent, requests, entry } = begin(down())
    const cancelling = requests.cancel(entry)
    expect(events).toEqual([{ type: 'cancel', status: 'sending' }])
    await page.advance(1000)
    await cancelling
    expect(events.slice(1)).toEqual([
      { type: 'cancel', status: 'retrying', error: down() },
      { type: 'cancel', status: 'requested' },
    ])
    expect(errors).toEqual([[down(), 'c1', 'cancel']])
    expect(sent).toEqual(['cancel t1', 'cancel t1'])
  })

  it('says nothing of it once the call has another task', async () => {
    const { page, events, sent, requests, entry } = begin(down())
    const cancelling = requests.cancel(entry)
    entry.call = following('t2')
    await page.advance(1000)
    await cancelling
    expect(sent).toEqual(['cancel t1', 'cancel t1'])
    expect(events).toEqual([{ type: 'cancel', status: 'sending' }])
  })

  it('does nothing for a task that has ended while its result is checked', async () => {
    const { sent, events, requests, entry } = begin()
    entry.call = { ...TRACKED, callId: 'c1', name: 'report', startedAt: START, stage: 'ending', end: down() }
    await requests.cancel(entry)
    expect(sent).toEqual([])
    expect(events).toEqual([])
  })

  it('aborts a call that is no task yet, with an error that names it', async () => {
    const { requests, entry, sent } = begin()
    entry.call = { callId: 'c1', name: 'report', startedAt: START, stage: 'waiting', for: 'lock' }
    await requests.cancel(entry)
    entry.start = new AbortController()
    await requests.cancel(entry)
    expect(entry.start.signal.reason).toBeInstanceOf(TaskCancelledError)
    expect(entry.start.signal.reason).toMatchObject({ callId: 'c1' })
    expect(sent).toEqual([])
  })
})

describe('a response to an input request', () => {
  const respond = ({ requests, entry }: ReturnType<typeof begin>) => requests.update(entry, 't1', 'q1', { roots: [] })

  it('is shown to be sent again', async () => {
    const begun = begin(down())
    const sending = respond(begun)
    await begun.page.advance(1000)
    await sending
    expect(begun.sent).toEqual(['update t1 q1', 'update t1 q1'])
    expect(begun.events).toEqual([{ type: 'input', inputKey: 'q1', input: { isRetrying: true } }])
    expect(begun.errors).toEqual([[down(), 'c1', 'respond']])
  })

  it('is sent again for the task that asked, and shows nothing at the next task of the call', async () => {
    const begun = begin(down())
    const sending = respond(begun)
    begun.entry.call = following('t2')
    await begun.page.advance(1000)
    await sending
    expect(begun.sent).toEqual(['update t1 q1', 'update t1 q1'])
    expect(begun.events).toEqual([])
  })
})

it.each([
  ['taken', []],
  ['refused', [refusal()]],
])('a call keeps nothing of requests that were %s', async (_, responses) => {
  const { requests, entry } = begin(...responses)
  await requests.update(entry, 't1', 'q1', { roots: [] }).catch(() => {})
  expect(entry.requests?.size).toBe(0)
})
