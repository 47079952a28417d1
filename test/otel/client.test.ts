import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Environment, TaskClient, TaskClientUrlOptions } from 'taskwire'
import { instrumentTaskClient } from 'taskwire/otel'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'
import { eventsOf, exported, ms, recordTraces, type Traces } from './traces.js'

let server: TestServer
let traces: Traces

beforeEach(() => {
  server = createWorkServer()
  traces = recordTraces()
})

interface Tab {
  client: TaskClient
  stop: () => void
}

async function openTab(
  { environment }: Pick<SimulatedPage, 'environment'> = server.browser.openPage(),
  options: Partial<TaskClientUrlOptions> = {},
): Promise<Tab> {
  const client = createTaskClient({ url: server.url, environment, push: false, ...options })
  const stop = instrumentTaskClient(client, { tracer: traces.tracer, meter: traces.meter, environment })
  // What makes observations is loaded, which takes more than simulated time.
  await vi.dynamicImportSettled()
  return { client, stop }
}

const work = (seconds: number, outcome = 'success') => ({ name: 'work', arguments: { seconds, outcome } })

const isPoll = (event: string) => event === 'taskwire.poll_answered' || event === 'taskwire.poll_failed'

/** `_meta` of the `tools/call` requests. */
const metas = () =>
  server.requests.flatMap(({ method, params }) =>
    method === 'tools/call' ? [params['_meta'] as Record<string, unknown>] : [],
  )

