import type { CallObservation, PollReason } from '../../../core/client/observe/events.js'
import { withoutId } from '../../../core/protocol/text.js'
import { duration } from './format.js'

/** How something is coloured. */
export type Tone = 'active' | 'success' | 'warning' | 'danger' | 'neutral'

/** One thing that happened to a call. A poll and its response are one. */
export interface TimelineRow {
  readonly key: string
  readonly at: number
  readonly what: string
  /** Why a poll came when it did. */
  readonly why?: string
  /** How long it waited after the server was heard. */
  readonly waited?: string
  readonly outcome?: string
  /** When the next poll comes, and why then. */
  readonly next?: string
  /** True for what the page before a reload has seen. */
  readonly isEarlier?: true
  readonly tone: Tone
}

/** Why a poll comes when it does, for people. */
const REASONS: Record<PollReason, string> = {
  interval: 'server interval',
  'safety-interval': 'safety interval beside push',
  backoff: 'backoff after a failure',
  'retry-after': 'server said Retry-After',
  'back-online': 'back online',
  takeover: 'took over from another tab',
  hint: 'server hinted at news',
  resumed: 'resumed from a record',
}

/** What the first poll of a task in this page waits for, where it is no more than the interval. */
const FIRST = 'first poll, one server interval after the task was created'

const BEFORE_RELOAD = 'before the reload'

export interface TimelineOptions {
  /** True for what a page before a reload has seen. All of it comes first. */
  readonly isEarlier?: (observation: CallObservation) => boolean
  /** The task of the call: its id is not shown. */
  readonly taskId?: string | undefined
}

/** What happened to a call, oldest first. */
export function timelineOf(
  observations: readonly CallObservation[],
  { isEarlier = () => false, taskId }: TimelineOptions = {},
): TimelineRow[] {
  const { rows, count } = rowsOf(observations, isEarlier, taskId)
  if (count === 0) return rows
  const earlier = rows.slice(0, count).map((row): TimelineRow => {
    const isCutOff = row.what === 'Poll' && row.outcome === undefined
    const outcome = isCutOff ? 'no response before the page was left' : row.outcome
    return { ...row, ...(outcome && { outcome }), isEarlier: true, ...(isCutOff && { tone: 'neutral' }) }
  })
  const mark: TimelineRow = {
    key: 'reload',
    at: performance.timeOrigin,
    what: 'Reload',
    outcome: `older rows: ${BEFORE_RELOAD}`,
    tone: 'neutral',
  }
  return [...earlier, mark, ...rows.slice(count)]
}

/** The rows, and how many of them are of the page before. */
function rowsOf(
  observations: readonly CallObservation[],
  isEarlier: (observation: CallObservation) => boolean,
  taskId: string | undefined,
): { readonly rows: TimelineRow[]; readonly count: number } {
  const rows: TimelineRow[] = []
  let count = 0
  const keys = new Map<string, number>()
  let heardAt: number | undefined
  /** Where the poll is that has no response yet. */
  let open = -1
  let isNew = false
  for (const observation of observations) {
    const { at, type } = observation
    const key = uniqueKey(keys, `${at} ${type}`)
    // A response that comes after a reload is to a poll of this page.
    const asked = !isEarlier(observation) && open < count ? undefined : rows[open]
    isNew ||= type === 'task-created'
    if (observation.type === 'poll-sent') {
      const waited = heardAt === undefined ? {} : { waited: duration(at - heardAt) }
      const why = isNew && observation.reason === 'interval' ? FIRST : REASONS[observation.reason]
      open = rows.push({ key, at, what: 'Poll', why, ...waited, tone: 'active' }) - 1
      isNew = false
    } else if (isPollEnd(observation) && asked !== undefined) {
      rows[open] = { ...asked, ...pollEnd(observation) }
      open = -1
    } else {
      const { what, outcome, tone = 'neutral' } = describe(observation)
      // The key of an input request may name the task.
      const said = outcome && { outcome: withoutId(outcome, taskId) }
      rows.push({ key, at, what, ...said, ...nextOf(observation), tone })
    }
    if (isEarlier(observation)) count = rows.length
    if (isPollEnd(observation) || observation.type === 'task-created' || observation.type === 'push-event') heardAt = at
  }
  return { rows, count }
}

/** A key that stays what it is when older observations are let go of. */
function uniqueKey(keys: Map<string, number>, key: string): string {
  const count = keys.get(key) ?? 0
  keys.set(key, count + 1)
  return `${key} ${count}`
}

