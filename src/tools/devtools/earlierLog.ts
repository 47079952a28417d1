import type { CallObservation } from '../../core/client/observe/events.js'
import { plainObservation, readObservation } from './model/plainObservation.js'
import { tabMemory } from './tabMemory.js'

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

const kept = tabMemory('log')

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
        const parsed: unknown = JSON.parse(kept.read() ?? '[]')
        return Array.isArray(parsed) ? parsed.flatMap(readEarlier) : []
      } catch {
        return []
      }
    },
    write: (observations) => {
      const latest = observations.slice(-MAX.observations)
      const text = JSON.stringify(
        latest.map(({ client, observation }) => ({ client, observation: plainObservation(observation) })),
      )
      kept.write(text.length <= MAX.characters ? text : undefined)
    },
  }
}

function readEarlier(value: unknown): EarlierObservation[] {
  const { client, observation } = Object(value) as { client?: unknown; observation?: unknown }
  return typeof client === 'number' ? readObservation(observation).map((one) => ({ client, observation: one })) : []
}
