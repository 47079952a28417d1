import { onAbort } from '../call/abort.js'
import type { DetailedTask } from '../protocol/task.js'

/** Polls of which there is one at a time for each task, whoever wants it. */
export interface SharedPolls {
  /** The answer to the poll that is under way, else to a new one. Aborting `signal` leaves the others waiting. */
  poll(id: string, signal: AbortSignal | undefined): Promise<DetailedTask>
  isUnderWay(id: string): boolean
  /** When the last one went out, ms since the epoch; undefined where none did. */
  lastAt(id: string): number | undefined
  forget(id: string): void
}

export interface SharedPollsOptions {
  readonly send: (id: string, signal: AbortSignal) => Promise<DetailedTask>
  readonly now: () => number
  /** Hears that one has been answered or has failed. */
  readonly onOver: (id: string) => void
}

interface Poll {
  readonly answer: Promise<DetailedTask>
  readonly abort: AbortController
  waiting: number
}

export function createSharedPolls({ send, now, onOver }: SharedPollsOptions): SharedPolls {
  const underWay = new Map<string, Poll>()
  const sentAt = new Map<string, number>()

  function start(id: string): Poll {
    sentAt.set(id, now())
    const abort = new AbortController()
    const answer = send(id, abort.signal).finally(() => {
      if (underWay.get(id) === poll) underWay.delete(id)
      onOver(id)
    })
    const poll: Poll = { answer, abort, waiting: 0 }
    underWay.set(id, poll)
    return poll
  }

  return {
    poll: async (id, signal) => {
      signal?.throwIfAborted()
      const poll = underWay.get(id) ?? start(id)
      poll.waiting += 1
      let release = () => {}
      try {
        return await new Promise<DetailedTask>((resolve, reject) => {
          if (signal) release = onAbort(signal, () => reject(signal.reason))
          poll.answer.then(resolve, reject)
        })
      } finally {
        release()
        poll.waiting -= 1
        if (poll.waiting === 0 && underWay.get(id) === poll) {
          underWay.delete(id)
          poll.abort.abort()
        }
      }
    },
    isUnderWay: (id) => underWay.has(id),
    lastAt: (id) => sentAt.get(id),
    forget: (id) => {
      sentAt.delete(id)
    },
  }
}
