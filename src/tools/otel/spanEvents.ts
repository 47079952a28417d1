import type { Attributes } from '@opentelemetry/api'
import type { CallObservation, PollReason } from '../../core/client/observe/events.js'

/** What becomes an event of the span. Of a poll, its answer does: one event a poll. */
const EVENTS: ReadonlySet<CallObservation['type']> = new Set<CallObservation['type']>([
  ...(['task-created', 'task-resumed', 'poll-answered', 'poll-failed', 'push-opened', 'push-closed'] as const),
  ...(['push-event', 'tab-event', 'input-asked', 'input-sent', 'input-acknowledged', 'input-withdrawn'] as const),
  ...(['input-rejected', 'cancel', 'leader-gained', 'leader-lost'] as const),
])

/** An event of a span. */
export interface SpanEvent {
  readonly name: string
  readonly attributes: Attributes
}

/** What an observation is as an event; undefined if it is not one. It names neither the task nor an input request. */
export function spanEventOf(observation: CallObservation, pollReason: PollReason | undefined): SpanEvent | undefined {
  if (!EVENTS.has(observation.type)) return undefined
  const isPoll = observation.type === 'poll-answered' || observation.type === 'poll-failed'
  return {
    name: `taskwire.${observation.type.replace('-', '_')}`,
    attributes: {
      ...(isPoll && { 'taskwire.poll.duration': observation.ms / 1000 }),
      ...(isPoll && pollReason && { 'taskwire.poll.reason': pollReason }),
      ...('status' in observation && { 'taskwire.status': observation.status }),
      ...('isUnchanged' in observation && { 'taskwire.is_unchanged': observation.isUnchanged }),
      ...('kind' in observation && { 'error.type': observation.kind }),
    },
  }
}
