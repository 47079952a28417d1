import { describe, expect, it, vi } from 'vitest'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { Task } from '../../core/protocol/task.js'
import type { TaskRequester } from '../../core/wire/taskRequester.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import type { Attempt } from '../transport/toolCalls.js'
import { type FollowTaskContext, HeldCalls, RENEWAL_DEADLINE_MS } from './heldCalls.js'

const AT = '2026-07-28T00:00:00Z'
const TASK: Task = { taskId: 't1', status: 'working', createdAt: AT, lastUpdatedAt: AT, ttlMs: null }
const RESULT: CallToolResult = { content: [] }
const QUESTION = { q: { method: 'roots/list', params: {} } } as const
const RESPONSES = { q: { roots: [] } }
const COMPLETE = { ...RESULT, resultType: 'complete' }

const attempt = (id: number, more: Partial<Attempt> = {}) => ({
  id,
  progressToken: undefined,
  capabilities: { roots: {} },
  isTask: false,
  resolve: vi.fn(),
  reject: vi.fn(),
  release: vi.fn(),
  ...more,
})

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** One call whose task is followed until the test says so. */
function setUp({
  resetTimeoutAfterMs,
  first = attempt(7),
}: {
  resetTimeoutAfterMs?: number
  first?: ReturnType<typeof attempt>
} = {}) {
  const page = createSimulatedEnvironment()
  const sendToClient = vi.fn()
  const remove = vi.fn()
  const transport = {} as TaskRequester
  const followed: (FollowTaskContext & { resolve(result: CallToolResult): void; reject(error: unknown): void })[] = []
  const calls = new HeldCalls(
    { transport, sendToClient, remove },
    {
      follow: (_, context) => new Promise((resolve, reject) => void followed.push({ ...context, resolve, reject })),
      environment: { ...page.environment, randomId: () => 'page' },
      resetTimeoutAfterMs,
    },
  )
  const over = calls.follow(first, TASK)
  const [context] = followed
  if (context === undefined) throw new Error('Nobody follows.')
  const sent = () => sendToClient.mock.calls.map(([message]) => message as Record<string, unknown>)
  /** The SDK client comes back with responses, to the question with this number. */
  const comeBack = (one: ReturnType<typeof attempt>, inputResponses: unknown = RESPONSES, count = 1) =>
    calls.resume(one, { requestState: `taskwire:page:${count}`, inputResponses })
  return { page, calls, context, first, over, sent, remove, comeBack, transport }
}

const asked = (id: number, count = 1) => ({
  jsonrpc: '2.0',
  id,
  result: { resultType: 'input_required', inputRequests: QUESTION, requestState: `taskwire:page:${count}` },
})
const renewed = (id: number, count: number) => ({
  jsonrpc: '2.0',
  id,
  result: { resultType: 'input_required', requestState: `taskwire:page:${count}` },
})

describe('a held call', () => {
  it('is answered with the result, and let go of', async () => {
    const { context, first, over, sent, remove, transport, page } = setUp()
    expect(first.isTask).toBe(true)
    expect(context.transport).toBe(transport)
    expect(page.pendingTimers()).toBe(0)
    context.resolve(RESULT)
    await over
    expect(sent()).toEqual([{ jsonrpc: '2.0', id: 7, result: COMPLETE }])
    expect(first.resolve).toHaveBeenCalledOnce()
    expect(first.release).toHaveBeenCalledOnce()
    expect(remove).toHaveBeenCalledExactlyOnceWith(7)
  })

  it('rejects with the error, and is let go of', async () => {
    const { context, first, over, sent, remove } = setUp()
    const error = new Error('no')
    context.reject(error)
    await over
    expect(sent()).toEqual([])
    expect(first.reject).toHaveBeenCalledExactlyOnceWith(error)
    expect(first.release).toHaveBeenCalledOnce()
    expect(remove).toHaveBeenCalledExactlyOnceWith(7)
  })

  it('that was given up is settled no more', async () => {
    const { context, first, over, sent } = setUp()
    ;(first as Attempt).onCancel?.()
    expect(context.signal.aborted).toBe(true)
    context.resolve(RESULT)
    await over
    expect(sent()).toEqual([])
    expect(first.resolve).not.toHaveBeenCalled()
  })

  it('has progress, with the words of the server where there are any', () => {
    const { context, sent } = setUp({ first: attempt(7, { progressToken: 'p' }) as ReturnType<typeof attempt> })
    context.onStatus({ ...TASK, statusMessage: 'Asia' })
    context.onStatus(TASK)
    expect(sent().map(({ params }) => params)).toStrictEqual([
      { progressToken: 'p', message: 'Asia', progress: 1 },
      { progressToken: 'p', progress: 2 },
    ])
  })
})