describe('the span of a call', () => {
  it.each([
    ['forget(callId)', (client: TaskClient, callId: string) => client.forget({ callId })],
    ['forget()', (client: TaskClient) => client.forget()],
  ])('ends with %s, says so, and is not measured', async (_, forget) => {
    const { client } = await openTab()
    const other = await openTab()
    const { callId } = client.startToolCall(work(30), { key: 'k' })
    await server.advance(2500)
    expect(traces.spans()).toEqual([])
    await forget(client, callId)
    await server.advance(100)
    const [span] = traces.spans()
    expect(span).toMatchObject({ status: { code: SpanStatusCode.UNSET }, attributes: { 'taskwire.forgotten': true } })
    expect(ms(span?.duration ?? [0, 0])).toBeGreaterThanOrEqual(2500)
    // Neither tab takes the span up, nor a page that makes the call again.
    await server.advance(60_000)
    expect(traces.spans()).toHaveLength(1)
    expect(await traces.durations('mcp.client.operation.duration')).toEqual([])
    other.client.startToolCall(work(1), { key: 'k' })
    await server.advance(10_000)
    expect(traces.spans()[1]).toMatchObject({ links: [], attributes: { 'gen_ai.tool.name': 'work' } })
    expect(traces.spans()[1]?.attributes).not.toHaveProperty('taskwire.forgotten')
  })

  it('ends unforgotten where the client is closed before the instrumentation', async () => {
    const { client } = await openTab()
    client.startToolCall(work(30), { key: 'k' })
    await server.advance(1500)
    await client.close()
    await server.advance(100)
    expect(traces.spans().map(({ attributes }) => attributes)).not.toContainEqual(
      expect.objectContaining({ 'taskwire.forgotten': true }),
    )
  })

  it('is not made of callToolRaw(), which nobody follows, nor does that carry a trace context', async () => {
    const { client } = await openTab()
    const raw = client.callToolRaw(work(1))
    await server.advance(5000)
    await raw
    expect(traces.spans()).toEqual([])
    expect(metas()[0]).not.toHaveProperty('traceparent')
  })

  it('is one, from the request to the outcome, with an event for each poll', async () => {
    const { client } = await openTab()
    const startedAt = server.browser.now()
    client.startToolCall(work(3))
    await server.advance(10_000)
    const [span, ...others] = traces.spans()
    expect(others).toEqual([])
    expect(span).toMatchObject({
      name: 'tools/call work',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'work',
        'mcp.protocol.version': '2026-07-28',
        'network.protocol.name': 'http',
        'server.address': 'localhost',
        'server.port': 80,
      },
    })
    expect(ms(span?.startTime ?? [0, 0])).toBe(startedAt)
    expect(ms(span?.duration ?? [0, 0])).toBe(3000)
    expect(span?.events.filter(({ name }) => isPoll(name))).toHaveLength(server.count('tasks/get'))
    expect(span?.events.filter(({ name }) => isPoll(name))[0]?.attributes).toEqual({
      'taskwire.poll.duration': 0,
      'taskwire.poll.reason': 'interval',
      'taskwire.status': 'working',
      'taskwire.is_unchanged': false,
    })
  })

  it('is within the span that was active when the app started the call', async () => {
    const { client } = await openTab()
    const click = traces.tracer.startSpan('click')
    context.with(trace.setSpan(context.active(), click), () => client.startToolCall(work(1)))
    await server.advance(5000)
    expect(traces.spans()[0]?.parentSpanContext?.spanId).toBe(click.spanContext().spanId)
  })

  it('goes along in _meta of the tools/call, with the baggage of the app', async () => {
    const { client } = await openTab()
    const baggage = propagation.createBaggage({ build: { value: '42' } })
    context.with(propagation.setBaggage(context.active(), baggage), () => client.startToolCall(work(1)))
    await server.advance(5000)
    const { traceId, spanId } = traces.spans()[0]?.spanContext() ?? {}
    expect(metas()).toEqual([
      expect.objectContaining({ traceparent: `00-${traceId}-${spanId}-01`, baggage: 'build=42' }),
    ])
  })

  it.each([
    ['work', work(1, 'failure'), '-32603'],
    ['work', work(1, 'tool error'), 'tool_error'],
    ['nothing', { name: 'nothing' }, '-32602'],
  ])('has an error where the call of %s ends with %o', async (_, params, type) => {
    const { client } = await openTab()
    client.startToolCall(params)
    await server.advance(5000)
    expect(traces.spans()).toMatchObject([
      { status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': type } },
    ])
  })

  it('has an error where the call was cancelled, and is none where nothing could be sent', async () => {
    const { client } = await openTab()
    const call = client.startToolCall(work(60))
    await server.advance(2000)
    void call.cancel()
    await server.advance(5000)
    server.faults.status(404, {})
    const { client: other } = await openTab()
    other.startToolCall(work(1))
    await server.advance(5000)
    expect(traces.spans().map(({ attributes }) => attributes['error.type'])).toEqual(['TaskCancelledError'])
  })

  it('holds no id of a task, no argument, and no name of an input request', async () => {
    const { client } = await openTab()
    const call = client.startToolCall({ name: 'ask', arguments: { questions: ['a secret question'] } })
    await server.advance(2000)
    const taskId = call.getState().task?.taskId ?? 'none'
    const [inputKey = 'none'] = Object.keys(call.getState().inputRequests)
    void call.respond(inputKey, { action: 'accept', content: { ok: true } })
    await server.advance(5000)
    const spans = traces.spans()
    expect(eventsOf(spans[0])).toEqual(expect.arrayContaining(['taskwire.input_asked', 'taskwire.input_sent']))
    for (const secret of [taskId, 'a secret question', inputKey, call.callId]) {
      expect(spans.map(exported).join()).not.toContain(secret)
    }
  })

  it('says why polls failed, and goes on', async () => {
    const { client } = await openTab()
    client.startToolCall(work(3))
    await server.advance(500)
    server.faults.status(503, { method: 'tasks/get', times: 1 })
    await server.advance(20_000)
    const failed = traces.spans()[0]?.events.find(({ name }) => name === 'taskwire.poll_failed')
    expect(failed?.attributes).toMatchObject({ 'error.type': 'http', 'taskwire.poll.reason': 'interval' })
    expect(traces.spans()[0]?.status.code).toBe(SpanStatusCode.UNSET)
  })

  it('ends with the instrumentation, after which nothing is sent or recorded', async () => {
    const { client, stop } = await openTab()
    client.startToolCall(work(60))
    await server.advance(2000)
    stop()
    expect(traces.spans()).toHaveLength(1)
    client.startToolCall(work(1))
    await server.advance(5000)
    expect(traces.spans()).toHaveLength(1)
    expect(metas()[1]).not.toHaveProperty('traceparent')
  })

  it('does not begin after the instrumentation has ended, also of a call that was being started', async () => {
    const { client, stop } = await openTab()
    client.startToolCall(work(1))
    stop()
    await server.advance(5000)
    expect(traces.spans()).toEqual([])
    expect(metas()[0]).not.toHaveProperty('traceparent')
  })
})

