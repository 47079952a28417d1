import { describe, expect, it, vi } from 'vitest'
import { TaskInputRequiredError } from '../../core/protocol/errors.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import type { JsonObject } from '../../core/protocol/json.js'
import type { Task } from '../../core/protocol/task.js'
import { DEFAULT_POLL_POLICY } from '../../core/time/policy.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { followUntilDone, INPUT_DEADLINE_MS } from './followUntilDone.js'

const AT = '2026-07-28T00:00:00Z'
const TASK: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: AT,
  lastUpdatedAt: AT,
  ttlMs: null,
  pollIntervalMs: 1000,
}
const ROOTS: InputRequest = { method: 'roots/list', params: {} }
const RESULT = { content: [] }
const asks = (...keys: string[]) => ({
  ...TASK,
  status: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, ROOTS])),
})

/** A task that is polled with these snapshots, the last one again and again. */
function setUp(...snapshots: object[]) {
  const page = createSimulatedEnvironment()
  const updates: unknown[] = []
  let polls = 0
  const request = async (method: string, params: JsonObject) => {
    if (method === 'tasks/get') return snapshots[polls++] ?? snapshots.at(-1)
    updates.push(params['inputResponses'])
    return {}
  }
  const answers: ((responses: Record<string, InputResponse>) => void)[] = []
  const ask = vi.fn(
    (_: Readonly<Record<string, InputRequest>>) =>
      new Promise<Record<string, InputResponse>>((resolve) => answers.push(resolve)),
  )
  const controller = new AbortController()
  const stopListening = vi.spyOn(controller.signal, 'removeEventListener')
  const onStatus = vi.fn()
  const outcome: { value?: unknown; error?: unknown } = {}
  const transport = { request, listen: () => new Promise<never>(() => {}) }
  const follow = followUntilDone({ environment: page.environment, policy: DEFAULT_POLL_POLICY, onIssue: undefined })
  follow(TASK, { transport, signal: controller.signal, onStatus, ask }).then(
    (value) => Object.assign(outcome, { value }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  return { page, updates, answers, ask, controller, stopListening, onStatus, outcome, polls: () => polls }
}

describe('followUntilDone()', () => {
  it('polls to the end, tells each status, and leaves nothing behind', async () => {
    const { page, outcome, onStatus, stopListening } = setUp(TASK, { ...TASK, status: 'completed', result: RESULT })
    await page.advance(2000)
    expect(outcome).toEqual({ value: RESULT })
    expect(onStatus).toHaveBeenCalledOnce()
    expect(stopListening).toHaveBeenCalled()
    expect(page.pendingTimers()).toBe(0)
  })

  it('asks for one round at a time, and for each input request once', async () => {
    const { page, ask, answers, updates } = setUp(asks('a'), asks('a', 'b'))
    await page.advance(5000)
    expect(ask.mock.calls).toEqual([[{ a: ROOTS }]])
    answers[0]?.({ a: { roots: [] } })
    await page.advance(1000)
    expect(updates).toEqual([{ a: { roots: [] } }])
    expect(ask.mock.calls).toEqual([[{ a: ROOTS }], [{ b: ROOTS }]])
    answers[1]?.({ b: { roots: [] } })
    await page.advance(5000)
    expect(ask).toHaveBeenCalledTimes(2)
    expect(updates).toHaveLength(2)
  })

  it('leaves no timer of a question that was answered', async () => {
    const { page, answers, outcome } = setUp(asks('a'), { ...TASK, status: 'completed', result: RESULT })
    await page.advance(1000)
    answers[0]?.({ a: { roots: [] } })
    await page.advance(1000)
    expect(outcome).toEqual({ value: RESULT })
    expect(page.pendingTimers()).toBe(0)
  })

  it('ends a quarter of an hour after a question that nobody answers', async () => {
    const { page, outcome, polls } = setUp(asks('a'))
    await page.advance(1000 + INPUT_DEADLINE_MS - 1)
    expect(outcome).toEqual({})
    await page.advance(1)
    expect(outcome.error).toBeInstanceOf(TaskInputRequiredError)
    expect(outcome.error).toMatchObject({ taskId: 't1', message: expect.stringContaining('within 15 minutes') })
    const before = polls()
    await page.advance(60_000)
    expect(polls()).toBe(before)
    expect(page.pendingTimers()).toBe(0)
  })

  it('ends with the reason of its signal, also while something is asked', async () => {
    const { page, outcome, controller } = setUp(asks('a'))
    await page.advance(1000)
    const reason = new Error('enough')
    controller.abort(reason)
    await page.advance(0)
    expect(outcome.error).toBe(reason)
    expect(page.pendingTimers()).toBe(0)
  })
})
