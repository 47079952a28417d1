import type { TaskClient } from '../../core/client/taskClient.js'
import { TaskCancelledError } from '../../core/protocol/errors.js'
import type { Answer } from '../wire/messages.js'
import { createFeed, type Feed, type FeedOptions } from './feed.js'

/** How many actions of a user are remembered besides those that have no answer yet: a page repeats nothing that old. */
const MAX_ANSWERS = 1000

/** Makes the answer to a page that reads the news of this life of the backend. */
export type AnswerFor = (epoch: string | undefined) => Answer

/** An action of a page. */
export interface Deed {
  /** What came of it. Its answer may wait until other processes know. */
  readonly done: Promise<Partial<Answer>>
  readonly answer: Promise<AnswerFor>
}

/** What pages of one user have in common. */
export interface Session {
  readonly client: TaskClient
  readonly feed: Feed
  /** Resolves when the calls of an earlier life of the backend are known; undefined once they are. */
  ready: Promise<void> | undefined
  /** How many requests wait for that. */
  waiting: number
  /** Streams that are open. */
  streams: number
  /** How many actions run. */
  actions: number
  /** How many have no answer yet: also those that only wait until other processes know. */
  unanswered: number
  /** The answer to the action with this id, which is carried out unless it has come before. */
  once(id: string, act: () => Deed): Promise<AnswerFor>
  knows(id: string): boolean
  /**
   * What came of the action with this id, where it has come, once it is answered or its answer `isLate`; else undefined, and from now on it
   * is refused as cancelled.
   *
   * @throws what it was refused with.
   */
  prevent(id: string, isLate: () => Promise<void>): Promise<Partial<Answer> | undefined>
  /** What came of the action with this id, if it has come and was not refused. */
  doneOf(id: string): Promise<Partial<Answer> | undefined>
  /** Carries out again what was prevented. */
  allow(id: string): void
}

/** True once the client was closed, as it is when its process ends. */
export function isClosed({ client }: Session): boolean {
  return client.store.getState().connection.status === 'closed'
}

export interface SessionsOptions extends Omit<FeedOptions, 'epoch'> {
  readonly newEpoch: () => string
  readonly onSession: (session: Session) => void
  readonly onError: (thrown: unknown) => void
}

/** The session of each client, made when it is needed. One whose client was closed is not used again. */
export function createSessions({
  newEpoch,
  onSession,
  onError,
  ...options
}: SessionsOptions): (client: TaskClient) => Session {
  const sessions = new WeakMap<TaskClient, Session>()
  return (client) => {
    const known = sessions.get(client)
    if (known !== undefined && !known.feed.isOver) return known
    const session = createSession(client, createFeed(client, { ...options, epoch: newEpoch() }), onError)
    sessions.set(client, session)
    onSession(session)
    return session
  }
}

function createSession(client: TaskClient, feed: Feed, onError: (thrown: unknown) => void): Session {
  const deeds = new Map<string, Deed>()
  /** The ids of those that have an answer, the oldest first. */
  const answered = new Set<string>()

  function remember(id: string, deed: Deed): void {
    deeds.set(id, deed)
    const onAnswer = () => {
      if (deeds.get(id) === deed) answered.add(id)
      const [oldest] = answered
      if (answered.size > MAX_ANSWERS && oldest !== undefined) letGo(oldest)
    }
    deed.answer.then(onAnswer, onAnswer)
  }

  function letGo(id: string): void {
    deeds.delete(id)
    answered.delete(id)
  }

  const session: Session = {
    client,
    feed,
    ready: client
      .resumeToolCalls()
      .then(feed.update)
      .catch((thrown: unknown) => onError(thrown))
      .then(() => {
        session.ready = undefined
      }),
    waiting: 0,
    streams: 0,
    actions: 0,
    unanswered: 0,
    knows: (id) => deeds.has(id),
    once(id, act) {
      const known = deeds.get(id)
      if (known !== undefined) return known.answer
      const deed = act()
      const onDone = () => {
        session.actions -= 1
      }
      const onAnswer = () => {
        session.unanswered -= 1
      }
      session.actions += 1
      session.unanswered += 1
      deed.done.then(onDone, onDone)
      deed.answer.then(onAnswer, onAnswer)
      remember(id, deed)
      return deed.answer
    },
    allow: letGo,
    doneOf: async (id) => deeds.get(id)?.done.catch(() => undefined),
    prevent: async (id, isLate) => {
      const known = deeds.get(id)
      if (known !== undefined) {
        await Promise.race([known.answer, isLate()])
        return known.done
      }
      const refused = Promise.reject(new TaskCancelledError())
      refused.catch(() => {})
      remember(id, { done: refused, answer: refused })
      return undefined
    },
  }
  return session
}
