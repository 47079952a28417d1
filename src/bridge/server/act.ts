import type { TaskClient } from '../../core/client/taskClient.js'
import type { Environment } from '../../core/environment/environment.js'
import { TaskCancelledError, TaskInputError } from '../../core/protocol/errors.js'
import { describeTool } from '../../core/wire/jobs/describeTool.js'
import type { Answer, PageAction } from '../wire/messages.js'
import { type Acting, expectAllowed } from './acting.js'
import { cancel, isNotStarted } from './cancelling.js'
import { expectOpen, find, idOf, lookFor, unknown } from './finding.js'
import type { BridgeAction } from './options.js'
import type { ArrivedRequest } from './parseRequest.js'
import type { AnswerFor, Deed, Session } from './session.js'
import { start } from './starting.js'
import { isMadeSince, untilAsked, untilKnown, untilWritten } from './untilKnown.js'

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
export function act(session: Session, request: ArrivedRequest, how: Acting): Deed {
  const performed = perform(session, request, how)
  // What is remembered holds no call: that may be forgotten, and its arguments with it.
  const done = performed.then(({ callId: _, isFollowed: __, refusal: ___, ...answer }) => answer)
  return { done, answer: answerTo(performed, session, request, how.environment) }
}

async function answerTo(
  performed: Promise<Done>,
  session: Session,
  request: ArrivedRequest,
  environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
): Promise<AnswerFor> {
  const { feed } = session
  const { callId, isFollowed, refusal, ...answer } = await performed
  // Up to this number, the stream says what came of it.
  feed.update()
  const isElsewhere = (epoch: string | undefined) => epoch !== feed.position.epoch
  if (isFollowed && callId !== undefined) {
    await untilKnown(session, callId, isElsewhere(request.epoch) ? undefined : environment)
    await untilWritten(session, callId)
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

async function perform(session: Session, request: ArrivedRequest, how: Acting): Promise<Done> {
  const { client, feed } = session
  const { action, isRepeated = false } = request
  const { isAllowed, others, environment } = how
  switch (action.type) {
    case 'start': {
      const { name, key, arguments: args, repeat, seen, isLost = false, joins = false } = action
      await expectAllowed(how, { type: 'start', tool: name, ...(args && { arguments: args }) })
      const callId = client.toolCallId(name, key)
      const isCancelled = others.hasCancelled(client.id, request.id)
      // Another process may have taken it, and have answered in vain.
      if (isRepeated || isLost || joins || isCancelled) await client.resumeToolCalls({ callId })
      if (isCancelled && isNotStarted(client.getToolCallState(callId), seen)) throw new TaskCancelledError()
      const isKnown = client.getToolCallState(callId) !== undefined
      if (joins && !isKnown) throw unknown()
      if (isLost && !isKnown) await expectRepeatable(client, name)
      // What was made for a start that was cancelled is no call to join.
      const isUnwanted = !isCancelled && (await others.cancelBefore(session, callId, request.id))
      const asked = { ...action, repeat: isCancelled ? ('never' as const) : isUnwanted ? ('always' as const) : repeat }
      // The call that is there now is of another start: this one has made none yet, although it may have been sent before.
      const from = isUnwanted ? { ...request, isRepeated: false } : request
      return { ...(await start(client, asked, from)), callId, isFollowed: true }
    }
    case 'forget':
      await forget(session, request, action, how)
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
    case 'cancel':
      return cancel(session, action, how)
    case 'respond': {
      const { inputKey, response, run } = action
      const { state, call } = await find(session, action.call)
      const { callId } = call
      await expectAllowed(how, { type: 'respond', tool: state.name, inputKey })
      if (await isMadeSince(session, callId, run))
        throw new TaskInputError('The call that asked this has ended, and was made again since.')
      // Sent again, it may have come to an earlier process: the page may read the news of this one since.
      const isFromElsewhere = isRepeated || request.epoch !== feed.position.epoch
      if (isFromElsewhere) await untilAsked(session, callId, inputKey, environment)
      await call.respond(inputKey, response)
      return { callId }
    }
    case 'resume': {
      const { state, call } = await find(session, action.call)
      await expectAllowed(how, { type: 'resume', tool: state.name })
      return { callId: call.callId, isFollowed: request.epoch !== feed.position.epoch }
    }
  }
}

/** Whether a lost call has run is unknown: it is made again where the tool says that calling it twice does no harm. */
async function expectRepeatable(client: TaskClient, name: string): Promise<void> {
  const { annotations } = (await client.listTools()).find((tool) => tool.name === name) ?? {}
  if (!annotations?.readOnlyHint && !annotations?.idempotentHint) throw unknown()
}

async function forget(
  session: Session,
  { cameAt }: ArrivedRequest,
  { call, run, ageMs = 0 }: ActionOf<'forget'>,
  how: Acting,
): Promise<void> {
  const { client, feed } = session
  const askedAt = cameAt - ageMs
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
    if (call !== undefined) await expectAllowed(how, action)
    else if (!(await how.isAllowed(action))) continue
    // What another device has made since is not meant.
    const isSince =
      call === undefined ? (feed.get(callId)?.startedAt ?? 0) > askedAt : await isMadeSince(session, callId, run)
    if (!isSince) await client.forget({ callId })
  }
  expectOpen(session)
}
