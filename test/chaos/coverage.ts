import type { TaskClient, TaskClientObservation, ToolCallState } from 'taskwire'
// Loaded before time is simulated: with the first observer it would be loaded in real time.
import '../../src/core/client/observe/observer.js'
import { table } from '../seeded/table.js'

/** What can become of a call in a page, and what can happen to it there, as `client.observe()` says it. */
const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const
const REASONS = [
  'interval',
  'safety-interval',
  'backoff',
  'retry-after',
  'back-online',
  'takeover',
  'hint',
  'resumed',
] as const
const FAILURES = ['network', 'http', 'server', 'auth', 'malformed', 'protocol', 'other'] as const

/** Where a call stands in its page. `none`: the page does not have it. */
const STAGES = ['none', 'calling', 'working', 'input_required', 'ended', 'completed', 'failed', 'cancelled'] as const

const KINDS: readonly string[] = [
  ...['call-started', 'call-sent', 'task-created', 'task-resumed'],
  ...REASONS.map((reason) => `poll-sent, ${reason}`),
  ...STATUSES.map((status) => `poll-answered, ${status}`),
  ...FAILURES.map((failure) => `poll-failed, ${failure}`),
  ...STATUSES.map((status) => `tab-event, ${status}`),
  ...['push-opened', 'push-closed', ...STATUSES.map((status) => `push-event, ${status}`)],
  ...['input-asked', 'input-sent', 'input-acknowledged', 'input-rejected', 'input-withdrawn'],
  ...['sending', 'retrying', 'requested', 'refused'].map((status) => `cancel, ${status}`),
  ...['record-written', 'record-failed', 'record-removed', 'leader-gained', 'leader-lost'],
  ...['visible', 'hidden', 'frozen', 'restored', 'online', 'offline'].map((state) => `page, ${state}`),
  ...['completed', 'failed', 'cancelled'].map((phase) => `call-settled, ${phase}`),
]

/** In how many schedules each pair of a stage and of what happened in it came up. */
export type Coverage = Record<string, number>

const pairOf = (stage: string, kind: string) => `${stage} · ${kind}`

/** Notes the pairs that a client goes through. */
export function watchCoverage(client: TaskClient, reached: Set<string>): void {
  const stages = new Map<string, string>()
  client.observe((observation) => {
    const { calls } = client.store.getState()
    if (!('callId' in observation)) {
      for (const call of Object.values(calls)) reached.add(pairOf(call.phase, kindOf(observation)))
      return
    }
    const { callId } = observation
    reached.add(pairOf(stages.get(callId) ?? 'none', kindOf(observation)))
    stages.set(callId, stageOf(calls[callId]))
  })
}

function stageOf(call: ToolCallState | undefined): string {
  return call?.phase ?? 'none'
}

function kindOf(observation: TaskClientObservation): string {
  switch (observation.type) {
    case 'poll-sent':
      return `poll-sent, ${observation.reason}`
    case 'poll-answered':
    case 'push-event':
    case 'tab-event':
    case 'cancel':
      return `${observation.type}, ${observation.status}`
    case 'poll-failed':
      return `poll-failed, ${observation.kind}`
    case 'call-settled':
      return `call-settled, ${observation.phase}`
    case 'page':
      return `page, ${observation.state}`
    default:
      return observation.type
  }
}

export function addCoverage(coverage: Coverage, pairs: Iterable<readonly [pair: string, schedules: number]>): void {
  for (const [pair, schedules] of pairs) coverage[pair] = (coverage[pair] ?? 0) + schedules
}

/** What never happened, in whichever stage. */
export function neverReached(coverage: Coverage): string[] {
  return KINDS.filter((kind) => !STAGES.some((stage) => coverage[pairOf(stage, kind)]))
}

/** What was reached in a line or two: how many pairs, the rarest ones, and what never happened at all. */
export function formatReached(coverage: Coverage): string {
  const pairs = Object.entries(coverage)
  const never = neverReached(coverage)
  const once = pairs.filter(([, schedules]) => schedules === 1).map(([pair]) => pair)
  return [
    `${pairs.length} pairs of a stage and of what happened in it were reached; ${once.length} of them by one schedule only.`,
    `No schedule reached: ${never.length === 0 ? 'none' : never.join('; ')}.`,
  ].join('\n')
}

/** Schedules by what happened and by the stage of the call in that page. An empty cell was never reached. */
export function formatCoverage(coverage: Coverage): string {
  const rows = KINDS.map((kind) => [kind, ...STAGES.map((stage) => coverage[pairOf(stage, kind)] ?? '')])
  return table(['what happened, by the stage of the call', ...STAGES], rows)
}
