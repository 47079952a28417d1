import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { ToolCallInterruptedError } from '../../core/protocol/errors.js'
import type { Answer, CallOnWire, PageAction } from '../wire/messages.js'
import { type Entry, isAwaited, isInterrupted, isStartUnanswered, type OwnCancel, runOf } from './entries.js'
import type { EntryBook } from './entryBook.js'
import { createKeptCancels, type KeptCancel } from './keptCancels.js'
import type { Mirror } from './mirror.js'
import type { PageCalls } from './pageCalls.js'
import type { Post } from './requests.js'

/** How long a page waits where the backend does not know yet what there is to be cancelled, in ms. */
const AGAIN_MS = 2000

export interface CancelsOptions {
  readonly environment: Pick<Environment, 'now' | 'randomId' | 'setTimeout' | 'storage'>
  /** The id of the client: what it keeps is of one backend and scope. */
  readonly clientId: string
  readonly mirror: Pick<Mirror, 'user'>
  readonly post: Post
  readonly refresh: EntryBook['refresh']
  readonly takeAnswer: PageCalls['takeAnswer']
  /** Called with what the backend refuses a cancellation with. */
  readonly onRefused: (error: Error, callId: string) => void
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal
}

/** Cancellations. What the backend has not taken yet is kept in the browser for the next page. */
export interface Cancels {
  /** Asks the backend to cancel a call. */
  cancel(entry: Entry): Promise<void>
  /**
   * Asks the same in the place of the start of the call, which the backend has not answered. `user`: who has started it. `request`: that of the
   * app by default; `at`: when it was asked for, which tells the call of this start from a later one of its key.
   */
  cancelStart(entry: Entry, user?: string, request?: Pick<OwnCancel, 'id' | 'at'>): Promise<Answer>
  /**
   * Goes on with what an earlier page, or another tab, could not get through. Called with a call of which there is news, before it is shown. Of an
   * interrupted call, it is sent too: a process that was frozen while it made the call may go on with it, unless it hears of this.
   */
  resume(entry: Entry): void
  /** Resolves when the backend knows that an earlier page has cancelled a start of this call: what is started afterwards is not meant. */
  untilSent(callId: string): Promise<unknown> | undefined
  /** Removes what is kept of a call; without its id, of every call. */
  drop(callId?: string): void
  /** Removes what is kept of other users, and sends what is kept of starts. Called with the first news, and where another user has signed in. */
  sweep(): void
}

/**
 * ```text
 * page  cancel() ─ kept ─ offline ─ ▪ closed
 * next page                             news of the call ─ reads it: cancelling ─ sent, same id ─ answer ─ removed
 *
 * page  start ─ cancel() ─ kept ─ ▪ closed
 * next page                             first news, or a start of its own ─ sent, same id ─ answer ─ removed
 * ```
 */
