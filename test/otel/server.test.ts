import { ProtocolError } from '@modelcontextprotocol/server'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { instrumentTaskClient, instrumentTaskServer } from 'taskwire/otel'
import { createTaskServer, createTaskWorker, defineTool } from 'taskwire/server'
import { createTestServer, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { listen } from '../server/support/listening.js'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { createMemoryQueue } from '../server/support/memoryQueue.js'
import { rpc } from '../server/support/rpc.js'
import { startServer } from '../server/support/serverUnderTest.js'
import { SharedStore } from '../server/support/silentStore.js'
import { slow } from '../server/support/tools.js'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'
import { exported, ms, recordTraces, type Traces } from './traces.js'

let traces: Traces

beforeEach(() => {
  traces = recordTraces()
})

const instrument = () => instrumentTaskServer({ tracer: traces.tracer, meter: traces.meter })

function openClient(server: TestServer) {
  const { url, environment } = server
  const client = createTaskClient({ url, environment, push: false })
  instrumentTaskClient(client, { tracer: traces.tracer, meter: traces.meter, environment })
  return client
}

const spanOf = (kind: SpanKind) => traces.spans().find((span) => span.kind === kind)

describe('instrumentTaskServer()', () => {
  it('makes a span of the work of a call, whose parent is the span of the client', async () => {
    const server = createWorkServer({ instrument: instrument() })
    const client = openClient(server)
    await vi.dynamicImportSettled()
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 3 } })
    await server.advance(10_000)
    const [ofClient, ofServer] = [spanOf(SpanKind.CLIENT), spanOf(SpanKind.SERVER)]
    expect(traces.spans()).toHaveLength(2)
    expect(ofServer?.parentSpanContext).toMatchObject({ spanId: ofClient?.spanContext().spanId, isRemote: true })
    expect(ofServer?.spanContext().traceId).toBe(ofClient?.spanContext().traceId)
    expect(ofServer).toMatchObject({
      name: 'tools/call work',
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'work',
        'mcp.protocol.version': '2026-07-28',
      },
    })
    expect(ms(ofServer?.duration ?? [0, 0])).toBe(3000)
    expect(traces.spans().map(exported).join()).not.toContain(call.getState().task?.taskId)
    expect(await traces.durations('mcp.server.operation.duration')).toMatchObject([{ count: 1, sum: 3 }])
  })

  it.each([
    ['failure', '-32603'],
    ['tool error', 'tool_error'],
  ])('marks a %s as an error', async (outcome, type) => {
    const server = createWorkServer({ instrument: instrument() })
    openClient(server).startToolCall({ name: 'work', arguments: { seconds: 1, outcome } })
    await server.advance(5000)
    expect(spanOf(SpanKind.SERVER)).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': type },
    })
  })

  it('holds no message of a JSON-RPC error, in which a tool repeats an argument', async () => {
    const tool = defineTool({
      name: 'invite',
      taskSupport: 'optional',
      inputSchema: z.object({ email: z.string() }),
      handler: async ({ email }, { sleep }) => {
        await sleep(1000)
        throw new ProtocolError(-32602, `There is no user ${email}.`)
      },
    })
    const server = createTestServer({ tools: [tool], instrument: instrument() })
    const call = openClient(server).startToolCall({ name: 'invite', arguments: { email: 'ada@example.com' } })
    await server.advance(5000)
    expect(call.getState().error?.message).toBe('There is no user ada@example.com.')
    expect(traces.spans()).toHaveLength(2)
    for (const span of traces.spans()) {
      expect(span.attributes['rpc.response.status_code']).toBe('-32602')
      expect(exported(span)).not.toContain('ada@example.com')
    }
  })

  it('has the spans of the handler within it, and links that of the HTTP request', async () => {
    const tool = defineTool({
      name: 'nested',
      taskSupport: 'optional',
      inputSchema: z.object({}),
      handler: async (_, { sleep }) => {
        await sleep(1000)
        traces.tracer.startSpan('inner').end()
        return { content: [] }
      },
    })
    const server = createTestServer({ tools: [tool], instrument: instrument() })
    const http = traces.tracer.startSpan('POST /mcp')
    const { fetch } = server
    const environment = {
      ...server.environment,
      fetch: (url: string | URL, init?: RequestInit) =>
        context.with(trace.setSpan(context.active(), http), () => fetch(url, init)),
    }
    const client = createTaskClient({ url: server.url, environment })
    instrumentTaskClient(client, { tracer: traces.tracer, meter: traces.meter, environment })
    client.startToolCall({ name: 'nested' })
    await server.advance(5000)
    const ofServer = spanOf(SpanKind.SERVER)
    const inner = traces.spans().find(({ name }) => name === 'inner')
    expect(inner?.parentSpanContext?.spanId).toBe(ofServer?.spanContext().spanId)
    expect(ofServer?.links.map((link) => link.context.spanId)).toEqual([http.spanContext().spanId])
  })

  it('takes whatever a client sends as a trace context for none that is not one', async () => {
    const server = createWorkServer({ instrument: instrument() })
    const client = createTaskClient({ url: server.url, environment: server.environment })
    client.addCallMeta(() => () => ({ traceparent: { a: 1 }, tracestate: 7, baggage: ['x'] }))
    client.startToolCall({ name: 'echo', arguments: { text: 'a' } })
    await server.advance(1000)
    expect(traces.spans()).toHaveLength(1)
    expect(spanOf(SpanKind.SERVER)?.parentSpanContext).toBeUndefined()
  })

  it('gives the handler the baggage of the client', async () => {
    let build: string | undefined
    const tool = defineTool({
      name: 'baggage',
      taskSupport: 'optional',
      inputSchema: z.object({}),
      handler: () => {
        build = propagation.getActiveBaggage()?.getEntry('build')?.value
        return { content: [] }
      },
    })
    const server = createTestServer({ tools: [tool], instrument: instrument() })
    const client = openClient(server)
    const baggage = propagation.createBaggage({ build: { value: '42' } })
    context.with(propagation.setBaggage(context.active(), baggage), () => client.startToolCall({ name: 'baggage' }))
    await server.advance(3000)
    expect(build).toBe('42')
  })

  it('makes a span in the worker that does the work, with the same parent', async () => {
    const options = { tools: [slow], store: new SharedStore(), instrument: instrument() }
    const clock = createManualClock()
    const queue = createMemoryQueue()
    const server = startServer({ ...options, clock, executor: queue })
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await server.call('slow', { ms: 500 }, { meta: { traceparent } })
    const worker = createTaskWorker({ ...options, serverInfo: { name: 'test', version: '1.0.0' }, clock, queue })
    await settle()
    await clock.advance(500)
    expect(traces.spans().map(({ duration }) => ms(duration))).toEqual([0, 500])
    expect(traces.spans().map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      '00f067aa0ba902b7',
      '00f067aa0ba902b7',
    ])
    await worker.close()
  })

  it('does not count work as an error that a closing worker hands over, and measures the work that ends', async () => {
    const clock = createManualClock()
    const queue = createMemoryQueue()
    const tools = [defineTool({ ...slow, onOrphan: 'retry' })]
    const common = { serverInfo: { name: 'test', version: '1' }, tools, store: new SharedStore(), clock }
    const server = createTaskServer({ ...common, executor: queue })
    const openWorker = () => createTaskWorker({ ...common, queue, instrument: instrument() })
    await rpc(server, 'tools/call', { name: 'slow', arguments: { ms: 5000 } })
    const first = openWorker()
    await settle()
    await clock.advance(2000)
    await first.close()
    await settle()
    const second = openWorker()
    await settle()
    await clock.advance(10_000)
    const [handedOver, done] = traces.spans()
    expect(handedOver).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'taskwire.handed_over': true },
    })
    expect(handedOver?.attributes).not.toHaveProperty('error.type')
    expect(ms(handedOver?.duration ?? [0, 0])).toBe(2000)
    expect(done?.attributes).not.toHaveProperty('taskwire.handed_over')
    expect(await traces.durations('mcp.server.operation.duration')).toMatchObject([{ count: 1, sum: 5 }])
    await second.close()
    await server.close()
  })

  it('names the cancellation of the client as the error of the work that it has stopped', async () => {
    const server = createWorkServer({ instrument: instrument() })
    const call = openClient(server).startToolCall({ name: 'work', arguments: { seconds: 30 } })
    await server.advance(2000)
    void call.cancel()
    await server.advance(5000)
    expect(spanOf(SpanKind.SERVER)?.attributes).toMatchObject({ 'error.type': 'TaskCancelledError' })
    expect(spanOf(SpanKind.SERVER)?.attributes).not.toHaveProperty('rpc.response.status_code')
  })

  it.each([
    ['a result', undefined],
    ['an error of the tool', 'tool_error'],
    ['a failure', '-32603'],
  ])('ends with the work of a call that becomes a task while it runs, and has %s', async (outcome, type) => {
    const tool = defineTool({
      name: 'late',
      taskSupport: 'optional',
      inputSchema: z.object({}),
      handler: async (_, { sleep }) => {
        await sleep(10_000)
        if (outcome === 'a failure') throw new Error('Out of paper')
        return { content: [], isError: outcome !== 'a result' }
      },
    })
    const augment = () => ({ afterMs: 2000 })
    const server = createTestServer({ tools: [tool], instrument: instrument(), augment, onError: () => {} })
    const call = openClient(server).startToolCall({ name: 'late' })
    await server.advance(5000)
    expect(call.getState().phase).toBe('working')
    expect(spanOf(SpanKind.SERVER)).toBeUndefined()
    await server.advance(15_000)
    expect(ms(spanOf(SpanKind.SERVER)?.duration ?? [0, 0])).toBe(10_000)
    expect(spanOf(SpanKind.SERVER)?.attributes['error.type']).toBe(type)
    expect(await traces.durations('mcp.server.operation.duration')).toMatchObject([{ count: 1, sum: 10 }])
  })

  it('is refused where it is none', () => {
    const options = { serverInfo: { name: 'test', version: '1.0.0' }, tools: [] }
    expect(() => createTaskServer({ ...options, instrument: {} as never })).toThrow('`instrument` cannot run tools')
  })
})

