import type { CallObservation } from '../../../core/client/observe/events.js'

/** An observation as JSON: of an error what is shown of it, its class and its message, which names no task. */
export function plainObservation(observation: CallObservation): unknown {
  if (!('error' in observation) || observation.error === undefined) return observation
  const { name, message } = observation.error
  return { ...observation, error: { name, message } }
}

/** The observation that JSON has, in a list; an empty one where it has none. */
export function readObservation(value: unknown): CallObservation[] {
  const { type, at, callId, error } = Object(value) as Record<string, unknown>
  if (typeof type !== 'string' || typeof at !== 'number' || typeof callId !== 'string') return []
  const observation = value as CallObservation
  if (error === undefined) return [observation]
  const { name, message } = Object(error) as { name?: unknown; message?: unknown }
  const revived = Object.assign(new Error(String(message)), { name: String(name) })
  return [{ ...observation, error: revived } as CallObservation]
}
