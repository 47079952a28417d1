import type { TaskClient } from '../../core/client/taskClient.js'
import { TaskCancelledError } from '../../core/protocol/errors.js'
import type { Answer } from '../wire/messages.js'
import { createFeed, type Feed, type FeedOptions } from './feed.js'

/** How many answers of a user are remembered: a page repeats what was not answered, and nothing that old. */
const MAX_ANSWERS = 1000

/** What pages of one user have in common. */
export interface Session {
  readonly client: TaskClient
  readonly feed: Feed
  /** Resolves when the calls of an earlier life of the backend are known. */
  readonly ready: Promise<void>
  /** Streams that are open. */
  streams: number
  /** How many actions run. */
  actions: number
  /** The answer to the action with this id: that of before, where it has come before. */
  once(id: string, act: () => Promise<Answer>): Promise<Answer>
  knows(id: string): boolean
  /**
   * The answer to the action with this id, where it has come; else undefined, and from now on it is refused as cancelled.
   *
   * @throws what it was refused with.
   */
  prevent(id: string): Promise<Answer | undefined>
  /** Carries out again what was prevented. */
  allow(id: string): void
}

export interface SessionsOptions extends Omit<FeedOptions, 'epoch'> {
  readonly newEpoch: () => string
  readonly onError: (thrown: unknown) => void
}

/** The session of each client, made when it is needed. One whose client was closed is not used again. */
export function createSessions({ newEpoch, onError, ...options }: SessionsOptions): (client: TaskClient) => Session {
  const sessions = new WeakMap<TaskClient, Session>()
  return (client) => {
    const known = sessions.get(client)
    if (known !== undefined && !known.feed.isOver) return known
    const session = createSession(client, createFeed(client, { ...options, epoch: newEpoch() }), onError)
    sessions.set(client, session)
    return session
  }
}

function createSession(client: TaskClient, feed: Feed, onError: (thrown: unknown) => void): Session {
  const answers = new Map<string, Promise<Answer>>()

  function remember(id: string, answer: Promise<Answer>): void {
    answers.set(id, answer)
    const [oldest] = answers.keys()
    if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest)
  }

  return {
    client,
    feed,
    ready: client
      .resumeToolCalls()
      .then(feed.update)
      .catch((thrown: unknown) => onError(thrown)),
    streams: 0,
    actions: 0,
    knows: (id) => answers.has(id),
    once(id, act) {
      const known = answers.get(id)
      if (known !== undefined) return known
      const answer = act().finally(() => {
        this.actions -= 1
      })
      this.actions += 1
      remember(id, answer)
      return answer
    },
    allow: (id) => answers.delete(id),
    prevent: async (id) => {
      const known = answers.get(id)
      if (known !== undefined) return known
      const refused = Promise.reject(new TaskCancelledError())
      refused.catch(() => {})
      remember(id, refused)
      return undefined
    },
  }
}
