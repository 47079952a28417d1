import type { CallObservation } from '../../core/client/observe/events.js'
import { plainObservation, readObservation } from './model/plainObservation.js'
import { tabMemory } from './tabMemory.js'

/** What was observed of calls before the page was reloaded, or the panel removed, for the next panel. */
export interface EarlierLog {
  /** What was kept, by the number of the client. */
  read(): readonly EarlierObservation[]
  write(observations: readonly EarlierObservation[]): void
}

export interface EarlierObservation {
  readonly client: number
  readonly observation: CallObservation
  /** True for what a page before a reload has seen. False where only the panel was put back. */
  readonly isEarlier: boolean
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
      const latest = observations.slice(-MAX.observations).map(textOf)
      let room = MAX.characters
      const fitting = latest.reverse().filter((text) => {
        room -= text.length + 1
        return room >= 0
      })
      kept.write(`[${fitting.reverse().join(',')}]`)
    },
  }
}

/** Removes what an earlier panel has kept. */
export function removeEarlierLog(): undefined {
  kept.write()
}

/** Tells the pages of a tab apart: the time when this one began to load. */
const pageNow = () => performance.timeOrigin

function textOf({ client, observation, isEarlier }: EarlierObservation): string {
  return JSON.stringify({
    client,
    ...(!isEarlier && { page: pageNow() }),
    observation: plainObservation(observation),
  })
}

function readEarlier(value: unknown): EarlierObservation[] {
  const { client, page, observation } = Object(value) as Record<string, unknown>
  if (typeof client !== 'number') return []
  return readObservation(observation).map((one) => ({ client, observation: one, isEarlier: page !== pageNow() }))
}