type PollEnd = Extract<CallObservation, { type: 'poll-answered' | 'poll-failed' }>

function isPollEnd(observation: CallObservation): observation is PollEnd {
  return observation.type === 'poll-answered' || observation.type === 'poll-failed'
}

function pollEnd(observation: PollEnd): Pick<TimelineRow, 'outcome' | 'next' | 'tone'> {
  const { outcome, tone = 'neutral' } = describe(observation)
  return { ...(outcome && { outcome }), ...nextOf(observation), tone }
}

function nextOf(observation: CallObservation): { next?: string } {
  if (!('nextPollAt' in observation) || observation.nextPollAt === undefined) return {}
  const { at, nextPollAt, nextReason = 'interval' } = observation
  return { next: `in ${duration(nextPollAt - at)}, ${REASONS[nextReason]}` }
}

interface Said {
  readonly what: string
  readonly outcome?: string
  readonly tone?: Tone
}

const MOMENTS: Partial<Record<CallObservation['type'], Said>> = {
  'call-started': { what: 'Call started' },
  'call-sent': { what: 'tools/call sent' },
  'task-resumed': { what: 'Task resumed', outcome: 'as a record or another tab names it' },
  'push-opened': { what: 'Push', outcome: 'the server begins to push' },
  'push-closed': { what: 'Push', outcome: 'the server no longer pushes', tone: 'warning' },
  'record-written': { what: 'Record', outcome: 'written' },
  'record-failed': { what: 'Record', outcome: 'could not be written', tone: 'danger' },
  'record-removed': { what: 'Record', outcome: 'removed' },
  'leader-gained': { what: 'Tabs', outcome: 'this tab polls from now on' },
  'leader-lost': { what: 'Tabs', outcome: 'another tab polls from now on' },
}

const INPUT: Partial<Record<CallObservation['type'], Said>> = {
  'input-asked': { what: 'Input request', outcome: 'asked', tone: 'warning' },
  'input-sent': { what: 'Input request', outcome: 'response sent' },
  'input-acknowledged': { what: 'Input request', outcome: 'response taken', tone: 'success' },
  'input-withdrawn': { what: 'Input request', outcome: 'withdrawn' },
  'input-rejected': { what: 'Input request', outcome: 'response rejected', tone: 'danger' },
}

const CANCEL = {
  sending: 'is being sent',
  retrying: 'is sent again: the server could not be reached',
  requested: 'accepted by the server',
  refused: 'refused by the server',
}

function describe(observation: CallObservation): Said {
  const { type } = observation
  switch (type) {
    case 'task-created': {
      const { pollIntervalMs, ttlMs } = observation
      const interval = pollIntervalMs === undefined ? 'no interval' : `interval ${duration(pollIntervalMs)}`
      return { what: 'Task created', outcome: `${interval}, kept ${ttlMs === null ? 'for good' : duration(ttlMs)}` }
    }
    case 'poll-answered':
      return { what: 'Poll', outcome: `${statusOf(observation)} in ${duration(observation.ms)}`, tone: 'success' }
    case 'poll-failed': {
      const { kind, error, failureCount, ms } = observation
      const outcome = `failure ${failureCount} (${kind}) after ${duration(ms)}: ${error.message}`
      return { what: 'Poll', outcome, tone: 'danger' }
    }
    case 'push-event':
      return { what: 'Push', outcome: statusOf(observation), tone: 'success' }
    case 'tab-event':
      return { what: 'Tabs', outcome: `another tab says: ${statusOf(observation)}` }
    case 'cancel':
      return { what: 'Cancellation', outcome: CANCEL[observation.status], tone: 'warning' }
    case 'call-settled': {
      const { phase, ms, error, isError } = observation
      const outcome = `${phase}${isError ? ', isError,' : ''} after ${duration(ms)}${error ? `: ${error.message}` : ''}`
      return { what: 'Call ended', outcome, tone: phase === 'completed' && !isError ? 'success' : 'danger' }
    }
    default: {
      const said = MOMENTS[type] ?? INPUT[type] ?? { what: type }
      return 'inputKey' in observation ? { ...said, outcome: `${observation.inputKey}: ${said.outcome}` } : said
    }
  }
}

function statusOf({ status, isUnchanged }: { status: string; isUnchanged: boolean }): string {
  return isUnchanged ? `${status}, nothing new` : status
}
