import type { CallObservation } from '../../../core/client/observe/events.js'

/** An observation as JSON: of an error what is shown of it, its class and its message, which names no task. */
export function plainObservation(observation: CallObservation): unknown {
  if (!('error' in observation) || observation.error === undefined) return observation
  const { name, message } = observation.error
  return { ...observation, error: { name, message } }
}

/** The observation that JSON has, in a list; an empty one where it has none, or one that cannot be put into words. */
export function readObservation(value: unknown): CallObservation[] {
  const { error, ...rest } = Object(value) as Record<string, unknown>
  const { type, at, callId, tool = '', inputKey = '', nextPollAt = at } = rest
  if (![type, callId, tool, inputKey].every((text) => typeof text === 'string')) return []
  if (!isTime(at) || !isTime(nextPollAt) || !Object.values(rest).every(isScalar)) return []
  if (TAKES_TIME.has(String(type)) && !Number.isFinite(rest['ms'])) return []
  if (error === undefined) return type === 'poll-failed' ? [] : [rest as unknown as CallObservation]
  const { name, message } = Object(error) as { name?: unknown; message?: unknown }
  if (typeof name !== 'string' || typeof message !== 'string') return []
  return [{ ...rest, error: Object.assign(new Error(message), { name }) } as unknown as CallObservation]
}

/** Observations that say how long something took. */
const TAKES_TIME: ReadonlySet<string> = new Set(['poll-answered', 'poll-failed', 'call-settled'])

/** As far from the epoch as a date can be, in ms. */
const FARTHEST_MS = 8.64e15

/** True for a time in ms since the epoch, or since something. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= FARTHEST_MS
}

const isScalar = (value: unknown) => typeof value !== 'object' || value === null