describe('the measurements of a server', () => {
  it('count tasks by outcome, limits, open streams and what runs, and time the store', async () => {
    const t = startServer({ tools: [slow], instrument: instrument(), maxTasks: 2 })
    await t.start('slow')
    const cancelled = await t.start('slow', { ms: 5000 })
    await t.call('slow')
    const stream = await listen(t, { taskIds: [cancelled] })
    expect(await traces.values('taskwire.server.tasks.running')).toEqual([{ attributes: {}, value: 2 }])
    expect(await traces.values('taskwire.server.streams.open')).toEqual([{ attributes: {}, value: 1 }])
    expect(await traces.values('taskwire.server.limits.reached')).toEqual([
      { attributes: { 'taskwire.limit': 'tasks' }, value: 1 },
    ])
    await t.clock.advance(1000)
    await t.cancel(cancelled)
    await settle()
    await stream.hangUp()
    const tool = { 'gen_ai.tool.name': 'slow' }
    expect(await traces.durations('taskwire.server.task.duration')).toMatchObject([
      { attributes: { ...tool, 'taskwire.task.outcome': 'completed' }, count: 1, sum: 1 },
      { attributes: { ...tool, 'taskwire.task.outcome': 'cancelled' }, count: 1 },
    ])
    expect(await traces.values('taskwire.server.tasks.running')).toEqual([{ attributes: {}, value: 0 }])
    expect(await traces.values('taskwire.server.streams.open')).toEqual([{ attributes: {}, value: 0 }])
    const operations = (await traces.durations('taskwire.server.store.duration')).map(({ attributes }) => attributes)
    expect(operations).toContainEqual({ 'db.operation.name': 'create' })
    expect(operations).toContainEqual({ 'db.operation.name': 'transition' })
  })

  it('count hand-overs, lost leases and rescues, and the jobs that wait', async () => {
    const clock = createManualClock()
    const store = new SharedStore()
    const queue = createMemoryQueue()
    const tools = [defineTool({ ...slow, onOrphan: 'retry' })]
    const common = { serverInfo: { name: 'test', version: '1' }, tools, store, clock, onError: () => {} }
    const server = createTaskServer({ ...common, executor: queue, instrument: instrument() })
    const ms = 600_000
    await rpc(server, 'tools/call', { name: 'slow', arguments: { ms } })
    await rpc(server, 'tools/call', { name: 'slow', arguments: { ms } })
    await traces.values('taskwire.server.tasks.waiting')
    await settle()
    expect(await traces.values('taskwire.server.tasks.waiting')).toEqual([{ attributes: {}, value: 2 }])

    const first = createTaskWorker({ ...common, queue, concurrency: 1, instrument: instrument() })
    await settle()
    await first.close()
    const tool = { 'gen_ai.tool.name': 'slow' }
    expect(await traces.values('taskwire.server.tasks.handed_over')).toEqual([{ attributes: tool, value: 1 }])

    let isCut = false
    const unlessCut = <T>(use: () => Promise<T>) => (isCut ? Promise.reject(new Error('cut')) : use())
    const cut = Object.assign(new SharedStore(), {
      get: (taskId: string) => unlessCut(() => store.get(taskId)),
      transition: (...change: Parameters<typeof store.transition>) => unlessCut(() => store.transition(...change)),
      lapsed: async () => [],
    })
    const second = createTaskWorker({ ...common, store: cut, queue, concurrency: 1, instrument: instrument() })
    await settle()
    isCut = true
    await clock.advance(90_000)
    expect(await traces.values('taskwire.server.leases.lost')).toEqual([{ attributes: tool, value: 1 }])
    expect(await traces.values('taskwire.server.tasks.rescued')).toEqual([{ attributes: tool, value: 1 }])
    const failed = (await traces.durations('taskwire.server.store.duration')).filter(
      ({ attributes }) => attributes['error.type'] === '_OTHER',
    )
    expect(failed.map(({ attributes }) => attributes['db.operation.name'])).toContain('transition')
    isCut = false
    await second.close()
    await server.close()
  })
})