describe('what is asked for a held call', () => {
  it('goes to the SDK client, which comes back with the responses', async () => {
    const { context, first, over, sent, remove, comeBack } = setUp()
    const answered = context.ask(QUESTION)
    await settle()
    expect(sent()).toEqual([asked(7)])
    expect(first.resolve).toHaveBeenCalledOnce()
    expect(remove).toHaveBeenCalledExactlyOnceWith(7)
    // Its signal is how the app ends the call while the handlers are at work.
    expect(first.release).not.toHaveBeenCalled()
    const next = attempt(8)
    expect(comeBack(next)).toBe(true)
    expect(first.release).toHaveBeenCalledOnce()
    expect(await answered).toEqual(RESPONSES)
    context.resolve(RESULT)
    await over
    expect(sent().at(-1)).toEqual({ jsonrpc: '2.0', id: 8, result: COMPLETE })
    expect(next.resolve).toHaveBeenCalledOnce()
    expect(first.resolve).toHaveBeenCalledOnce()
  })

  it('has no responses where the SDK client brings none', async () => {
    const { context, comeBack } = setUp()
    const answered = context.ask(QUESTION)
    await settle()
    comeBack(attempt(8), 'none')
    expect(await answered).toEqual({})
  })

  it('is not asked twice at a time, and each time under a state of its own', async () => {
    const { context, comeBack, sent } = setUp()
    const answered = context.ask(QUESTION)
    await settle()
    await expect(context.ask(QUESTION)).rejects.toThrow('have the input request already')
    comeBack(attempt(8))
    await answered
    void context.ask(QUESTION)
    await settle()
    expect(sent()).toEqual([asked(7), asked(8, 2)])
  })

  it('is refused where the SDK client has not declared it', async () => {
    const { context, sent } = setUp({ first: attempt(7, { capabilities: {} }) as ReturnType<typeof attempt> })
    await expect(context.ask(QUESTION)).rejects.toThrow()
    expect(sent()).toEqual([])
  })

  it.each([
    ['the result', (context: ReturnType<typeof setUp>['context']) => context.resolve(RESULT), 'resolve'],
    ['the error', (context: ReturnType<typeof setUp>['context']) => context.reject(new Error('no')), 'reject'],
  ] as const)('is waited for before %s that has come meanwhile is handed over', async (_, end, way) => {
    const { context, over, comeBack, first } = setUp()
    const answered = context.ask(QUESTION)
    await settle()
    end(context)
    await settle()
    const next = attempt(8)
    comeBack(next)
    await over
    expect(next[way]).toHaveBeenCalledOnce()
    expect(first.reject).not.toHaveBeenCalled()
    expect(await answered).toEqual(RESPONSES)
  })

  it('is over with the call: a response that comes later calls no tool', async () => {
    const { context, calls, first, comeBack, remove } = setUp()
    void context.ask(QUESTION)
    await settle()
    expect(calls.cancel(8)).toBe(false)
    expect(context.signal.aborted).toBe(false)
    expect(calls.cancel(7)).toBe(true)
    expect(context.signal.aborted).toBe(true)
    expect(first.release).toHaveBeenCalledOnce()
    expect(calls.cancel(7)).toBe(false)
    const late = attempt(8)
    expect(comeBack(late)).toBe(true)
    expect(late.reject).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'CONNECTION_CLOSED' }))
    expect(late.release).toHaveBeenCalledOnce()
    expect(remove).toHaveBeenLastCalledWith(8)
  })

  it('is answered once: the same response again calls no tool', async () => {
    const { context, comeBack } = setUp()
    void context.ask(QUESTION)
    await settle()
    comeBack(attempt(8))
    const again = attempt(9)
    expect(comeBack(again)).toBe(true)
    expect(again.reject).toHaveBeenCalledOnce()
  })

  it('is over with the connection', async () => {
    const { context, calls } = setUp()
    void context.ask(QUESTION)
    await settle()
    calls.close()
    expect(context.signal.aborted).toBe(true)
  })

  it.each([undefined, 'state', 'taskwires:1'])(
    'is not what a request with the state %j answers',
    async (requestState) => {
      const { context, calls } = setUp()
      expect(calls.resume(attempt(8), { requestState })).toBe(false)
      void context.ask(QUESTION)
      await settle()
      expect(calls.resume(attempt(9), { requestState })).toBe(false)
    },
  )
})

describe('the timeout of a held call', () => {
  const reset = { resetTimeoutAfterMs: 40_000 }

  it('is begun anew by a round in which nothing is asked', async () => {
    const { page, sent, comeBack, context, over } = setUp(reset)
    await page.advance(39_999)
    expect(sent()).toEqual([])
    await page.advance(1)
    expect(sent()).toStrictEqual([renewed(7, 1)])
    comeBack(attempt(8))
    await page.advance(40_000)
    expect(sent()).toStrictEqual([renewed(7, 1), renewed(8, 2)])
    comeBack(attempt(9), undefined, 2)
    context.resolve(RESULT)
    await over
    expect(page.pendingTimers()).toBe(0)
  })

  it('counts from when the request was sent, not from when it became a task', async () => {
    const { page, calls, sent } = setUp(reset)
    const other = attempt(8)
    expect(calls.resume(other, {})).toBe(false)
    await page.advance(30_000)
    void calls.follow(other, TASK)
    await page.advance(10_000)
    expect(sent().map(({ id }) => id)).toEqual([7, 8])
  })

  it('counts no more while something is asked', async () => {
    const { page, sent, context } = setUp(reset)
    void context.ask(QUESTION)
    await page.advance(10 * RENEWAL_DEADLINE_MS)
    expect(sent()).toEqual([asked(7)])
    expect(context.signal.aborted).toBe(false)
  })

  it('lets a question wait until the SDK client is back', async () => {
    const { page, sent, comeBack, context } = setUp(reset)
    await page.advance(40_000)
    void context.ask(QUESTION)
    await page.advance(0)
    expect(sent()).toHaveLength(1)
    comeBack(attempt(8))
    await page.advance(0)
    expect(sent().at(-1)).toEqual(asked(8, 2))
  })

  it('ends the call where the SDK client does not come back', async () => {
    const { page, context } = setUp(reset)
    await page.advance(40_000 + RENEWAL_DEADLINE_MS - 1)
    expect(context.signal.aborted).toBe(false)
    await page.advance(1)
    expect(context.signal.aborted).toBe(true)
  })

  it('is not begun anew once the call was given up, with or without a question', async () => {
    const { page, sent, first } = setUp(reset)
    ;(first as Attempt).onCancel?.()
    await page.advance(100_000)
    expect(sent()).toEqual([])
    const other = setUp(reset)
    await other.page.advance(40_000)
    other.calls.cancel(7)
    expect(other.page.pendingTimers()).toBe(0)
  })
})
