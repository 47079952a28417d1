import { describe, expect, it, vi } from 'vitest'
import {
  asks,
  beginCall,
  cancelled,
  completed,
  down,
  heldHandler,
  RESULT,
  recorded,
  START,
  type StubbedCallOptions,
  stubLeadership,
  TASK,
  tabsOf,
  working,
} from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import { TaskRequestError } from '../protocol/errors.js'
import { type InputRequest, type InputResponse, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import type { DetailedTask } from '../protocol/task.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Call } from './call.js'
import { createEntry } from './callEntry.js'
import { type CallTabs, NOOP_CALL_TABS } from './callTabs.js'
import type { InputHandlers } from './inputHandlers.js'
import { createInputResponses } from './inputResponses.js'
import type { Inputs } from './inputs.js'
import { dropWithdrawn } from './pendingResponses.js'
import type { ToolCallState } from './toolCallState.js'

const ROOTS: InputRequest = { method: 'roots/list' }
const refusal = () => new TaskRequestError('no', { kind: 'server', code: -32602 })
const asksTwo: DetailedTask = {
  ...TASK,
  status: 'input_required',
  inputRequests: { q1: { method: 'roots/list' }, q2: { method: 'roots/list' } },
}

/** What a call lists of input requests and of the responses to them. */
const listed = ({ inputRequests, inputResponses }: ToolCallState) => ({ inputRequests, inputResponses })
const NOTHING = { inputRequests: {}, inputResponses: {} }

/** A turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** What is run exclusively waits until the test grants it. */
function gate() {
  let grant = () => {}
  const granted = new Promise<void>((resolve) => {
    grant = resolve
  })
  const exclusively: CallTabs['exclusively'] = (_name, _signal, work) => granted.then(work)
  return { tabs: { exclusively }, grant: () => grant() }
}

describe('a response', () => {
  it('is sent, hides its input request, and leaves the pace alone', async () => {
    const { page, respond, sent, polls, state, storage, posted } = beginCall({ polls: [asks] })
    await page.advance(1300)
    expect(state()).toMatchObject({ phase: 'input_required', inputRequests: { q1: { method: 'roots/list' } } })
    await respond('q1', { roots: [] })
    expect(sent.updates).toEqual([{ q1: { roots: [] } }])
    expect(state()).toMatchObject({ phase: 'input_required' })
    expect(listed(state())).toEqual(NOTHING)
    expect(storage.record?.task?.answered).toEqual(['q1'])
    expect(posted.at(-1)).toEqual({ type: 'responded', inputKey: 'q1' })
    await page.advance(2699)
    expect(polls).toEqual([1000, 2000, 3000])
    expect(state().inputRequests).toEqual({})
  })

  it('keeps its input request listed until the server has taken it', async () => {
    const { page, respond, state, storage } = beginCall({ polls: [asks], updates: ['never', undefined] })
    await page.advance(1300)
    const { inputRequests } = state()
    const sending = respond('q1', { roots: [] })
    expect(state()).toMatchObject({ inputResponses: { q1: { status: 'sending', isRetrying: false } } })
    expect(state().inputRequests).toBe(inputRequests)
    await page.advance(5000)
    expect(state().inputRequests).toBe(inputRequests)
    expect(storage.record?.task?.answered).toEqual([])
    await page.advance(30_000)
    await sending
    expect(listed(state())).toEqual(NOTHING)
  })

  it('is sent again where no acknowledgement comes, and says so', async () => {
    const { page, respond, sent, state, storage, errors } = beginCall({
      polls: [asks],
      updates: ['never', down(), undefined],
    })
    await page.advance(1000)
    const sending = respond('q1', { roots: [] })
    await page.advance(30_100)
    expect(state().inputResponses).toEqual({ q1: { status: 'sending', isRetrying: true } })
    await page.advance(30_000)
    await sending
    expect(sent.updates).toHaveLength(3)
    expect(errors).toHaveLength(2)
    expect(storage.record?.task?.answered).toEqual(['q1'])
  })

  it('waits for the network where there is none', async () => {
    const { page, respond, sent, state } = beginCall({ polls: [asks] })
    await page.advance(1300)
    await page.setOnline(false)
    const sending = respond('q1', { roots: [] })
    await page.advance(60_000)
    expect(sent.updates).toEqual([])
    expect(state().inputResponses).toMatchObject({ q1: { status: 'sending' } })
    await page.setOnline(true)
    await sending
    expect(sent.updates).toHaveLength(1)
  })

  it('that the server refuses rejects, and its input request is open again with the reason', async () => {
    const { page, respond, state, storage } = beginCall({ polls: [asks], updates: [refusal(), undefined] })
    await page.advance(1300)
    const { inputRequests } = state()
    await expect(respond('q1', { roots: [] })).rejects.toThrow('no')
    expect(state().inputRequests).toBe(inputRequests)
    expect(state().inputResponses).toMatchObject({
      q1: { status: 'rejected', isRetrying: false, error: { message: 'no' } },
    })
    expect(storage.record?.task?.answered).toEqual([])
    const sending = respond('q1', { roots: [] })
    expect(state().inputResponses).toEqual({ q1: { status: 'sending', isRetrying: false } })
    await sending
    expect(listed(state())).toEqual(NOTHING)
  })

  it('that does not fit its input request is not sent, and says what is wrong', async () => {
    const { page, respond, sent, state } = beginCall({
      polls: [asks],
      validateInputResponse: () => Promise.resolve('roots is missing'),
    })
    await page.advance(1300)
    await expect(respond('q1', {})).rejects.toMatchObject({ name: 'TaskInputError', callId: 'c1', issues: [] })
    expect(sent.updates).toEqual([])
    expect(state().inputResponses).toMatchObject({
      q1: { status: 'rejected', error: { message: expect.stringContaining('roots is missing') } },
    })
  })

  it('whose form is filled in wrongly says so by field, and is sent when it has been mended', async () => {
    const issues = [{ path: 'regions', message: 'Choose at least 1.' }]
    const problems = [issues, undefined]
    const { page, respond, sent, state } = beginCall({
      polls: [asks],
      validateInputResponse: () => Promise.resolve(problems.shift()),
    })
    await page.advance(1300)
    const { inputRequests } = state()
    await expect(respond('q1', {})).rejects.toMatchObject({
      message: 'The response does not fit the input request: regions: Choose at least 1.',
      issues,
    })
    expect(state().inputRequests).toBe(inputRequests)
    expect(state().inputResponses).toMatchObject({ q1: { status: 'rejected', error: { issues } } })
    await respond('q1', { roots: [] })
    expect(sent.updates).toEqual([{ q1: { roots: [] } }])
    expect(listed(state())).toEqual(NOTHING)
  })

  it('goes out once for an input request, however often it is given', async () => {
    const { page, respond, sent } = beginCall({ polls: [asks] })
    await page.advance(1300)
    const [first, second] = [respond('q1', { roots: [] }), respond('q1', { roots: [] })]
    expect(second).toBe(first)
    await first
    await expect(respond('q1', { roots: [] })).rejects.toMatchObject({ name: 'TaskInputError', callId: 'c1' })
    await expect(respond('q1', { roots: [] })).rejects.toThrow('cannot be changed')
    expect(sent.updates).toHaveLength(1)
  })

  it('to what was answered is refused as such, also where the server has withdrawn the input request', async () => {
    const { page, respond, sent } = beginCall({ polls: [asks, working()] })
    await page.advance(1300)
    await respond('q1', { roots: [] })
    await page.advance(1000)
    await expect(respond('q1', { roots: [] })).rejects.toThrow('cannot be changed')
    expect(sent.updates).toHaveLength(1)
  })

  it('goes to the task also where the server has asked under its key before there was one', async () => {
    const { page, respond, sent } = beginCall({
      askedFirst: ROOTS,
      polls: [{ ...asks, inputRequests: { r1: ROOTS } }],
    })
    await page.settle()
    await respond('r1', { roots: [] })
    await page.advance(1300)
    await respond('r1', { roots: [{ uri: 'file:///later' }] })
    expect(sent.updates).toEqual([{ roots: [] }, { r1: { roots: [{ uri: 'file:///later' }] } }])
  })

  it('that the server takes late leaves alone the one to its input request that was made anew', async () => {
    const inputs: Inputs = new Map([['q1', { request: ROOTS, status: 'open' }]])
    const call: Call = { callId: 'c1', name: 'report', startedAt: START, stage: 'following', ...TRACKED, inputs }
    const entry = createEntry(call)
    const taken: (() => void)[] = []
    const { respond } = createInputResponses({
      port: { validateInputResponse: () => Promise.resolve(undefined) },
      tabs: NOOP_CALL_TABS,
      handlers: {},
      missingInput: 'wait',
      dispatch: () => {},
      isAnswered: () => Promise.resolve(false),
      deliver: () => new Promise((resolve) => taken.push(resolve)),
      onError: () => {},
    })
    const first = respond(entry, 'q1', { roots: [] })
    await turn()
    entry.call = { ...call, inputs: new Map() }
    dropWithdrawn(entry)
    entry.call = call
    const second = respond(entry, 'q1', { roots: [] })
    taken[0]?.()
    await first
    expect(respond(entry, 'q1', { roots: [] })).toBe(second)
    await turn()
    taken[1]?.()
    await second
    expect(taken).toHaveLength(2)
  })

  it('to an input request that nobody has made is refused', async () => {
    const { page, respond, sent } = beginCall({ polls: [asks] })
    await page.advance(1300)
    await expect(respond('q2', { roots: [] })).rejects.toMatchObject({
      name: 'TaskInputError',
      callId: 'c1',
      message: expect.stringContaining('never existed'),
    })
    expect(sent.updates).toEqual([])
  })

  it('to an input request named __proto__ is one like any other', async () => {
    const hostile = JSON.parse('{"__proto__":{"method":"roots/list"}}')
    const { page, respond, sent, state } = beginCall({ polls: [{ ...asks, inputRequests: hostile }] })
    await page.advance(1300)
    expect(Object.keys(state().inputRequests)).toEqual(['__proto__'])
    const sending = respond('__proto__', { roots: [] })
    expect(Object.keys(state().inputResponses)).toEqual(['__proto__'])
    await sending
    expect(JSON.stringify(sent.updates)).toBe('[{"__proto__":{"roots":[]}}]')
    expect(Object.keys(state().inputRequests)).toEqual([])
  })

  it('to an input request that the server withdraws meanwhile is given up before it is sent', async () => {
    const { tabs, grant } = gate()
    const { page, respond, sent, state } = beginCall({ polls: [asks, working()], tabs })
    await page.advance(1300)
    const sending = respond('q1', { roots: [] })
    sending.catch(() => {})
    await page.advance(1000)
    expect(state()).toMatchObject({ phase: 'working' })
    expect(listed(state())).toEqual(NOTHING)
    grant()
    await expect(sending).rejects.toThrow('No open input request')
    expect(sent.updates).toEqual([])
  })

  it('that is acknowledged when the task is over is noted, for pages that do not know yet', async () => {
    const { page, respond, storage, posted } = beginCall({ polls: [asks, cancelled], updates: ['never', undefined] })
    await page.advance(1500)
    const sending = respond('q1', { roots: [] })
    await page.advance(1000)
    expect(storage.record?.task).toMatchObject({ status: 'cancelled', answered: [] })
    await page.advance(40_000)
    await sending
    expect(storage.record?.task).toMatchObject({ status: 'cancelled', answered: ['q1'] })
    expect(posted.at(-1)).toEqual({ type: 'responded', inputKey: 'q1' })
  })

  it('that is acknowledged when the record is gone does not bring it back', async () => {
    const { page, respond, storage } = beginCall({ polls: [asks, cancelled], updates: ['never', undefined] })
    await page.advance(1500)
    const sending = respond('q1', { roots: [] })
    await page.advance(1000)
    storage.record = undefined
    await page.advance(40_000)
    await sending
    expect(storage.record).toBeUndefined()
  })

  it('that is acknowledged when the call was left is not noted', async () => {
    const { page, respond, leave, written } = beginCall({ polls: [asks], updates: ['never'] })
    await page.advance(1500)
    const sending = respond('q1', { roots: [] })
    sending.catch(() => {})
    await page.settle()
    const [reason, count] = [new Error('closed'), written.length]
    leave(reason)
    await expect(sending).rejects.toThrow()
    await page.advance(60_000)
    expect(written).toHaveLength(count)
    expect(page.pendingTimers()).toBe(0)
  })

  it('to a task whose call was made anew answers nothing of the new task', async () => {
    const { page, respond, follow, state, storage } = beginCall({
      polls: [asks, { ...asks, taskId: 't2' }],
      updates: ['never', undefined],
    })
    await page.advance(1300)
    const sending = respond('q1', { roots: [] })
    sending.catch(() => {})
    await page.settle()
    storage.record = recorded({ taskId: 't2', nextPollAt: START + 2000 })
    follow(storage.record)
    await page.advance(2000)
    expect(state()).toMatchObject({ task: { taskId: 't2' }, inputRequests: { q1: {} } })
    await page.advance(40_000)
    await sending.catch(() => {})
    expect(state()).toMatchObject({ task: { taskId: 't2' } })
    expect(listed(state())).toEqual({ inputRequests: asks.inputRequests, inputResponses: {} })
    expect(storage.record?.task).toMatchObject({ taskId: 't2', answered: [] })
  })
})

describe('a response in another tab', () => {
  it('counts for the task it was for: the call may have been made anew since', async () => {
    const { page, receive, state, storage } = beginCall({ polls: [asks] })
    await page.advance(1300)
    receive({ type: 'responded', inputKey: 'q1' }, 'earlier')
    await page.settle()
    expect(state()).toMatchObject({ inputRequests: { q1: {} }, isCancelling: false })
    receive({ type: 'responded', inputKey: 'q1' })
    await page.settle()
    expect(state().inputRequests).toEqual({})
    expect(storage.record?.task?.answered).toEqual(['q1'])
  })

  it.each<[where: string, options: StubbedCallOptions]>([
    ['', {}],
    [', also where the storage keeps nothing', { records: { read: () => Promise.resolve(undefined) } }],
  ])('that came while this one waited for its turn is not sent again%s', async (_, options) => {
    const { tabs, grant } = gate()
    const { page, respond, receive, sent } = beginCall({ polls: [asks], tabs, ...options })
    await page.advance(1300)
    const sending = respond('q1', { roots: [] })
    receive({ type: 'responded', inputKey: 'q1' })
    grant()
    await expect(sending).rejects.toThrow('has been answered')
    expect(sent.updates).toEqual([])
  })

  it('that is recorded is not sent again, although no message arrived', async () => {
    const { page, respond, storage, sent, state } = beginCall({ polls: [asks] })
    await page.advance(1300)
    storage.record = recorded({ answered: ['q1'] })
    await expect(respond('q1', { roots: [] })).rejects.toThrow('has been answered')
    expect(sent.updates).toEqual([])
    expect(listed(state())).toEqual(NOTHING)
  })

  it('that is read when the call has been made anew answers nothing of the new task', async () => {
    let read = () => Promise.resolve<ToolCallRecord | undefined>(undefined)
    const { page, respond, follow, sent, state } = beginCall({
      polls: [asks, { ...asks, taskId: 't2' }],
      records: { read: () => read() },
    })
    await page.advance(1300)
    let found = () => {}
    read = () =>
      new Promise((resolve) => {
        found = () => resolve(recorded({ answered: ['q1'] }))
      })
    const sending = respond('q1', { roots: [] })
    await page.settle()
    follow(recorded({ taskId: 't2', nextPollAt: START + 2000 }))
    await page.advance(1000)
    found()
    await sending.catch(() => {})
    expect(state()).toMatchObject({ task: { taskId: 't2' } })
    expect(listed(state())).toEqual({ inputRequests: asks.inputRequests, inputResponses: {} })
    expect(sent.updates).toEqual([])
  })

  it('is not sent from here either where the call has been made anew meanwhile', async () => {
    const { tabs, grant } = gate()
    const { page, respond, receive, follow, sent, storage } = beginCall({ polls: [asks], tabs })
    await page.advance(1300)
    const sending = respond('q1', { roots: [] })
    receive({ type: 'responded', inputKey: 'q1' })
    await page.settle()
    storage.record = recorded({ taskId: 't2', nextPollAt: START + 60_000 })
    follow(storage.record)
    grant()
    await sending.catch(() => {})
    expect(sent.updates).toEqual([])
  })

  it('notes what is received in a burst in its order, also where the storage takes its time', async () => {
    const { leadership } = stubLeadership(false)
    const { page, receive, storage } = beginCall({
      follows: recorded({ nextPollAt: START + 60_000 }),
      tabs: tabsOf(leadership),
    })
    receive({ type: 'cancelling', isCancelling: true })
    receive({ type: 'responded', inputKey: 'q1' })
    receive({ type: 'cancelling', isCancelling: false })
    receive({ type: 'responded', inputKey: 'q2' })
    await page.settle()
    expect(storage.record?.task).toMatchObject({ isCancelling: false, answered: ['q1', 'q2'] })
  })
})

describe('a handler', () => {
  it('responds to each input request once, and none of them is shown', async () => {
    const roots = vi.fn(async () => ({ roots: [] }))
    const { page, sent, state } = beginCall({ polls: [asksTwo], handlers: { roots } })
    await page.advance(5000)
    expect(roots).toHaveBeenCalledTimes(2)
    expect(roots.mock.calls.map(([, context]: unknown[]) => context)).toMatchObject([
      { callId: 'c1', taskId: 't1', inputKey: 'q1' },
      { callId: 'c1', taskId: 't1', inputKey: 'q2' },
    ])
    expect(sent.updates).toEqual([{ q1: { roots: [] } }, { q2: { roots: [] } }])
    expect(state()).toMatchObject({ phase: 'input_required' })
    expect(listed(state())).toEqual(NOTHING)
  })

  it('that throws leaves the input request to the user', async () => {
    const problem = new Error('no roots')
    const { page, errors, state, respond, sent } = beginCall({
      polls: [asks],
      handlers: { roots: () => Promise.reject(problem) },
    })
    await page.advance(1300)
    expect(errors).toEqual([problem])
    expect(listed(state())).toEqual({ inputRequests: asks.inputRequests, inputResponses: {} })
    await respond('q1', { roots: [] })
    expect(sent.updates).toHaveLength(1)
  })

  it('whose response does not fit leaves the input request to the user', async () => {
    const { page, errors, state, sent } = beginCall({
      polls: [asks],
      handlers: { roots: async () => ({}) },
      validateInputResponse: () => Promise.resolve('roots is missing'),
    })
    await page.advance(1300)
    expect(errors).toMatchObject([{ name: 'TaskInputError' }])
    expect(state().inputRequests).toMatchObject({ q1: {} })
    expect(sent.updates).toEqual([])
  })

  it('is not called for what another tab has responded to while this one waited for its turn', async () => {
    const { tabs, grant } = gate()
    const roots = vi.fn(async () => ({ roots: [] }))
    const { page, storage } = beginCall({ polls: [asks], handlers: { roots }, tabs })
    await page.advance(1300)
    storage.record = recorded({ answered: ['q1'] })
    grant()
    await page.settle()
    expect(roots).not.toHaveBeenCalled()
  })

  it.each([
    ['withdrawn', working()],
    ['over with its task', completed()],
  ])('sees its signal abort where the input request is %s, and what it returns is not sent', async (_, next) => {
    const { held, handlers } = heldHandler()
    const { page, sent, errors } = beginCall({ polls: [asks, next], handlers })
    await page.advance(1500)
    expect(held.signal?.aborted).toBe(false)
    await page.advance(1000)
    expect(held.signal?.aborted).toBe(true)
    held.finish()
    await page.settle()
    expect(sent.updates).toEqual([])
    expect(errors).toEqual([])
  })

  it('is not called for what the server has withdrawn while this tab waited for its turn', async () => {
    const { tabs, grant } = gate()
    const roots = vi.fn(async () => ({ roots: [] }))
    const { page, sent, errors } = beginCall({ polls: [asks, working()], tabs, handlers: { roots } })
    await page.advance(2000)
    grant()
    await page.advance(0)
    expect(roots).not.toHaveBeenCalled()
    expect(sent.updates).toEqual([])
    expect(errors).toEqual([])
  })

  it('that responds when its input request has been withdrawn and made anew does not answer the new one', async () => {
    let respond: (response: { roots: [] }) => void = () => {}
    const late = new Promise<{ roots: [] }>((resolve) => {
      respond = resolve
    })
    const anew = { roots: [{ uri: 'file:///new' }] }
    const roots = vi.fn<() => Promise<{ roots: { uri: string }[] }>>().mockReturnValueOnce(late).mockResolvedValue(anew)
    const { page, sent } = beginCall({ polls: [asks, working(), asks], handlers: { roots } })
    await page.advance(3000)
    respond({ roots: [] })
    await page.advance(0)
    expect(roots).toHaveBeenCalledTimes(2)
    expect(sent.updates).toEqual([{ q1: anew }])
  })

  it('that responds when the user has done so is too late', async () => {
    let settle: (response: { roots: [] }) => void = () => {}
    const late = new Promise<{ roots: [] }>((resolve) => {
      settle = resolve
    })
    const { page, respond, sent } = beginCall({ polls: [asks], handlers: { roots: () => late } })
    await page.advance(1300)
    const responding = respond('q1', { roots: [{ uri: 'file:///chosen' }] })
    settle({ roots: [] })
    await responding
    expect(sent.updates).toEqual([{ q1: { roots: [{ uri: 'file:///chosen' }] } }])
  })

  it('whose response is checked while the call is made anew does not answer the new task', async () => {
    let check = () => {}
    const { page, follow, sent } = beginCall({
      polls: [asks],
      handlers: { roots: async () => ({ roots: [] }) },
      validateInputResponse: () =>
        new Promise((resolve) => {
          check = () => resolve(undefined)
        }),
    })
    await page.advance(1300)
    follow(recorded({ taskId: 't2', nextPollAt: START + 60_000 }))
    check()
    await page.settle()
    expect(sent.updates).toEqual([])
  })

  it.each([
    ['a task', { polls: [asks] }, 'q1'],
    ['no task', { askedFirst: ROOTS, call: RESULT }, 'r1'],
  ])('whose late response to an input request of %s does not fit either is not reported', async (_, asking, key) => {
    let settle: (response: InputResponse) => void = () => {}
    const late = new Promise<InputResponse>((resolve) => {
      settle = resolve
    })
    const { page, respond, sent, errors } = beginCall({
      ...asking,
      handlers: { roots: () => late },
      validateInputResponse: (_request, response) => Promise.resolve('roots' in response ? undefined : 'no roots'),
    })
    await page.advance(1300)
    const responding = respond(key, { roots: [] })
    settle({})
    await responding
    expect(sent.updates).toHaveLength(1)
    expect(errors).toEqual([])
  })

  it.each([
    ['a task', { polls: [asks] }],
    ['no task', { askedFirst: ROOTS, call: RESULT }],
  ])('does not see its signal abort because it has responded to an input request of %s', async (_, asking) => {
    const signals: AbortSignal[] = []
    const handlers: InputHandlers = {
      roots: (_request, { signal }) => {
        signals.push(signal)
        return { roots: [] }
      },
    }
    const { page, sent } = beginCall({ ...asking, handlers })
    await page.advance(1300)
    expect(sent.updates).toHaveLength(1)
    expect(signals).toMatchObject([{ aborted: false }])
  })

  it('responds to an input request that belongs to no task', async () => {
    const { page, sent, outcome } = beginCall({
      askedFirst: { method: 'roots/list' },
      call: { content: [] },
      handlers: { roots: async () => ({ roots: [] }) },
    })
    await page.settle()
    expect(sent.updates).toEqual([{ roots: [] }])
    expect(outcome.result).toEqual({ content: [] })
  })
})

describe('an input request that belongs to no task', () => {
  const beginAsking = (options: StubbedCallOptions = {}) => {
    const call = beginCall({ call: 'never', ...options })
    const controller = new AbortController()
    const ask = (inputKey: string, signal = controller.signal) => call.runtime.ask(call.entry, inputKey, ROOTS, signal)
    return { ...call, controller, ask }
  }

  it('is listed until the user has responded, and nothing is reported', async () => {
    const { page, ask, respond, state, errors } = beginAsking()
    await page.settle()
    const asked = ask('r1')
    await page.settle()
    expect(listed(state())).toEqual({ inputRequests: { r1: ROOTS }, inputResponses: {} })
    await respond('r1', { roots: [] })
    expect(listed(state())).toEqual(NOTHING)
    expect(state()).toMatchObject({ phase: 'calling' })
    await expect(asked).resolves.toEqual({ roots: [] })
    expect(errors).toEqual([])
  })

  it('is listed no longer when it has been aborted', async () => {
    const { page, ask, respond, state, controller } = beginAsking()
    await page.settle()
    const asked = ask('r1')
    const reason = new Error('timed out')
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
    expect(listed(state())).toEqual(NOTHING)
    await expect(respond('r1', { roots: [] })).rejects.toThrow('No open input request')
  })

  it('is not asked where it was aborted before', async () => {
    const roots = vi.fn(() => ({ roots: [] }))
    const { page, ask, state, controller } = beginAsking({ handlers: { roots } })
    await page.settle()
    const reason = new Error('timed out')
    controller.abort(reason)
    await expect(ask('r1')).rejects.toBe(reason)
    await page.settle()
    expect(listed(state())).toEqual(NOTHING)
    expect(roots).not.toHaveBeenCalled()
  })

  it('aborts the signal of its handler when it has been aborted', async () => {
    let signal: AbortSignal | undefined
    const handlers: InputHandlers = {
      roots: (_request, context) => {
        signal = context.signal
        return new Promise(() => {})
      },
    }
    const { page, ask, controller } = beginAsking({ handlers })
    await page.settle()
    const asked = ask('r1')
    await page.settle()
    expect(signal?.aborted).toBe(false)
    controller.abort(new Error('timed out'))
    expect(signal?.aborted).toBe(true)
    await expect(asked).rejects.toThrow('timed out')
  })

  it.each(['answered', 'aborted'])('is refused where as many are open as may be, until one is %s', async (end) => {
    const { page, ask, respond, state } = beginAsking()
    await page.settle()
    const first = new AbortController()
    const asked = ask('r0', first.signal)
    for (let index = 1; index < MAX_OPEN_INPUT_REQUESTS; index++) void ask(`r${index}`, new AbortController().signal)
    const refused: unknown[] = []
    ask('one more').catch((error: unknown) => refused.push(error))
    await page.settle()
    expect(refused).toMatchObject([{ name: 'TaskProtocolError', source: 'tools/call', callId: 'c1' }])
    expect(Object.keys(state().inputRequests)).toHaveLength(MAX_OPEN_INPUT_REQUESTS)
    if (end === 'answered') await respond('r0', { roots: [] })
    else first.abort(new Error('timed out'))
    await Promise.allSettled([asked])
    void ask('one more')
    expect(state().inputRequests).toHaveProperty('one more', ROOTS)
  })

  it("is refused with missingInput: 'error' where there is no handler for it", async () => {
    const { page, ask, state } = beginAsking({ rules: { missingInput: 'error' } })
    await page.settle()
    await expect(ask('r1')).rejects.toMatchObject({ name: 'TaskInputRequiredError', callId: 'c1' })
    expect(listed(state())).toEqual(NOTHING)
  })

  it("is responded to by its handler with missingInput: 'error', too", async () => {
    const { page, ask } = beginAsking({
      rules: { missingInput: 'error' },
      handlers: { roots: () => ({ roots: [] }) },
    })
    await page.settle()
    await expect(ask('r1')).resolves.toEqual({ roots: [] })
  })

  it('leaves nothing to report where the call is sent again while its handler waits for its turn', async () => {
    const { tabs, grant } = gate()
    const { page, runtime, entry, ask, errors } = beginAsking({ tabs, handlers: { roots: () => ({ roots: [] }) } })
    await page.settle()
    void ask('r1')
    runtime.dispatch(entry, { type: 'call-failed', error: down() })
    grant()
    await page.settle()
    expect(errors).toEqual([])
  })

  it('leaves nothing to report where the call is sent again while its handler is at work', async () => {
    let finish: (response: InputResponse) => void = () => {}
    const late = new Promise<InputResponse>((resolve) => {
      finish = resolve
    })
    const { page, runtime, entry, ask, errors } = beginAsking({ handlers: { roots: () => late } })
    await page.settle()
    void ask('r1')
    await page.settle()
    runtime.dispatch(entry, { type: 'call-failed', error: down() })
    finish({ roots: [] })
    await page.settle()
    expect(errors).toEqual([])
  })

  it('reaches no handler where the call has been left, and leaves no rejection to nobody', async () => {
    const unhandled: unknown[] = []
    const listener = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listener)
    const handler = vi.fn(() => ({ roots: [] }))
    const { page, ask, leave, errors } = beginAsking({ handlers: { roots: handler } })
    await page.settle()
    leave(new Error('closed'))
    void ask('r1')
    await page.settle()
    process.off('unhandledRejection', listener)
    expect(handler).not.toHaveBeenCalled()
    expect(errors).toEqual([])
    expect(unhandled).toEqual([])
  })
})

it('an input request that changes under its key ends the call', async () => {
  const other: DetailedTask = { ...asks, inputRequests: { q1: { method: 'roots/list', params: { other: true } } } }
  const { page, outcome } = beginCall({ polls: [asks, other] })
  await page.advance(5000)
  expect(outcome.error).toMatchObject({ name: 'TaskProtocolError', taskId: 't1', callId: 'c1' })
})

it('an input request that nobody can respond to ends the call where the app says so', async () => {
  const { page, outcome } = beginCall({ polls: [asks], rules: { missingInput: 'error' } })
  await page.advance(5000)
  expect(outcome.error).toMatchObject({ name: 'TaskInputRequiredError', taskId: 't1', callId: 'c1' })
})

it('an input request that needs a capability which was not declared ends the call', async () => {
  const { page, outcome } = beginCall({ polls: [asks], rules: { missingCapability: () => 'roots' } })
  await page.advance(5000)
  expect(outcome.error).toMatchObject({ taskId: 't1', callId: 'c1', message: expect.stringContaining('roots') })
})
