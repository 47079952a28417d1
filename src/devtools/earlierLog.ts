import type { CallObservation } from '../client/observe/events.js'

/** What was observed of calls before the page was reloaded, for the panel after it. */
export interface EarlierLog {
  /** What the page before has left, by the number of the client. */
  read(): readonly EarlierObservation[]
  write(observations: readonly EarlierObservation[]): void
}

export interface EarlierObservation {
  readonly client: number
  readonly observation: CallObservation
}

const KEY = 'taskwire-devtools:log'

/** As much as is kept: the latest observations, and of their JSON so many characters. */
const MAX = { observations: 300, characters: 200_000 }

/**
 * Keeps observations of calls in `sessionStorage`: of this tab, until it is closed. They name tasks by short hashes, as all
 * observations do. Nothing of the wire is kept, whose bodies hold what users type. A page whose storage is forbidden or
 * full keeps nothing.
 */
export function createEarlierLog(): EarlierLog {
  return {
    read: () => {
      try {
        const parsed: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
        return Array.isArray(parsed) ? parsed.filter(isEarlier).map(revived) : []
      } catch {
        return []
      }
    },
    write: (observations) => {
      try {
        const text = JSON.stringify(observations.slice(-MAX.observations).map(plain))
        if (text.length <= MAX.characters) sessionStorage.setItem(KEY, text)
        else sessionStorage.removeItem(KEY)
      } catch {
        // Then the panel begins anew.
      }
    },
  }
}

/** An error as what is shown of it: its class and its message, which names no task. */
function plain({ client, observation }: EarlierObservation): unknown {
  if (!('error' in observation) || observation.error === undefined) return { client, observation }
  const { name, message } = observation.error
  return { client, observation: { ...observation, error: { name, message } } }
}

function revived({ client, observation }: EarlierObservation): EarlierObservation {
  if (!('error' in observation) || observation.error === undefined) return { client, observation }
  const { name, message } = observation.error
  return { client, observation: { ...observation, error: Object.assign(new Error(String(message)), { name }) } }
}

function isEarlier(value: unknown): value is EarlierObservation {
  const { client, observation } = Object(value) as { client?: unknown; observation?: unknown }
  const { type, at, callId } = Object(observation) as { type?: unknown; at?: unknown; callId?: unknown }
  return typeof client === 'number' && typeof type === 'string' && typeof at === 'number' && typeof callId === 'string'
}
