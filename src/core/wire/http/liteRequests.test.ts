import { describe, expect, it, vi } from 'vitest'
import { createSimulatedEnvironment } from '../../../testing.js'
import { completeResult, createLiteRequests } from './liteRequests.js'

const OPEN = 20

/** As many requests as nobody answers, each with a signal of its own. */
function openRequests() {
  const { environment } = createSimulatedEnvironment()
  const sent: AbortSignal[] = []
  const requests = createLiteRequests({
    url: () => new URL('https://tasks.example/mcp'),
    fetch: (_, init) => {
      if (init?.signal) sent.push(init.signal)
      return new Promise(() => {})
    },
    headers: undefined,
    envelope: {},
    environment,
    now: environment.now,
  })
  const failures: unknown[] = []
  const open = () => requests.request('tools/call', {}).catch((error: unknown) => failures.push(error))
  return { requests, open, sent, failures, settle: () => new Promise((resolve) => setImmediate(resolve)) }
}

it('taskwire/lite has no signal that collects the listeners of the requests that are open, which Node warns of', async () => {
  const warnings: unknown[] = []
  const listener = (warning: Error) => warnings.push(warning.name)
  process.on('warning', listener)
  const { requests, open, sent, settle } = openRequests()
  for (let count = 0; count < OPEN; count++) open()
  await settle()
  await settle()
  process.off('warning', listener)
  expect(sent).toHaveLength(OPEN)
  expect(warnings).toEqual([])
  requests.close()
})

it('taskwire/lite ends every open request when it is closed, and every later one at once', async () => {
  const { requests, open, sent, failures, settle } = openRequests()
  for (let count = 0; count < OPEN; count++) open()
  await settle()
  requests.close()
  open()
  await settle()
  expect(failures).toHaveLength(OPEN + 1)
  for (const error of failures) expect(error).toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(sent.map(({ aborted }) => aborted)).toEqual(Array(OPEN).fill(true))
})

/** Requests that are answered by these messages, in one stream each. `hang`: a stream that stays open after them. */
function answeredBy(messages: (id: number) => unknown[], { hang = false } = {}) {
  const page = createSimulatedEnvironment()
  const sent: { id: number; method: string; params: object }[] = []
  const signals: (AbortSignal | null | undefined)[] = []
  const requests = createLiteRequests({
    url: () => new URL('https://tasks.example/mcp'),
    fetch: async (_, init) => {
      const request = JSON.parse(String(init?.body)) as (typeof sent)[number]
      sent.push(request)
      signals.push(init?.signal)
      const events = messages(request.id).map((message) => `data: ${JSON.stringify(message)}\n\n`)
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode(events.join('')))
          if (!hang) controller.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
    headers: undefined,
    envelope: { version: 1 },
    environment: page.environment,
    now: page.now,
  })
  return { page, requests, sent, signals }
}

const response = (id: number, result: object) => ({ jsonrpc: '2.0', id, result })
const note = (method: string, params?: unknown) => ({ jsonrpc: '2.0', method, params })

describe('a request of taskwire/lite', () => {
  it('counts, and carries the envelope', async () => {
    const { requests, sent } = answeredBy((id) => [response(id, { id })])
    expect(await requests.request('tools/call', { name: 'a', _meta: { trace: 'x' } })).toEqual({ id: 1 })
    expect(await requests.request('tools/list', {})).toEqual({ id: 2 })
    expect(sent).toMatchObject([
      { id: 1, method: 'tools/call', params: { name: 'a', _meta: { trace: 'x', version: 1 } } },
      { id: 2, method: 'tools/list', params: { _meta: { version: 1 } } },
    ])
  })

  it('is answered by its own response alone', async () => {
    const { requests } = answeredBy((id) => [
      response(id + 1, { wrong: true }),
      note('notifications/x'),
      response(id, {}),
    ])
    expect(await requests.request('tools/call', {})).toEqual({})
  })

  it('fails with the error of the server, or where there is no response', async () => {
    const error = { code: -32602, message: 'no' }
    const refused = answeredBy((id) => [{ jsonrpc: '2.0', id, error }])
    await expect(refused.requests.request('tools/call', {})).rejects.toMatchObject(error)
    const silent = answeredBy(() => [])
    await expect(silent.requests.request('tools/call', {})).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  })

  it('is given up after a minute where it has to be in time, and leaves no timer', async () => {
    const { page, requests } = answeredBy(() => [], { hang: true })
    const outcome = vi.fn()
    requests.requestInTime('tools/list', {}).catch(outcome)
    await page.advance(59_999)
    expect(outcome).not.toHaveBeenCalled()
    await page.advance(1)
    expect(outcome).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'REQUEST_TIMEOUT' }))
    const answered = answeredBy((id) => [response(id, {})])
    expect(await answered.requests.requestInTime('tools/list', {})).toEqual({})
    expect(answered.page.pendingTimers()).toBe(0)
  })

  it('lets go of its signal when it is over, and is not ended again', async () => {
    const { requests, signals } = answeredBy((id) => [response(id, {})])
    const controller = new AbortController()
    const stopListening = vi.spyOn(controller.signal, 'removeEventListener')
    await requests.request('tools/call', {}, controller.signal)
    await new Promise((resolve) => setImmediate(resolve))
    expect(stopListening).toHaveBeenCalled()
    requests.close()
    expect(signals.map((signal) => signal?.aborted)).toEqual([false])
  })

  it('is ended by its signal, which it lets go of', async () => {
    const { requests } = answeredBy(() => [], { hang: true })
    const controller = new AbortController()
    const stopListening = vi.spyOn(controller.signal, 'removeEventListener')
    const request = requests.request('tools/call', {}, controller.signal)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(request).rejects.toBe(reason)
    expect(stopListening).toHaveBeenCalled()
  })

  it('for a stream hears the notifications that are none of JSON-RPC gone wrong', async () => {
    const notes = [note('a'), note('b', { c: 1 }), note('d', 'e')]
    const { requests } = answeredBy((id) => [...notes, response(id, {})])
    const heard: unknown[] = []
    await requests.listen({}, ({ method }) => heard.push(method), new AbortController().signal)
    expect(heard).toEqual(['a', 'b'])
  })
})

describe('completeResult()', () => {
  it.each([{}, { resultType: 'complete' }])('takes %j', (result) => {
    expect(completeResult('tools/list', result)).toBe(result)
  })

  it.each([
    [undefined, 'INVALID_RESULT'],
    ['done', 'INVALID_RESULT'],
    [{ resultType: 'task' }, 'UNSUPPORTED_RESULT_TYPE'],
  ])('refuses %j', (result, code) => {
    expect(() => completeResult('tools/list', result)).toThrow(expect.objectContaining({ code }))
  })
})
