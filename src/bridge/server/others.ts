import { amongProcesses } from '../../core/client/amongProcesses.js'
import type { Channel, Environment } from '../../core/environment/environment.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { cancelElsewhere } from '../../core/run/requests.js'
import type { Session } from './session.js'

/**
 * What was cancelled at a process that does not know it: a start, by the id of its request, or a run. `until`: when that was started, in ms since
 * the epoch.
 */
export type Unknown = { readonly start: string } | { readonly until: number }

/** A message of one process to the others. */
interface Cancellation {
  /** That of the message: it is sent twice. */
  readonly id: string
  /** The id of the client. */
  readonly user: string
  readonly callId: string
  readonly what: Unknown
}

/** The other processes of a backend. A call that a page cancels here may have been started in one of them. */
export interface Others {
  /** Hears from now on what they tell of this user. */
  listen(session: Session): void
  /** Sends them a message, and the same one again 10 seconds later. */
  tell(session: Session, callId: string, what: Unknown): void
  /** True if another process has told that this start of the user was cancelled. */
  hasCancelled(user: string, start: string): boolean
}

const NAME = 'taskwire:bridge:cancelled'

/** Asks the other processes to send their pending messages now. */
const ASK = 'taskwire:bridge:ask'

/** After so many ms each message is sent a second time, because a process misses messages while it has no connection. */
const AGAIN_MS = 10_000

/** How many messages are remembered: more than a user can have sent in a minute. */
const MAX_HEARD = 10_000

/**
 * ```text
 * page       start ─ cancel()
 * process A    waits for the server ·│········ told: not made
 * process B                         not known ─┘
 *
 * page       start ─────────── cancel()
 * process A    frozen, not read ·│········ told, or reads the start: not made
 * process B                     not known ─┘
 * ```
 */
export function createOthers({
  randomId,
  setTimeout,
  clearTimeout,
}: Pick<Environment, 'randomId' | 'setTimeout' | 'clearTimeout'>): Others {
  const channels = new Map<Environment['channel'], { readonly channel: Channel; readonly sessions: Set<Session> }>()
  /** The newest of each user, by the ids of their clients. */
  const sessions = new Map<string, Session>()
  /** The ids of messages, and of starts that were cancelled. */
  const heard = new Set<string>()

  /** Messages that will be sent a second time, with the channel of each. */
  const pending = new Map<Cancellation, Channel>()

  async function hear(said: unknown): Promise<void> {
    if (said === ASK) return tellPending()
    const told = readCancellation(said)
    if (told === undefined || heard.has(told.id)) return
    note(told.id)
    const { user, callId, what } = told
    if ('start' in what) note(startOf(user, what.start))
    const session = sessions.get(user)
    const until = 'start' in what ? (await session?.doneOf(what.start))?.startedAt : what.until
    // Pages cancel what they see.
    if (session?.feed.get(callId) === undefined || until === undefined) return
    const run = amongProcesses(session.client).run?.()
    if (run !== undefined) cancelElsewhere(run, callId, until)
  }

  function tellPending(): void {
    for (const [message, channel] of pending) channel.postMessage(message)
  }

  function note(id: string): void {
    heard.add(id)
    const [oldest] = heard
    if (heard.size > MAX_HEARD && oldest !== undefined) heard.delete(oldest)
  }

  function channelOf(session: Session): Channel | undefined {
    const { channel: open } = amongProcesses(session.client)
    const known = channels.get(open)
    known?.sessions.add(session)
    if (known !== undefined || open === undefined) return known?.channel
    const channel = open(NAME)
    channel.onMessage((said) => void hear(said))
    channels.set(open, { channel, sessions: new Set([session]) })
    // Messages of the last seconds were sent before this process listened.
    channel.postMessage(ASK)
    return channel
  }

  /** An open channel keeps a process alive. */
  function leave(session: Session): void {
    if (sessions.get(session.client.id) === session) sessions.delete(session.client.id)
    const { channel: open } = amongProcesses(session.client)
    const known = channels.get(open)
    if (!known?.sessions.delete(session) || known.sessions.size > 0) return
    known.channel.close()
    channels.delete(open)
  }

  return {
    listen: (session) => {
      if (session.feed.isOver) return
      channelOf(session)
      sessions.set(session.client.id, session)
      session.feed.listen(
        () => {},
        () => leave(session),
      )
    },
    tell: (session, callId, what) => {
      const { client, feed } = session
      const channel = feed.isOver ? undefined : channelOf(session)
      if (channel === undefined) return
      const message: Cancellation = { id: randomId(), user: client.id, callId, what }
      channel.postMessage(message)
      pending.set(message, channel)
      const forget = () => {
        stop()
        clearTimeout(timer)
        pending.delete(message)
      }
      const timer = setTimeout(() => {
        forget()
        channel.postMessage(message)
      }, AGAIN_MS)
      const stop = feed.listen(() => {}, forget)
    },
    hasCancelled: (user, start) => heard.has(startOf(user, start)),
  }
}

const startOf = (user: string, start: string) => `${user} ${start}`

function readCancellation(said: unknown): Cancellation | undefined {
  if (!isJsonObject(said) || !isJsonObject(said['what'])) return undefined
  const { id, user, callId, what } = said
  if (typeof id !== 'string' || typeof user !== 'string' || typeof callId !== 'string') return undefined
  if (typeof what.start === 'string') return { id, user, callId, what: { start: what.start } }
  return typeof what.until === 'number' ? { id, user, callId, what: { until: what.until } } : undefined
}
