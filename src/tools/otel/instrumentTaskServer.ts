import {
  type Context,
  context,
  type Link,
  type Meter,
  metrics,
  propagation,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { VERSION } from '../../core/protocol/version.js'
import type { TaskServerInstrument } from '../../server/base/taskServerInstrument.js'
import {
  CANCELLED,
  createDuration,
  failureOf,
  markFailed,
  operationOf,
  SCOPE,
  spanNameOf,
  TOOL_ERROR,
} from './conventions.js'
import { createServerMetrics } from './serverMetrics.js'

/** Options of {@link instrumentTaskServer}. */
export interface InstrumentTaskServerOptions {
  /** The tracer. @default a tracer of the global tracer provider */
  tracer?: Tracer
  /** The meter. @default a meter of the global meter provider */
  meter?: Meter
}

/**
 * Traces and measures the calls of a task server. Pass it as the option `instrument` to `createTaskServer` and
 * `createTaskWorker`. It makes one span for each call, until the work of its task has ended, and the histogram
 * `mcp.server.operation.duration`. The parent of the span is the span of the client (`traceparent` in `_meta`, SEP-414).
 * Spans that a handler makes are children of it, and a span of the HTTP request, if there is one, is linked. The span of
 * work that another process has taken over has `taskwire.handed_over`, no error, and no duration. In addition, it makes
 * metrics for operators (`taskwire.server.*`): tasks by outcome, waiting tasks and jobs, open streams, lost leases,
 * rescues, hand-overs, reached limits, and the store.
 *
 * @example
 * ```ts
 * const server = createTaskServer({ serverInfo, tools: [report], instrument: instrumentTaskServer() })
 * ```
 */
export function instrumentTaskServer(options: InstrumentTaskServerOptions = {}): TaskServerInstrument {
  const { tracer = trace.getTracer(SCOPE, VERSION), meter = metrics.getMeter(SCOPE, VERSION) } = options
  const duration = createDuration(meter, 'server')
  return {
    ...createServerMetrics(meter),
    runTool: ({ tool, meta, protocolVersion, now, stopped }, run) => {
      const { parent, links } = cameBy(meta)
      const attributes = operationOf(tool, protocolVersion)
      const startTime = now()
      const start = { kind: SpanKind.SERVER, startTime, attributes, links }
      return tracer.startActiveSpan(spanNameOf(tool), start, parent, async (span) => {
        let failure: ReturnType<typeof failureOf> | undefined
        try {
          const outcome = await run()
          if (isJsonObject(outcome) && outcome['isError'] === true) failure = TOOL_ERROR
          return outcome
        } catch (error) {
          failure = stopped() === 'cancelled' ? CANCELLED : failureOf(error)
          throw error
        } finally {
          // The process that works on it next has the outcome.
          const isHandedOver = stopped() === 'handed-over'
          if (isHandedOver) span.setAttribute('taskwire.handed_over', true)
          else if (failure) markFailed(span, failure)
          const endTime = now()
          span.end(endTime)
          const measured = { ...attributes, ...failure?.attributes }
          if (!isHandedOver) duration.record((endTime - startTime) / 1000, measured)
        }
      })
    },
  }
}

/** The context that the client has sent, and a link to the one that there is, which may be that of the HTTP request. */
function cameBy(meta: JsonObject): { parent: Context; links: Link[] } {
  const active = context.active()
  const carrier = Object.fromEntries(
    propagation.fields().flatMap((field) => (typeof meta[field] === 'string' ? [[field, meta[field]]] : [])),
  )
  const parent = propagation.extract(active, carrier)
  const ambient = trace.getSpanContext(active)
  const isSent = trace.getSpanContext(parent)?.spanId !== ambient?.spanId
  return { parent, links: ambient !== undefined && isSent ? [{ context: ambient }] : [] }
}
