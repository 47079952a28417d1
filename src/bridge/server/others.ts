import { amongProcesses } from '../../core/client/amongProcesses.js'
import type { Channel, Environment } from '../../core/environment/environment.js'
import { isSame } from '../../core/record/show.js'
import { cancelElsewhere } from '../../core/run/requests.js'
import { type Cancellation, type CancelledTarget, createCancellations, readCancellation } from './cancellations.js'
import type { Session } from './session.js'
import { createUnwantedTasks, type UnwantedTasks } from './unwantedTasks.js'

/** The other processes of a backend. A call that a page cancels here may have been started in one of them. */
export interface Others {
  /** Hears from now on what they tell of this user. */
  listen(session: Session): void
  /** Sends them a message, and the same one again 10 seconds later. */
  tell(session: Session, callId: string, what: CancelledTarget): void
  /** True if it is known that this start of the user was cancelled at a process that had not got it. */
  hasCancelled(user: string, start: string): boolean
  readonly cancelBefore: UnwantedTasks['cancelBefore']
}

const NAME = 'taskwire:bridge:cancelled'

/** Asks the other processes to send their pending messages now. */
const ASK = 'taskwire:bridge:ask'

/** After so many ms each message is sent a second time, because a process misses messages while it has no connection. */
const AGAIN_MS = 10_000

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
export function createOthers(
  environment: Pick<Environment, 'now' | 'randomId' | 'setTimeout' | 'clearTimeout'>,
): Others {
  const { now, randomId, setTimeout, clearTimeout } = environment
  const channels = new Map<Environment['channel'], { readonly channel: Channel; readonly sessions: Set<Session> }>()
  /** The newest of each user, by the ids of their clients. `look`: looks for what was cancelled. */
  const sessions = new Map<string, { readonly session: Session; readonly look: () => void }>()
  const cancelled = createCancellations(now)
  const unwanted = createUnwantedTasks(cancelled, environment)
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
    // Pages cancel what they see.
    if (session?.feed.get(callId) === undefined || until === undefined) return
    const run = amongProcesses(session.client).run?.()
    if (run !== undefined) cancelElsewhere(run, callId, until)
  }

  function tellPending(): void {
    for (const [message, channel] of pending) channel.postMessage(message)
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
      const { look, stop } = unwanted.watch(session)
      sessions.set(session.client.id, { session, look })
      session.feed.listen(look, () => {
        stop()
        leave(session)
      })
    },
    tell: (session, callId, what) => {
      const { client, feed } = session
      const channel = feed.isOver ? undefined : channelOf(session)
      const isTold = () => [...pending.keys()].some((each) => each.callId === callId && isSame(each.what, what))
      // A page asks again and again for what is interrupted.
      if (channel === undefined || isTold()) return
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
    cancelBefore: unwanted.cancelBefore,
    hasCancelled: (user, start) => cancelled.of(user).some(({ what }) => 'start' in what && what.start === start),
  }
}
