import type { Meter } from '@opentelemetry/api'
import type { TaskServerInstrument } from '../../server/base/taskServerInstrument.js'
import { BOUNDARIES } from './conventions.js'

/** A store answers in milliseconds. In seconds. */
const STORE_BOUNDARIES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

/** The measurements of a task server or a worker beside those of its calls. */
export function createServerMetrics(meter: Meter): Required<Pick<TaskServerInstrument, 'record' | 'observe'>> {
  const ended = meter.createHistogram('taskwire.server.task.duration', {
    description: 'How long tasks took from their creation to their end, by tool and outcome',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
  const storeUsed = meter.createHistogram('taskwire.server.store.duration', {
    description: 'How long the operations of the store took',
    unit: 's',
    advice: { explicitBucketBoundaries: STORE_BOUNDARIES },
  })
  const counter = (name: string, description: string) => meter.createCounter(`taskwire.server.${name}`, { description })
  const leasesLost = counter('leases.lost', 'Tasks whose work was stopped because another process may have them')
  const rescued = counter('tasks.rescued', 'Tasks whose work was lost and begins again')
  const handedOver = counter('tasks.handed_over', 'Tasks that a closing process has left to another one')
  const refused = counter('limits.reached', 'Calls and streams that were refused because a limit was reached')
  const conflicts = counter('store.conflicts', 'Changes that were made again because another process was faster')

  return {
    record(event) {
      switch (event.type) {
        case 'task-ended':
          ended.record(event.ms / 1000, { 'gen_ai.tool.name': event.tool, 'taskwire.task.outcome': event.outcome })
          break
        case 'lease-lost':
          leasesLost.add(1, { 'gen_ai.tool.name': event.tool })
          break
        case 'task-rescued':
          rescued.add(1, { 'gen_ai.tool.name': event.tool })
          break
        case 'task-handed-over':
          handedOver.add(1, { 'gen_ai.tool.name': event.tool })
          break
        case 'limit-reached':
          refused.add(1, { 'taskwire.limit': event.what })
          break
        case 'store-conflict':
          conflicts.add(1)
          break
        case 'store-used':
          storeUsed.record(event.ms / 1000, {
            'db.operation.name': event.operation,
            ...(event.hasFailed && { 'error.type': '_OTHER' }),
          })
          break
        case 'task-created':
        case 'task-claimed':
          break
      }
    },
    observe(read) {
      const gauge = (name: string, description: string) =>
        meter.createObservableGauge(`taskwire.server.${name}`, { description })
      const running = gauge('tasks.running', 'Tasks that are worked on in this process, or wait for their turn in it')
      const waiting = gauge(
        'tasks.waiting',
        'Tasks that wait for their turn in this process, and jobs that wait for a worker',
      )
      const streams = gauge('streams.open', 'Streams of subscriptions/listen that are open in this process')
      const all = [running, waiting, streams]
      const callback: Parameters<Meter['addBatchObservableCallback']>[0] = (result) => {
        const now = read()
        result.observe(running, now.running)
        result.observe(waiting, now.waiting)
        result.observe(streams, now.openStreams)
      }
      meter.addBatchObservableCallback(callback, all)
      return () => meter.removeBatchObservableCallback(callback, all)
    },
  }
}
