import { context, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { onTestFinished } from 'vitest'

class PulledReader extends MetricReader {
  protected override async onForceFlush() {}
  protected override async onShutdown() {}
}

/** The OpenTelemetry SDK as an app sets it up, with what it exports in memory. Ends with the test. */
export function recordTraces() {
  const exporter = new InMemorySpanExporter()
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const reader = new PulledReader()
  const meters = new MeterProvider({ readers: [reader] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  )
  onTestFinished(() => {
    context.disable()
    propagation.disable()
  })

  /** The data points of a measurement. */
  async function points(name: string) {
    const { resourceMetrics } = await reader.collect()
    const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)
    return all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
  }

  return {
    tracer: tracers.getTracer('test'),
    meter: meters.getMeter('test'),
    /** The spans that have ended, in that order. */
    spans: (): ReadableSpan[] => exporter.getFinishedSpans(),
    /** What a counter or a gauge says, by attributes. */
    values: async (name: string) => (await points(name)).map(({ attributes, value }) => ({ attributes, value })),
    /** What a histogram has measured: how often and, in all, how many seconds, by attributes. */
    durations: async (name: string) => {
      return (await points(name)).map(({ attributes, value }) => {
        const { count, sum, buckets } = value as Histogram
        return { attributes, count, sum, boundaries: buckets.boundaries }
      })
    },
  }
}

export type Traces = ReturnType<typeof recordTraces>

/** A time of a span, in ms. */
export const ms = ([seconds, nanoseconds]: readonly [number, number]): number => seconds * 1000 + nanoseconds / 1e6

export const eventsOf = (span: ReadableSpan | undefined): string[] => span?.events.map(({ name }) => name) ?? []

/** Everything that leaves the process of a span, as one text. */
export function exported({ name, attributes, events, links, status }: ReadableSpan): string {
  return JSON.stringify([name, attributes, events, links, status])
}
