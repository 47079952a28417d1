import type { ProtocolError } from '@modelcontextprotocol/server'
import { createTally } from '../base/tally.js'
import { limitReached } from '../tasks/limitReached.js'

/** How many streams may be open. */
export interface StreamLimits {
  readonly maxStreams: number
  readonly maxStreamsPerOwner: number
}

/** The streams that are open, by owner. */
export interface StreamPlaces {
  /**
   * Takes a place; the function that is returned gives it back, once however often it is called.
   *
   * @throws {ProtocolError} if none is left.
   */
  take(owner: string): () => void
  /** How many are taken. */
  readonly taken: number
}

/** Places of which none is taken. */
export function createStreamPlaces({ maxStreams, maxStreamsPerOwner }: StreamLimits): StreamPlaces {
  const open = createTally()
  return {
    get taken() {
      return open.total
    },
    take(owner) {
      if (open.of(owner) >= maxStreamsPerOwner) throw isFull(maxStreamsPerOwner)
      if (open.total >= maxStreams) throw isFull(maxStreams)
      open.add(owner)
      let isTaken = true
      return () => {
        if (isTaken) open.remove(owner)
        isTaken = false
      }
    },
  }
}

function isFull(limit: number): ProtocolError {
  return limitReached(`Too many streams are open (${limit}). End one, or poll.`)
}
