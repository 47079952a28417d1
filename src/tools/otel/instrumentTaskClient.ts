import {
  type Attributes,
  type Context,
  context,
  type Meter,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { CallObservation, PollReason, TaskClientObservation } from '../../core/client/observe/events.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import type { Environment } from '../../core/environment/environment.js'
import { VERSION } from '../../core/protocol/version.js'
import { createDuration, failureOf, markFailed, operationOf, SCOPE, spanNameOf, TOOL_ERROR } from './conventions.js'
import { spanEventOf } from './spanEvents.js'
import { createSpanNotes, linksTo, type SpanNote } from './spanNotes.js'

/** Options of {@link instrumentTaskClient}. */
export interface InstrumentTaskClientOptions {
  /** The tracer. @default a tracer of the global tracer provider */
  tracer?: Tracer
  /** The meter. @default a meter of the global meter provider */
  meter?: Meter
  /** In tests, the environment of the client. */
  environment?: Partial<Environment>
}

/** The part of a client that Taskwire needs for this, for any tools. */
export type InstrumentedClient = Pick<TaskClient, 'observe' | 'addCallMeta' | 'store' | 'url'>

/** The span of a call that this page follows. */
interface CallSpan {
  readonly span: Span
  readonly tool: string
  readonly sentAt: number
  pollReason?: PollReason
}

/** What a span begins with. */
interface Beginning {
  readonly callId: string
  readonly tool: string
  readonly at: number
  /** When the `tools/call` went out, which may be long before. */
  readonly sentAt: number
  readonly parent: Context
  /** The note of the page before. */
  readonly left: SpanNote | undefined
}

type Settled = Extract<CallObservation, { type: 'call-settled' }>

/**
 * Traces and measures the calls of a client: one span for each `tools/call`, from its request until its outcome is known,
 * with an event for each poll, and the histogram `mcp.client.operation.duration`. The propagator of the app writes the
 * trace context into `_meta` (SEP-414). A page that is unloaded ends its spans; the page that resumes a call starts a span
 * with a link to the previous span. Names and attributes follow OpenTelemetry's conventions for MCP. They contain no
 * arguments, results or ids of tasks.
 *
 * Returns a function that stops the instrumentation. Call it before `client.close()`.
 *
 * @example
 * ```ts
 * const client = createTaskClient({ url: 'https://example.com/mcp' })
 * const stop = instrumentTaskClient(client)
 * ```
 */
export function instrumentTaskClient(
  client: InstrumentedClient,
  options: InstrumentTaskClientOptions = {},
): () => void {
  const { tracer = trace.getTracer(SCOPE, VERSION), meter = metrics.getMeter(SCOPE, VERSION) } = options
  const environment = { ...browserEnvironment(), ...options.environment }
  const duration = createDuration(meter, 'client')
  const notes = createSpanNotes(environment)
  const server = serverOf(client.url, environment.baseUrl())
  const open = new Map<string, CallSpan>()
  /** From `pagehide` on, when what is still written down must not be taken for going on. */
  let isFrozen = false
  let isOver = false

  function attributesOf(tool: string): Attributes {
    return { ...operationOf(tool, client.store.getState().connection.protocolVersion), ...server }
  }

  function begin({ callId, tool, at, sentAt, parent, left }: Beginning): Span {
    leave(callId, at)
    const start = { kind: SpanKind.CLIENT, startTime: at, attributes: attributesOf(tool), links: linksTo(left) }
    const span = tracer.startSpan(spanNameOf(tool), start, parent)
    open.set(callId, { span, tool, sentAt })
    note(callId, false)
    return span
  }

  function note(callId: string, isLeft: boolean): void {
    const held = open.get(callId)
    if (held === undefined) return
    const { traceId, spanId, traceFlags } = held.span.spanContext()
    notes.write({ callId, traceId, spanId, traceFlags, sentAt: held.sentAt, isLeft })
  }

  /** Ends the span of a call that continues without this page. */
  function leave(callId: string, at: number): void {
    note(callId, true)
    open.get(callId)?.span.end(at)
    open.delete(callId)
  }

  function leaveAll(at: number): void {
    for (const callId of [...open.keys()]) leave(callId, at)
  }

  /** Ends the spans of calls that the app has forgotten: their outcome stays unknown. */
  function endForgotten({ calls, connection }: ReturnType<TaskClient['store']['getState']>): void {
    // A client that is closed forgets nothing: its calls go on without it.
    if (connection.status === 'closed') return
    for (const [callId, { span }] of open) {
      if (callId in calls) continue
      span.setAttribute('taskwire.forgotten', true)
      span.end(environment.now())
      open.delete(callId)
      notes.remove(callId)
    }
  }

  function takeUp({ callId, tool, at }: CallObservation): CallSpan | undefined {
    const left = isFrozen ? undefined : notes.readLeft(callId)
    if (left !== undefined) begin({ callId, tool, at, sentAt: left.sentAt, parent: ROOT_CONTEXT, left })
    return open.get(callId)
  }

  function settle({ span, tool, sentAt }: CallSpan, { callId, at, error, isError }: Settled): void {
    const failure = error ? failureOf(error) : isError ? TOOL_ERROR : undefined
    const attributes = attributesOf(tool)
    span.setAttributes(attributes)
    if (failure) markFailed(span, failure)
    span.end(at)
    const measured = { ...attributes, ...failure?.attributes }
    duration.record((at - sentAt) / 1000, measured, trace.setSpan(ROOT_CONTEXT, span))
    open.delete(callId)
    notes.remove(callId)
  }

  function onObservation(observation: TaskClientObservation): void {
    if (observation.type === 'page') {
      if (observation.state === 'frozen') leaveAll(observation.at)
      if (observation.state === 'frozen' || observation.state === 'restored') isFrozen = observation.state === 'frozen'
      return
    }
    if (!('callId' in observation)) return
    // A call that is being made has its span once the request goes out.
    if (observation.type === 'call-started' || observation.type === 'call-sent') return
    const held = open.get(observation.callId) ?? takeUp(observation)
    if (held === undefined) return
    if (observation.type === 'call-settled') return settle(held, observation)
    if (observation.type === 'poll-sent') held.pollReason = observation.reason
    const event = spanEventOf(observation, held.pollReason)
    if (event) held.span.addEvent(event.name, event.attributes, observation.at)
  }

  const stopObserving = client.observe(onObservation)
  const unsubscribe = client.store.subscribe(endForgotten)
  const removeMeta = client.addCallMeta(({ callId, name: tool }) => {
    const parent = context.active()
    return () => {
      const meta = {}
      if (isOver) return meta
      const at = environment.now()
      const span = begin({ callId, tool, at, sentAt: at, parent, left: notes.readLeft(callId) })
      propagation.inject(trace.setSpan(parent, span), meta)
      return meta
    }
  })
  return () => {
    isOver = true
    stopObserving()
    unsubscribe()
    removeMeta()
    leaveAll(environment.now())
  }
}

/** Undefined where the URL is not known, as with an SDK client of the app. */
function serverOf(url: TaskClient['url'], base: string | undefined): Attributes | undefined {
  if (url === undefined || !URL.canParse(url, base)) return undefined
  const { hostname, port, protocol } = new URL(url, base)
  const standardPort = protocol === 'https:' ? 443 : 80
  const serverPort = port === '' ? standardPort : Number(port)
  return { 'network.protocol.name': 'http', 'server.address': hostname, 'server.port': serverPort }
}
