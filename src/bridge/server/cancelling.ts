import { TaskCancelledError, ToolCallInterruptedError } from '../../core/protocol/errors.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import type { Answer, CallRef, CancelledStart, PageAction } from '../wire/messages.js'
import { type Acting, expectAllowed } from './acting.js'
import type { CancelledTarget } from './cancellations.js'
import { callOf, expectOpen, find, idOf, lookFor } from './finding.js'
import type { Session } from './session.js'
import { isMadeSince, LATE_MS, LOOK_UP_MS, untilRunsAgain } from './untilKnown.js'

type CancelAction = Extract<PageAction, { type: 'cancel' }>

/** What came of a cancellation, and of which call. */
type Cancelled = Partial<Answer> & { readonly callId: string }

/** Cancels a call that a page sees, or what a start has made whose answer it has not got. */
export function cancel(session: Session, { call, start, run }: CancelAction, how: Acting): Promise<Cancelled> {
  return start === undefined ? cancelRun(session, call, run, how) : cancelStart(session, call, start, how)
}

/** @throws {ToolCallInterruptedError} if this process knows only that the call was sent, and not its task, or only the run before. */
async function cancelRun(session: Session, ref: CallRef, run: number | undefined, how: Acting): Promise<Cancelled> {
  const { client, feed } = session
  // While another process waits for the MCP server, its call is not found here, or only the run before.
  if (isEarlier(feed.get(idOf(client, ref)), run))
    await tellOthers(session, ref, { until: run ?? how.environment.now() }, how)
  const { state, call } = await find(session, ref)
  const { callId } = call
  if (isEarlier(state, run)) throw new ToolCallInterruptedError(state.name, { callId })
  await expectAllowed(how, { type: 'cancel', tool: state.name })
  if (await isMadeSince(session, callId, run)) return { callId }
  await untilRunsAgain(session, callId, how.environment)
  expectOpen(session)
  const known = client.getToolCall(callId)
  await expectKnown(session, ref, known?.getState(), how)
  await known?.cancel()
  return { callId }
}

/**
 * Cancels what a start has made whose answer the page has not got. If it has not come, it is refused from now on. After a restart, or in another
 * process, its call is known by the id of the start. A call that another start has made, and this one may have joined, is known by its time.
 *
 * ```text
 * page       start ─ lost ─ cancel() ─ ageMs ─▶ now
 * process A        tools/call ─ task ▪
 * process B                  └ at most LATE_MS later: it is that call
 * ```
 *
 * @throws {TaskCancelledError} if nothing was started, and nothing will be.
 */
async function cancelStart(session: Session, ref: CallRef, start: CancelledStart, how: Acting): Promise<Cancelled> {
  // With its task, it can be cancelled at the server.
  const isLate = () => new Promise<void>((resolve) => how.environment.setTimeout(resolve, LATE_MS))
  const answer = await session.prevent(start.id, isLate)
  try {
    return await cancelStarted(session, ref, start, answer, how)
  } catch (thrown) {
    if (answer === undefined && !(thrown instanceof TaskCancelledError)) session.allow(start.id)
    throw thrown
  }
}

async function cancelStarted(
  session: Session,
  ref: CallRef,
  { id, seen = Number.NEGATIVE_INFINITY, ageMs, sinceMs = Number.POSITIVE_INFINITY }: CancelledStart,
  answer: Partial<Answer> | undefined,
  how: Acting,
): Promise<Cancelled> {
  const { client, feed } = session
  const { environment } = how
  const callId = idOf(client, ref)
  const until = environment.now() - ageMs + LATE_MS
  if (answer === undefined && isNotStarted(feed.get(callId), seen)) {
    await tellOthers(session, ref, { start: id }, how)
    await lookFor(session, callId)
    if (isNotStarted(feed.get(callId), seen)) {
      // Another process may be making it.
      await new Promise<void>((resolve) => environment.setTimeout(resolve, LOOK_UP_MS))
      await client.resumeToolCalls({ callId })
      feed.update()
    }
  }
  const state = feed.get(callId)
  if (state === undefined || isNotStarted(state, seen)) throw new TaskCancelledError()
  const startedAt = answer?.startedAt ?? state.startedAt
  const latest = answer === undefined ? until : startedAt
  const earliest = answer === undefined ? Math.max(seen, environment.now() - sinceMs - LATE_MS) : seen
  const isMadeByIt = callOf(client, callId)?.startedFor === id
  if (!isMadeByIt && (state.startedAt > latest || state.startedAt < earliest)) throw new TaskCancelledError()
  await expectKnown(session, ref, state, how)
  await expectAllowed(how, { type: 'cancel', tool: state.name })
  expectOpen(session)
  // What has ended here may be running for this start elsewhere.
  if (isSettled(state) && !isMadeByIt) await tellOthers(session, ref, { start: id }, how)
  await client.getToolCall(callId)?.cancel()
  return { startedAt, ...(answer?.isNew && { isNew: true }), callId }
}

/**
 * The page that has the arguments of an interrupted call can make it again: then its task is known. Where that page is closed, the process that
 * was frozen while it made the call may go on with it.
 *
 * ```text
 * page       start ─ cancel() ─ ▪ closed
 * process A    intent ─ frozen ······················ tools/call ─ task
 * process B                      interrupted: told ──────────────────── tasks/cancel
 * ```
 */
async function expectKnown(
  session: Session,
  ref: CallRef,
  state: ToolCallState | undefined,
  how: Acting,
): Promise<void> {
  if (!(state?.error instanceof ToolCallInterruptedError)) return
  const start = callOf(session.client, state.callId)?.startedFor
  await tellOthers(session, ref, start === undefined ? { until: state.startedAt } : { start }, how)
  throw state.error
}

/** True where nothing is known of a start but a run before, which the page has seen. */
export function isNotStarted(state: ToolCallState | undefined, seen: number | undefined): boolean {
  return state === undefined || (state.endedAt !== undefined && seen !== undefined && state.startedAt <= seen)
}

/** True where nothing is known of the run that a page means, but maybe one before. */
function isEarlier(state: ToolCallState | undefined, run: number | undefined): boolean {
  return state === undefined || (state.endedAt !== undefined && run !== undefined && state.startedAt < run)
}

/** Tells the other processes: one of them may have the call, and wait for the MCP server, or be frozen. */
async function tellOthers(
  session: Session,
  ref: CallRef,
  what: CancelledTarget,
  { isAllowed, others }: Acting,
): Promise<void> {
  if (!('name' in ref) || !(await isAllowed({ type: 'cancel', tool: ref.name }))) return
  others.tell(session, idOf(session.client, ref), what)
}
