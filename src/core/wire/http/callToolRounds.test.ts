import { describe, expect, it, vi } from 'vitest'
import { createSimulatedEnvironment } from '../../../tools/testing/simulatedEnvironment.js'
import type { JsonObject } from '../../protocol/json.js'
import { callTool } from './callTool.js'

const FORM = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } }
const DONE = { content: [] }
const asks = (members: JsonObject) => ({ resultType: 'input_required', ...members })
const never = () => new Promise<never>(() => {})

/** A call that is answered by these results, one after the other. */
function setUp(answers: unknown[], ask?: (key: string, request: unknown, signal: AbortSignal) => Promise<JsonObject>) {
  const page = createSimulatedEnvironment()
  const request = vi.fn(async (_method: string, _params: JsonObject) => answers.shift())
  const options = {
    requests: { request, listen: never },
    capabilities: { elicitation: { form: {} } },
    environment: page.environment,
    onIssue: () => {},
  }
  const controller = new AbortController()
  const call = (tool: Parameters<typeof callTool>[1] = { name: 'report' }) =>
    callTool(options, tool, ask, controller.signal)
  return { page, request, controller, call }
}

describe('callTool() of taskwire/lite', () => {
  it('sends what it is given, once', async () => {
    const { request, call } = setUp([DONE, DONE])
    expect(await call({ name: 'report', arguments: { year: 1 }, meta: () => ({ trace: 'x' }) })).toEqual({
      type: 'result',
      result: DONE,
    })
    expect(request.mock.lastCall?.[1]).toEqual({ name: 'report', arguments: { year: 1 }, _meta: { trace: 'x' } })
    await call()
    expect(request.mock.lastCall?.[1]).toEqual({ name: 'report', arguments: {} })
  })

  it.each([
    [
      'is nested too deep',
      { content: [], structuredContent: JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) as unknown },
      /nested too deep/,
    ],
    ['is malformed', { content: 'done' }, /content/],
    ['asks for what is no input request', asks({ inputRequests: { a: {} } }), /input request/],
    ['asks for nothing', asks({}), /lists no input request/],
    ['asks for nothing, with a state that is no text', asks({ requestState: 7 }), /lists no input request/],
  ])('is against the protocol where the result %s', async (_, answer, words) => {
    const failed = setUp([answer], never).call()
    await expect(failed).rejects.toMatchObject({ name: 'TaskProtocolError', source: 'tools/call' })
    await expect(failed).rejects.toThrow(words)
  })

  it('refuses what was not declared, and asks nobody', async () => {
    const ask = vi.fn(never)
    const url = {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Pay', url: 'https://pay.example', elicitationId: '1' },
    }
    await expect(setUp([asks({ inputRequests: { a: url } })], ask).call()).rejects.toMatchObject({
      name: 'TaskInputRequiredError',
    })
    expect(ask).not.toHaveBeenCalled()
  })

  it('is against the protocol where the server asks and nobody can be asked', async () => {
    const failed = setUp([asks({ inputRequests: { a: FORM } })]).call()
    await expect(failed).rejects.toThrow('an input request belongs to no call')
  })

  it('brings back the state where nobody can be asked, after a pause, which leaves nothing behind', async () => {
    const { page, request, controller, call } = setUp([asks({ requestState: 's' }), DONE])
    const stopListening = vi.spyOn(controller.signal, 'removeEventListener')
    const called = call()
    await page.advance(249)
    expect(request).toHaveBeenCalledOnce()
    await page.advance(1)
    expect(await called).toEqual({ type: 'result', result: DONE })
    expect(request.mock.lastCall?.[1]).toEqual({ name: 'report', arguments: {}, requestState: 's' })
    expect(stopListening).toHaveBeenCalledOnce()
  })

  it('ends with the reason during that pause, and leaves no timer', async () => {
    const { page, controller, call } = setUp([asks({ requestState: 's' })])
    const called = call()
    await page.advance(100)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(called).rejects.toBe(reason)
    expect(page.pendingTimers()).toBe(0)
  })

  it('makes no pause where somebody was asked, brings no state where there is none, and lets go of the signal', async () => {
    const ask = vi.fn(async () => ({ action: 'decline' }))
    const { page, request, controller, call } = setUp(
      [asks({ inputRequests: { a: FORM }, requestState: 7 }), DONE],
      ask,
    )
    const stopListening = vi.spyOn(controller.signal, 'removeEventListener')
    expect(await call()).toEqual({ type: 'result', result: DONE })
    expect(page.pendingTimers()).toBe(0)
    const inputResponses = { a: { action: 'decline' } }
    expect(request.mock.lastCall?.[1]).toEqual({ name: 'report', arguments: {}, inputResponses })
    expect(stopListening).toHaveBeenCalledOnce()
  })

  it('asks nobody any longer where it is given up', async () => {
    const signals: AbortSignal[] = []
    const ask = (_key: string, _request: unknown, signal: AbortSignal) => {
      signals.push(signal)
      return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const { controller, call, page } = setUp([asks({ inputRequests: { a: FORM } })], ask)
    const called = call()
    await page.advance(0)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(called).rejects.toBe(reason)
    expect(signals.map((signal) => signal.reason)).toEqual([reason])
  })
})