export function createCancels({ environment, mirror, post, closing, ...options }: CancelsOptions): Cancels {
  const kept = createKeptCancels(`taskwire:bridge:${options.clientId}`, environment.storage, () => mirror.user)
  /** The ids of what this page has sent: where the storage does not let go of it, it is not sent again. */
  const sent = new Set<string>()
  /** The ids of what was sent in the place of a start, and answered. */
  const answered = new Set<string>()
  /** What is sent of an earlier page's starts, by the ids of their calls. */
  const sending = new Map<string, Promise<unknown>>()

  /** Keeps what is sent for the next page, unless that could take the call of another user for this one. */
  function keep(entry: Entry, id: string, at: number, user = mirror.user): void {
    const { callId, start, wire } = entry
    sent.add(id)
    const run = start?.run ?? wire?.startedAt
    if (isStartUnanswered(entry)) kept.keep(keptStart(entry, id, at, user))
    else if (user !== undefined && run !== undefined) kept.keep({ callId, id, at, user, run })
  }

  function set(entry: Entry | undefined, change: Partial<OwnCancel> | undefined): void {
    if (entry?.cancel === undefined) return
    entry.isCancelled ||= change?.told !== undefined
    entry.cancel = change && { ...entry.cancel, ...change }
    options.refresh(entry)
  }

  const retrying = (entry: Entry | undefined) => () => set(entry, { isRetrying: true })
  const drop = (callId: string): void => void (closing.aborted || kept.drop(callId))

  function cancel(entry: Entry, id: string = environment.randomId()): Promise<void> {
    const { isOver, callId } = entry
    if (isOver) return Promise.resolve()
    if (entry.cancel !== undefined) return entry.cancel.sent
    const at = environment.now()
    const isForStart = isStartUnanswered(entry)
    // Another one may sign in before it is sent.
    const { user } = mirror
    async function send(): Promise<void> {
      keep(entry, id, at, user)
      try {
        await entry.started
        if (entry.isOver || answered.has(id)) return
        // Another tab may have sent that for the start, to a process that knew nothing of it.
        const first = isForStart ? environment.randomId() : id
        const answer = await untilKnown(entry, environment, first, retrying(entry), (own) => {
          keep(entry, own, at, user)
          return post(cancelOfRun(entry), { id: own, user, onRetry: retrying(entry) })
        })
        if (answer === undefined) return
        set(entry, { told: answer })
        options.takeAnswer(entry, answer)
      } catch (error) {
        set(entry, undefined)
        // As for a call that had ended before.
        if (entry.isOver) return
        if (!closing.aborted) options.onRefused(asError(error), callId)
        throw error
      } finally {
        drop(callId)
      }
    }
    entry.cancel = { id, at, isRetrying: false, sent: send() }
    options.refresh(entry)
    return entry.cancel.sent
  }

  async function sendForStart(known: KeptCancel, entry?: Entry, ofRun?: PageAction): Promise<Answer> {
    const { id, user } = known
    const answer = await post((now) => ofRun ?? cancelOf(known, now), { id, user, onRetry: retrying(entry) })
    answered.add(id)
    set(entry, { told: answer })
    return answer
  }

  /** Sends what an earlier page has kept of a start, or of a run. */
  function sendKept(known: KeptCancel, entry?: Entry, ofRun?: PageAction): void {
    const { id, at, callId } = known
    sent.add(id)
    const done = sendForStart(known, entry, ofRun)
      .then(
        (answer) => entry && options.takeAnswer(entry, answer),
        () => set(entry, undefined),
      )
      .finally(() => drop(callId))
    sending.set(callId, done)
    if (entry !== undefined) entry.cancel = { id, at, isRetrying: false, sent: done }
  }

  return {
    cancel: (entry) => cancel(entry),
    cancelStart: async (entry, user = mirror.user, { id, at } = entry.cancel ?? { id: '', at: 0 }) =>
      sendForStart(keptStart(entry, id, at, user), entry),
    resume: (entry) => {
      const { callId, wire } = entry
      // Which run of the call it becomes is not known yet.
      if (wire === undefined || isAwaited(entry) || entry.cancel !== undefined) return
      const known = kept.find(callId)
      if (known === undefined || sent.has(known.id)) return
      const isWanted = isOfRun(known, wire) && isRunning(wire)
      if (known.start !== undefined) sendKept(known, isWanted ? entry : undefined)
      else if (isWanted) cancel(entry, known.id).catch(() => {})
      else if (isOfRun(known, wire) && isInterrupted(wire)) sendKept(known, undefined, cancelOfRun(entry))
      else drop(callId)
    },
    untilSent: (callId) => {
      const known = kept.find(callId)
      if (known?.start !== undefined && !sent.has(known.id)) sendKept(known)
      return sending.get(callId)
    },
    drop: (callId) => (callId === undefined ? kept.write([]) : kept.drop(callId)),
    sweep: () => {
      const all = kept.read()
      kept.write(all)
      for (const each of all) if (each.start !== undefined && !sent.has(each.id)) sendKept(each)
    },
  }
}

/**
 * Sends a cancellation until a process can do it: one that knows only that the call was sent cannot cancel what another one is making of
 * it. Undefined where the call has ended meanwhile.
 */
async function untilKnown(
  entry: Entry,
  { randomId, setTimeout }: Pick<Environment, 'randomId' | 'setTimeout'>,
  first: string,
  onUnknown: () => void,
  send: (id: string) => Promise<Answer>,
): Promise<Answer | undefined> {
  for (let id = first; !entry.isOver; id = randomId()) {
    try {
      return await send(id)
    } catch (error) {
      if (!(error instanceof ToolCallInterruptedError)) throw error
    }
    onUnknown()
    await new Promise<void>((resolve) => setTimeout(resolve, AGAIN_MS))
  }
  return undefined
}

function keptStart({ callId, ref, start }: Entry, id: string, at: number, user: string | undefined): KeptCancel {
  return { callId, id, at, user, ...ref, start: start?.id, since: start?.startedAt, seen: start?.seen }
}

/** Cancels the run that this page shows now, however late it gets through. */
function cancelOfRun(entry: Entry): PageAction {
  return { type: 'cancel', call: entry.ref, run: runOf(entry) }
}

/** Cancels a start that the backend has not answered. */
function cancelOf({ user, name = '', key = '', start: id = '', seen, ...kept }: KeptCancel, now: number): PageAction {
  const since = user === undefined && { sinceMs: now - (kept.since ?? 0) }
  return {
    type: 'cancel',
    call: { name, key },
    start: { id, ageMs: now - kept.at, ...since, ...(seen !== undefined && { seen }) },
  }
}

/** True for what is kept of the run that the news tell of. */
function isOfRun(
  { run = Number.POSITIVE_INFINITY, seen = Number.NEGATIVE_INFINITY }: KeptCancel,
  { startedAt }: CallOnWire,
): boolean {
  return startedAt <= run && startedAt >= seen
}

/** True for a call that has not ended, and is not being cancelled. */
function isRunning(wire: CallOnWire): boolean {
  return wire['endedAt'] === undefined && wire['isCancelling'] !== true
}
