import { describe, expect, it, vi } from 'vitest'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { ToolCallInterruptedError } from '../protocol/errors.js'
import type { CallHooks } from '../protocol/taskPort.js'
import { withCallLimit } from './callLimit.js'
import type { SdkCall } from './sdkAdapter.js'

const REQUEST = { method: 'roots/list', params: {} } as const
const [soon, later] = [20_000, 30_000]

/** A call that may take 30 s; `send` is what it sends by. */
function setUp(call: SdkCall = {}, controller = new AbortController()) {
  const page = createSimulatedEnvironment()
  const sent: { call: SdkCall; signal: AbortSignal }[] = []
  let settle: { resolve: (value: string) => void; reject: (error: unknown) => void } | undefined
  const options = { callTimeoutMs: later, environment: page.environment }
  const outcome: { value?: unknown; error?: unknown } = {}
  withCallLimit(options, 'report', call, controller.signal, (limited, signal) => {
    sent.push({ call: limited, signal })
    return new Promise<string>((resolve, reject) => {
      settle = { resolve, reject }
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }).then(
    (value) => Object.assign(outcome, { value }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  const [{ call: limited, signal } = { call: {}, signal: new AbortController().signal }] = sent
  const ask = (key: string) => Promise.resolve(limited.ask?.(key, REQUEST, signal)).catch(() => {})
  return { page, controller, outcome, limited, signal, ask, settle: () => settle }
}

/** Handlers that answer when they are told to. */
function askLater() {
  const answers: ((fails: boolean) => void)[] = []
  const ask: CallHooks['ask'] = () =>
    new Promise((resolve, reject) =>
      answers.push((fails) => (fails ? reject(new Error('no')) : resolve({ roots: [] }))),
    )
  return { ask, answers }
}

describe('withCallLimit()', () => {
  it('gives a call up that the server does not answer in time, and says how long that was', async () => {
    const { page, outcome, signal } = setUp()
    await page.advance(later - 1)
    expect(outcome).toEqual({})
    await page.advance(1)
    expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
    expect((outcome.error as Error).cause).toEqual(new Error('The server did not answer within 30 s.'))
    expect(signal.reason).toBe(outcome.error)
  })

  it.each(['resolve', 'reject'] as const)('leaves no timer and no listener behind where it %ss', async (way) => {
    const controller = new AbortController()
    const stopListening = vi.spyOn(controller.signal, 'removeEventListener')
    const { page, outcome, settle, signal } = setUp({}, controller)
    settle()?.[way]('done')
    await page.advance(0)
    expect(outcome).toEqual(way === 'resolve' ? { value: 'done' } : { error: 'done' })
    expect(stopListening).toHaveBeenCalledOnce()
    await page.advance(10 * later)
    expect(signal.aborted).toBe(false)
  })

  it('ends with the reason of the signal', async () => {
    const { page, controller, outcome } = setUp()
    const reason = new Error('enough')
    controller.abort(reason)
    await page.advance(0)
    expect(outcome.error).toBe(reason)
  })

  it('passes the rest of the call on, and nobody to ask where there is nobody', () => {
    expect(setUp({ idempotencyKey: 'k' }).limited).toEqual({ idempotencyKey: 'k', ask: undefined })
  })

  it('stops counting while somebody is asked, and counts anew after that', async () => {
    const { ask: handlers, answers } = askLater()
    const { page, outcome, ask } = setUp({ ask: handlers })
    await page.advance(soon)
    void ask('a')
    await page.advance(10 * later)
    answers[0]?.(false)
    await page.advance(later - 1)
    expect(outcome).toEqual({})
    await page.advance(1)
    expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
  })

  it.each([false, true])('waits for all that are asked (the last of them fails: %s)', async (fails) => {
    const { ask: handlers, answers } = askLater()
    const { page, outcome, ask } = setUp({ ask: handlers })
    void ask('a')
    void ask('b')
    answers[0]?.(false)
    await page.advance(10 * later)
    expect(outcome).toEqual({})
    answers[1]?.(fails)
    await page.advance(later)
    expect(outcome.error).toBeInstanceOf(ToolCallInterruptedError)
  })

  it('counts no more once there is a response, whoever is still asked', async () => {
    const { ask: handlers, answers } = askLater()
    const { page, ask, settle, signal } = setUp({ ask: handlers })
    void ask('a')
    settle()?.resolve('done')
    await page.advance(0)
    answers[0]?.(false)
    await page.advance(10 * later)
    expect(signal.aborted).toBe(false)
  })
})