describe('the span of a call that is resumed', () => {
  it('is a new one with a link to that of the page before, and the duration counts from the request', async () => {
    const page = server.browser.openPage()
    const { client } = await openTab(page)
    client.startToolCall(work(10), { key: 'k' })
    await server.advance(3000)
    const next = await page.reload()
    await server.advance(1000)
    const { client: resumed } = await openTab(next)
    void resumed.resumeToolCalls()
    await server.advance(10_000)
    const [first, second, ...others] = traces.spans()
    expect(others).toEqual([])
    expect(second?.links.map((link) => link.context.spanId)).toEqual([first?.spanContext().spanId])
    expect(second?.parentSpanContext).toBeUndefined()
    expect(first?.status.code).toBe(SpanStatusCode.UNSET)
    expect(await traces.durations('mcp.client.operation.duration')).toMatchObject([{ count: 1, sum: 10 }])
  })

  it('is a new one after the back-forward cache', async () => {
    const page = server.browser.openPage()
    const { client } = await openTab(page)
    client.startToolCall(work(10))
    await server.advance(3000)
    await page.hidePage()
    expect(traces.spans()).toHaveLength(1)
    await page.showPage()
    await server.advance(10_000)
    const [first, second] = traces.spans()
    expect(second?.links.map((link) => link.context.spanId)).toEqual([first?.spanContext().spanId])
  })

  it('is the only one where several tabs follow the call, and it is measured once', async () => {
    const first = await openTab()
    first.client.startToolCall(work(5), { key: 'k' })
    await server.advance(1500)
    const others = [await openTab(), await openTab()]
    for (const { client } of others) client.startToolCall(work(5), { key: 'k' })
    await server.advance(10_000)
    expect(traces.spans()).toHaveLength(1)
    expect(await traces.durations('mcp.client.operation.duration')).toMatchObject([{ count: 1, sum: 5 }])
  })

  it('is that of the tab that goes on where the tab of the call was closed', async () => {
    const page = server.browser.openPage()
    const first = await openTab(page)
    first.client.startToolCall(work(5), { key: 'k' })
    await server.advance(1500)
    const second = await openTab()
    void second.client.resumeToolCalls()
    await server.advance(1000)
    await page.close()
    await server.advance(10_000)
    const [closed, own, ...others] = traces.spans()
    expect(others).toEqual([])
    expect(own?.links.map((link) => link.context.spanId)).toEqual([closed?.spanContext().spanId])
    expect(await traces.durations('mcp.client.operation.duration')).toMatchObject([{ count: 1, sum: 5 }])
  })

  it('is missing where nothing can be stored, and the call goes on all the same', async () => {
    const page = server.browser.openPage()
    const storage: Environment['storage'] = () => {
      throw new Error('forbidden')
    }
    const { client } = await openTab({ environment: { ...page.environment, storage } }, { storage: 'memory' })
    const call = client.startToolCall(work(2))
    await server.advance(5000)
    expect(call.getState().phase).toBe('completed')
    expect(traces.spans()).toHaveLength(1)
  })

  it('leaves no more than a hundred notes', async () => {
    const { client } = await openTab()
    for (let index = 0; index < 130; index++) client.startToolCall(work(600))
    await server.advance(5000)
    const noted: unknown = JSON.parse(server.browser.storage.local.getItem('taskwire-otel') ?? '')
    expect(noted).toHaveLength(100)
  })
})

describe('mcp.client.operation.duration', () => {
  it('measures each call once, by tool and error', async () => {
    const { client } = await openTab()
    client.startToolCall(work(2))
    client.startToolCall(work(3))
    client.startToolCall(work(1, 'failure'))
    await server.advance(10_000)
    const measured = await traces.durations('mcp.client.operation.duration')
    expect(measured).toMatchObject([
      { count: 1, sum: 1, attributes: { 'gen_ai.tool.name': 'work', 'rpc.response.status_code': '-32603' } },
      { count: 2, sum: 5, boundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] },
    ])
  })
})
