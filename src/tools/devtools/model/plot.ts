import type { CallObservation } from '../../../core/client/observe/events.js'
import { lastOf } from './lastOf.js'

/** The polls of a call on an axis of time. Times are ms since the epoch. */
export interface Plot {
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
  /** After each response, how long the client waits, as the server has asked it or as a failure makes it. */
  readonly waits: readonly { readonly from: number; readonly to: number; readonly isAsked: boolean }[]
  readonly polls: readonly { readonly at: number; readonly isFailed: boolean }[]
  readonly pushes: readonly number[]
  readonly createdAt: number | undefined
  readonly nextPollAt: number | undefined
  readonly endedAt: number | undefined
}

/** A call that has just begun has a short past, and nothing is known of its future. */
const SHORTEST_MS = 4000
const LONGEST_MS = 60_000
/** Room on the right, so that the next poll can be seen coming. */
const AHEAD_MS = 1500
const STEPS_MS = [1000, 2000, 5000, 10_000, 15_000, 30_000]

/** The last minute of a call at the most. It follows the time until the call has ended. */
export function plotOf(observations: readonly CallObservation[], now: number): Plot {
  // A call that has ended can be made again, under the same key.
  const last = lastOf(observations, ({ type }) => type === 'call-settled' || BEGINS.has(type))
  const endedAt = last?.type === 'call-settled' ? last.at : undefined
  const first = observations[0]?.at ?? now
  const end = (endedAt ?? now) + AHEAD_MS
  const from = Math.max(first - 500, end - LONGEST_MS)
  const to = Math.max(end, from + SHORTEST_MS)
  const waits = waitsOf(observations)
  return {
    from,
    to,
    ticks: ticksOf(from, to),
    waits: waits.filter((wait) => wait.to > from).map((wait) => ({ ...wait, from: Math.max(wait.from, from) })),
    polls: pollsOf(observations).filter(({ at }) => at > from),
    pushes: observations.flatMap(({ type, at }) => (type === 'push-event' && at > from ? [at] : [])),
    createdAt: observations.find(({ type, at }) => type === 'task-created' && at > from)?.at,
    nextPollAt: endedAt === undefined ? lastOf(waits, (wait) => wait.to > now)?.to : undefined,
    endedAt,
  }
}

/** What happens to no call that has ended. */
const BEGINS: ReadonlySet<string> = new Set(['call-started', 'call-sent', 'task-created', 'task-resumed', 'poll-sent'])

const ENDS_A_WAIT: ReadonlySet<string> = new Set(['poll-sent', 'call-settled'])

/** A wait ends with the next poll, with the one that it was for, or with the call. After a reload that may be due already. */
function waitsOf(observations: readonly CallObservation[]): Plot['waits'] {
  const ends = nextOnes(observations, (one) => ENDS_A_WAIT.has(one.type) || 'nextPollAt' in one)
  return observations.flatMap((observation, index) => {
    if (!('nextPollAt' in observation) || observation.nextPollAt === undefined) return []
    if (observation.nextPollAt <= observation.at) return []
    const after = ends[index]
    const isAsked = observation.nextReason !== 'backoff'
    return [
      { from: observation.at, to: Math.min(observation.nextPollAt, after?.at ?? observation.nextPollAt), isAsked },
    ]
  })
}

function pollsOf(observations: readonly CallObservation[]): Plot['polls'] {
  const ends = nextOnes(observations, ({ type }) => type === 'poll-answered' || type === 'poll-failed')
  return observations.flatMap(({ type, at }, index) =>
    type === 'poll-sent' ? [{ at, isFailed: ends[index]?.type === 'poll-failed' }] : [],
  )
}

/** For each observation the first one after it that is meant. */
function nextOnes(
  observations: readonly CallObservation[],
  isMeant: (observation: CallObservation) => boolean,
): (CallObservation | undefined)[] {
  let next: CallObservation | undefined
  const backwards = [...observations].reverse().map((observation) => {
    const after = next
    if (isMeant(observation)) next = observation
    return after
  })
  return backwards.reverse()
}

function ticksOf(from: number, to: number): number[] {
  const step = STEPS_MS.find((ms) => (to - from) / ms <= 6) ?? LONGEST_MS
  // Not so near to an edge that it would cut the label.
  const margin = (to - from) * 0.07
  const first = Math.ceil((from + margin) / step) * step
  const count = Math.floor((to - margin - first) / step) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step)
}
