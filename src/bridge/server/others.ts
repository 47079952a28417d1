import { amongProcesses } from '../../core/client/amongProcesses.js'
import type { Channel, Environment } from '../../core/environment/environment.js'
import { cancelElsewhere, cancelFollowed } from '../../core/run/requests.js'
import type { Run } from '../../core/run/run.js'
import { type Cancellation, createCancellations, readCancellation, type Unknown } from './cancellations.js'
import type { Session } from './session.js'

/** The other processes of a backend. A call that a page cancels here may have been started in one of them. */
export interface Others {
  /** Hears from now on what they tell of this user. */
  listen(session: Session): void
  /** Sends them a message, and the same one again 10 seconds later. */
  tell(session: Session, callId: string, what: Unknown): void
  /** True if it is known that this start of the user was cancelled at a process that had not got it. */
  hasCancelled(user: string, start: string): boolean
}

const NAME = 'taskwire:bridge:cancelled'

/** Asks the other processes to send their pending messages now. */
const ASK = 'taskwire:bridge:ask'

/** After so many ms each message is sent a second time, because a process misses messages while it has no connection. */
const AGAIN_MS = 10_000

/** So many ms after its record is found, a call is cancelled by those that follow it: sooner, the process that has made the call does it. */
const FOLLOWED_MS = 2000

/**
 * ```text
 * page       start ─ cancel()
 * process A    waits for the server ·│········ told: not made
 * process B                         not known ─┘
 *
 * page       start ─────────── cancel()
 * process A    frozen, not read ·│········ told, or reads the start: not made
 * process B                     not known ─┘
 *
 * page       start ─────────── cancel()
 * process A    frozen, not read ·············· tools/call ─ task ─ killed before it is told
 * process B                     not known ······················ finds the record: tasks/cancel
 * ```
 */
export function createOthers({
  randomId,
  setTimeout,
  clearTimeout,
}: Pick<Environment, 'randomId' | 'setTimeout' | 'clearTimeout'>): Others {
  const channels = new Map<Environment['channel'], { readonly channel: Channel; readonly sessions: Set<Session> }>()
  /** The newest of each user, by the ids of their clients. `look`: looks for what was cancelled. */
  const sessions = new Map<string, { readonly session: Session; readonly look: () => void }>()
  const cancelled = createCancellations()
  /** Those whose call was found in a record. */
  const found = new WeakSet<Cancellation>()
  /** Messages that will be sent a second time, with the channel of each. */
  const pending = new Map<Cancellation, Channel>()

  async function hear(said: unknown): Promise<void> {
    if (said === ASK) return tellPending()
    const told = readCancellation(said)
    if (told === undefined || cancelled.of(told.user).some(({ id }) => id === told.id)) return
    cancelled.note(told)
    const { user, callId, what } = told
    const { session, look } = sessions.get(user) ?? {}
    look?.()
    const until = 'start' in what ? (await session?.doneOf(what.start))?.startedAt : what.until
    const run = session && runOf(session, callId)
    if (run !== undefined && until !== undefined) cancelElsewhere(run, callId, until)
  }

  function tellPending(): void {
    for (const [message, channel] of pending) channel.postMessage(message)
  }

  /** Looks some time after each change for what was cancelled and has been made by a process that is gone. */
  function watch(session: Session): void {
    let timer: unknown
    const lookNow = () => {
      timer = undefined
      for (const message of cancelled.of(session.client.id)) {
        const { callId, what } = message
        if (found.has(message) || !('start' in what)) continue
        const run = runOf(session, callId)
        if (run !== undefined && cancelFollowed(run, callId, what.start)) found.add(message)
      }
    }
    const look = () => {
      if (timer === undefined && cancelled.of(session.client.id).length > 0) timer = setTimeout(lookNow, FOLLOWED_MS)
    }
    sessions.set(session.client.id, { session, look })
    session.feed.listen(look, () => {
      clearTimeout(timer)
      leave(session)
    })
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
    if (sessions.get(session.client.id)?.session === session) sessions.delete(session.client.id)
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
      watch(session)
    },
    tell: (session, callId, what) => {
      const { client, feed } = session
      const channel = feed.isOver ? undefined : channelOf(session)
      if (channel === undefined) return
      const message: Cancellation = { id: randomId(), user: client.id, callId, what }
      cancelled.note(message)
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
    hasCancelled: (user, start) => cancelled.of(user).some(({ what }) => 'start' in what && what.start === start),
  }
}

/** What has the calls of a client, where its pages see the one that they cancel. */
function runOf({ client, feed }: Session, callId: string): Run | undefined {
  return feed.get(callId) && amongProcesses(client).run?.()
}
