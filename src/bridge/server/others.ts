import { amongProcesses } from '../../core/client/amongProcesses.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { Channel, Environment } from '../../core/environment/environment.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { cancelElsewhere } from '../../core/run/requests.js'
import type { Session } from './session.js'

/** A cancellation of a call that the process which has got it does not know. */
export interface CancelledElsewhere {
  /** The id of the client. */
  readonly user: string
  readonly callId: string
  /** The id of the request with the start that was cancelled. */
  readonly start?: string | undefined
  /** Where it was no start: a run that was started later is another one, in ms since the epoch. */
  readonly until?: number | undefined
}

/** The other processes of a backend: any of them may have what this one is asked to cancel. */
export interface Others {
  /** Hears from now on what they tell of this user. */
  listen(session: Session): void
  /** Tells them, and once more a while later. */
  tell(session: Session, cancelled: Omit<CancelledElsewhere, 'user'>): void
  /** True if another process has told that this start was cancelled. */
  hasCancelled(start: string): boolean
}

const NAME = 'taskwire:bridge:cancelled'

/** When they are told once more, in ms: a message is lost while its receiver has no connection. */
const AGAIN_MS = 10_000

/** How many cancelled starts are remembered. They come at once, or when a process thaws. */
const MAX_STARTS = 1000

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
export function createOthers({ setTimeout, clearTimeout }: Pick<Environment, 'setTimeout' | 'clearTimeout'>): Others {
  const channels = new Map<Environment['channel'], Channel>()
  /** By the ids of their clients. */
  const sessions = new Map<string, Session>()
  const starts = new Set<string>()

  async function hear(said: unknown): Promise<void> {
    const told = readCancelled(said)
    if (told === undefined) return
    const { user, callId, start } = told
    const session = sessions.get(user)
    if (start !== undefined) note(start)
    const until = start === undefined ? told.until : (await session?.doneOf(start))?.startedAt
    // Pages cancel what they see.
    if (session?.feed.get(callId) === undefined || until === undefined) return
    const run = amongProcesses(session.client).run?.()
    if (run !== undefined) cancelElsewhere(run, callId, until)
  }

  function note(start: string): void {
    starts.add(start)
    const [oldest] = starts
    if (starts.size > MAX_STARTS && oldest !== undefined) starts.delete(oldest)
  }

  function channelOf(client: TaskClient): Channel | undefined {
    const { channel: open } = amongProcesses(client)
    const known = channels.get(open)
    if (known !== undefined || open === undefined) return known
    const opened = open(NAME)
    opened.onMessage((said) => void hear(said))
    channels.set(open, opened)
    return opened
  }

  /** An open channel keeps a process alive. */
  function leave({ client }: Session): void {
    const { channel } = amongProcesses(client)
    if ([...sessions.values()].some((other) => amongProcesses(other.client).channel === channel)) return
    channels.get(channel)?.close()
    channels.delete(channel)
  }

  return {
    listen: (session) => {
      const { id } = session.client
      channelOf(session.client)
      sessions.set(id, session)
      session.feed.listen(
        () => {},
        () => {
          if (sessions.get(id) !== session) return
          sessions.delete(id)
          leave(session)
        },
      )
    },
    tell: ({ client, feed }, cancelled) => {
      const channel = channelOf(client)
      if (channel === undefined) return
      const post = () => channel.postMessage({ ...cancelled, user: client.id })
      post()
      const timer = setTimeout(() => {
        stop()
        post()
      }, AGAIN_MS)
      const stop = feed.listen(
        () => {},
        () => clearTimeout(timer),
      )
    },
    hasCancelled: (start) => starts.has(start),
  }
}

function readCancelled(said: unknown): CancelledElsewhere | undefined {
  if (!isJsonObject(said)) return undefined
  const { user, callId, start, until } = said
  if (typeof user !== 'string' || typeof callId !== 'string') return undefined
  if (typeof start === 'string') return { user, callId, start }
  return typeof until === 'number' ? { user, callId, until } : undefined
}
