import type { TaskClient, ToolCall } from '../../core/client/taskClient.js'
import type { Environment } from '../../core/environment/environment.js'
import {
  TaskCancelledError,
  TaskExpiredError,
  TaskInputError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../../core/protocol/errors.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import { describeTool } from '../../core/wire/jobs/describeTool.js'
import type { Answer, CallRef, CancelledStart, PageAction } from '../wire/messages.js'
import type { BridgeAction } from './options.js'
import type { ArrivedRequest } from './parseRequest.js'
import { type Deed, isClosed, type Session, type Tell } from './session.js'
import { start } from './starting.js'
import { isMadeSince, LATE_MS, LOOK_UP_MS, untilAsked, untilKnown, untilRunsAgain } from './untilKnown.js'

/** True where the page may do this. */
export type IsAllowed = (action: BridgeAction) => Promise<boolean>

type ActionOf<Type extends PageAction['type']> = Extract<PageAction, { type: Type }>

/** What came of an action, and of which call. */
interface Done extends Partial<Answer> {
  readonly callId?: string
  /** Where the page asks what becomes of the call, and not only for the action. */
  readonly isFollowed?: boolean
  /** Why it was refused, where that is found out while it is followed: another process may have made the call. */
  readonly refusal?: () => Error | undefined
}

/**
 * Does what a page asks for, with the client of its user: a call of another one is not found.
 *
 * A page may read the news of another process than the one that it asks. Those may come later than the answer, or not know of the
 * call before it has a task. So the answer has the call:
 *
 * ```text
 * process A   start ─ tools/call ────── task ─ answer, with the call
 * process B   news of before ··················· the record of A ─ news
 * ```
 *
 * The answer rejects with what the page gets instead of one. A page that asks once more is answered with how the call is by then.
 */
export function act(
  session: Session,
  request: ArrivedRequest,
  isAllowed: IsAllowed,
  environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>,
): Deed {
  const done = perform(session, request, isAllowed, environment)
  return { done, answer: answerTo(done, session, request, environment) }
}

async function answerTo(
  done: Promise<Done>,
  session: Session,
  request: ArrivedRequest,
  environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
): Promise<Tell> {
  const { feed } = session
  const { callId, isFollowed, refusal, ...answer } = await done
  // Up to this number, the stream says what came of it.
  feed.update()
  const isElsewhere = (epoch: string | undefined) => epoch !== feed.position.epoch
  if (isFollowed && callId !== undefined) {
    await untilKnown(session, callId, isElsewhere(request.epoch) ? undefined : environment)
    expectOpen(session)
  }
  const error = refusal?.()
  if (error !== undefined) throw error
  return (epoch) => {
    const told = { ...feed.position, ...answer }
    if (callId === undefined || !isElsewhere(epoch)) return told
    const call = feed.wireOf(callId)
    return { ...told, ...(call && { call }), user: session.client.id }
  }
}

async function perform(
  session: Session,
  request: ArrivedRequest,
  isAllowed: IsAllowed,
  environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>,
): Promise<Done> {
  const { client, feed } = session
  const { action, isRepeated = false } = request
  switch (action.type) {
    case 'start': {
      const { name, key, arguments: args, isLost = false } = action
      await expectAllowed(isAllowed, { type: 'start', tool: name, ...(args && { arguments: args }) })
      const callId = client.toolCallId(name, key)
      // Another process may have taken it, and have answered in vain.
      if (isRepeated || isLost) await client.resumeToolCalls({ callId })
      if (isLost && client.getToolCallState(callId) === undefined) await expectRepeatable(client, name)
      return { ...(await start(client, action, request)), callId, isFollowed: true }
    }
    case 'forget':
      await forget(session, action, isAllowed)
      return {}
    case 'connect':
      await client.connect()
      return {}
    case 'listTools': {
      // The backend follows jobs by their other tools: a model in the page that saw them would poll, too.
      const { jobs = [] } = client
      const tools = (await client.listTools()).filter(({ name }) => !jobs.some((job) => job.isInternal(name)))
      const allowed = await Promise.all(tools.map(({ name }) => isAllowed({ type: 'listTools', tool: name })))
      const described = tools.map((tool) => ({ ...tool, description: describeTool(tool, jobs) }))
      return { tools: described.filter((_, at) => allowed[at]) }
    }
    default: {
      const { type } = action
      if (action.type === 'cancel' && action.start !== undefined)
        return cancelStart(session, action.call, action.start, isAllowed, environment)
      const { state, call } = await find(session, action.call)
      const inputKey = action.type === 'respond' && { inputKey: action.inputKey }
      await expectAllowed(isAllowed, { type, tool: state.name, ...inputKey })
      const isLate = action.type !== 'resume' && (await isMadeSince(session, call.callId, action.run))
      if (action.type === 'cancel' && !isLate) await cancel(session, call.callId, environment)
      if (action.type === 'respond') {
        if (isLate) throw new TaskInputError('The call that asked this has ended, and was made again since.')
        // Sent again, it may have come to an earlier process: the page may read the news of this one since.
        const isFromElsewhere = isRepeated || request.epoch !== feed.position.epoch
        if (isFromElsewhere) await untilAsked(session, call.callId, action.inputKey, environment)
        await call.respond(action.inputKey, action.response)
      }
      const isFollowed = type === 'resume' && request.epoch !== feed.position.epoch
      return { callId: call.callId, isFollowed }
    }
  }
}

async function expectAllowed(isAllowed: IsAllowed, action: BridgeAction): Promise<void> {
  if (await isAllowed(action)) return
  throw new ToolCallRejectedError(
    `The backend of this app does not let pages ${action.type} calls of "${action.tool}". To let them, name the tool in ` +
      'the option `allow` of createTaskBridge.',
    { code: 403 },
  )
}

/**
 * Cancels what a start has made whose answer the page has not got. If it has not come, it is refused from now on. After a restart, or in another
 * process, its call is known by its time.
 *
 * ```text
 * page       start ─ lost ─ cancel() ─ ageMs ─▶ now
 * process A        tools/call ─ task ▪
 * process B                  └ at most LATE_MS later: it is that call
 * ```
 *
 * @throws {TaskCancelledError} if nothing was started, and nothing will be.
 */
async function cancelStart(
  session: Session,
  ref: CallRef,
  start: CancelledStart,
  isAllowed: IsAllowed,
  environment: Pick<Environment, 'now' | 'setTimeout'>,
): Promise<Done> {
  const callId = idOf(session.client, ref)
  // With its task, it can be cancelled at the server.
  const isLate = () => new Promise<void>((resolve) => environment.setTimeout(resolve, LATE_MS))
  const answer = await session.prevent(start.id, isLate)
  try {
    return await cancelStarted(session, callId, start, answer, isAllowed, environment)
  } catch (thrown) {
    if (answer === undefined && !(thrown instanceof TaskCancelledError)) session.allow(start.id)
    throw thrown
  }
}

async function cancelStarted(
  session: Session,
  callId: string,
  { seen = Number.NEGATIVE_INFINITY, ageMs, sinceMs = Number.POSITIVE_INFINITY }: CancelledStart,
  answer: Partial<Answer> | undefined,
  isAllowed: IsAllowed,
  environment: Pick<Environment, 'now' | 'setTimeout'>,
): Promise<Done> {
  const { client, feed } = session
  if (answer === undefined) {
    await lookFor(session, callId)
    if (feed.get(callId) === undefined) {
      // Another process may be about to make it.
      await new Promise<void>((resolve) => environment.setTimeout(resolve, LOOK_UP_MS))
      await lookFor(session, callId)
    }
  }
  const state = feed.get(callId)
  const startedAt = answer?.startedAt ?? state?.startedAt ?? 0
  const latest = answer === undefined ? environment.now() - ageMs + LATE_MS : startedAt
  const earliest = answer === undefined ? Math.max(seen, environment.now() - sinceMs - LATE_MS) : seen
  const isOther = state === undefined || state.startedAt > latest || state.startedAt < earliest
  if (isOther || (state.startedAt === seen && isSettled(state))) throw new TaskCancelledError()
  // The page that has its arguments can make it again: then its task is known.
  if (state.error instanceof ToolCallInterruptedError) throw state.error
  await expectAllowed(isAllowed, { type: 'cancel', tool: state.name })
  expectOpen(session)
  await client.getToolCall(callId)?.cancel()
  return { startedAt, ...(answer?.isNew && { isNew: true }), callId }
}

/** @throws {ToolCallInterruptedError} if this process knows only that the call was sent, and not its task. */
async function cancel(
  session: Session,
  callId: string,
  timers: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
): Promise<void> {
  await untilRunsAgain(session, callId, timers)
  expectOpen(session)
  const call = session.client.getToolCall(callId)
  const error = call?.getState().error
  if (error instanceof ToolCallInterruptedError) throw error
  await call?.cancel()
}

/** The call that a page names, where it sees it. */
async function find(session: Session, ref: CallRef): Promise<{ state: ToolCallState; call: ToolCall }> {
  const { client, feed } = session
  const callId = idOf(client, ref)
  await lookFor(session, callId)
  const state = feed.get(callId)
  const call = state && client.getToolCall(callId)
  if (state !== undefined && call !== undefined) return { state, call }
  throw unknown()
}

function unknown(): Error {
  const message = 'The backend of this app no longer knows this call. Start it again.'
  return new TaskExpiredError('unknown-task', { message })
}

/** A client that was closed meanwhile has no calls: nothing is to be concluded from that. */
function expectOpen(session: Session): void {
  if (isClosed(session)) throw unknown()
}

/** Whether a lost call has run is unknown: it is made again where the tool says that calling it twice does no harm. */
async function expectRepeatable(client: TaskClient, name: string): Promise<void> {
  const { annotations } = (await client.listTools()).find((tool) => tool.name === name) ?? {}
  if (!annotations?.readOnlyHint && !annotations?.idempotentHint) throw unknown()
}

/** Reads the records where this process does not know the call: another one may have made it since. */
async function lookFor({ client, feed }: Session, callId: string): Promise<void> {
  if (feed.get(callId) !== undefined) return
  await client.resumeToolCalls({ callId })
  feed.update()
}

function idOf(client: TaskClient, ref: CallRef): string {
  return 'id' in ref ? ref.id : client.toolCallId(ref.name, ref.key)
}

async function forget(session: Session, { call, run }: ActionOf<'forget'>, isAllowed: IsAllowed): Promise<void> {
  const { client, feed } = session
  if (call === undefined) {
    await client.resumeToolCalls()
    feed.update()
  } else {
    await lookFor(session, idOf(client, call))
  }
  for (const callId of call === undefined ? feed.callIds : [idOf(client, call)]) {
    // Another process may be about to record it: it hears of this, too.
    const tool = feed.get(callId)?.name ?? (call !== undefined && 'name' in call ? call.name : undefined)
    if (tool === undefined) continue
    const action: BridgeAction = { type: 'forget', tool }
    if (call !== undefined) await expectAllowed(isAllowed, action)
    else if (!(await isAllowed(action))) continue
    if (await isMadeSince(session, callId, run)) continue
    await client.forget({ callId })
  }
  expectOpen(session)
}
