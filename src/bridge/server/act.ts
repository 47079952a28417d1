import type { TaskClient, ToolCall } from '../../core/client/taskClient.js'
import { TaskExpiredError, ToolCallKeyConflictError, ToolCallRejectedError } from '../../core/protocol/errors.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import { ANY_ARGUMENTS } from '../../core/run/keys.js'
import { describeTool } from '../../core/wire/jobs/describeTool.js'
import type { Answer, CallRef, PageAction, PageRequest } from '../wire/messages.js'
import type { BridgeAction } from './options.js'
import type { Session } from './session.js'

/** True where the page may do this. */
export type IsAllowed = (action: BridgeAction) => Promise<boolean>

type ActionOf<Type extends PageAction['type']> = Extract<PageAction, { type: Type }>

/**
 * Does what a page asks for, with the client of its user: a call of another one is not found.
 *
 * @throws what the page gets instead of an answer.
 */
export async function act(session: Session, request: PageRequest, isAllowed: IsAllowed): Promise<Answer> {
  const done = await perform(session, request, isAllowed)
  // Up to this number, the stream says what came of it.
  session.feed.update()
  return { ...session.feed.position, ...done }
}

async function perform(
  session: Session,
  { action, isRepeated = false }: PageRequest,
  isAllowed: IsAllowed,
): Promise<Partial<Answer> | undefined> {
  const { client } = session
  switch (action.type) {
    case 'start': {
      const { name, arguments: args } = action
      await expectAllowed(isAllowed, { type: 'start', tool: name, ...(args && { arguments: args }) })
      return start(client, action, isRepeated)
    }
    case 'forget':
      return forget(session, action, isAllowed)
    case 'connect':
      await client.connect()
      return undefined
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
      const { state, call } = find(session, action.call)
      const inputKey = action.type === 'respond' && { inputKey: action.inputKey }
      await expectAllowed(isAllowed, { type, tool: state.name, ...inputKey })
      if (action.type === 'cancel') await call.cancel()
      if (action.type === 'respond') await call.respond(action.inputKey, action.response)
      return undefined
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

/** Calls the tool, or joins the call of that key, as the client does for a page of its own. */
async function start(client: TaskClient, action: ActionOf<'start'>, isRepeated: boolean): Promise<Partial<Answer>> {
  const { name, key, arguments: args, meta, repeat, takesAny = false, seen } = action
  const callId = client.toolCallId(name, key)
  const before = client.getToolCallState(callId)
  // The backend has been started again since: a call that the page did not know of is the one that it asks for again.
  const isMade = isRepeated && before !== undefined && before.startedAt !== seen
  // Of an earlier life: gone on with, it is the same run. While it is looked for, it would look like another one.
  if (before?.phase === 'ended' && repeat === 'never') client.getToolCall(callId)
  const call = client.startToolCall(
    { name, ...(args && { arguments: args }) },
    {
      key,
      repeat: isMade ? 'never' : repeat,
      ...(meta && { meta }),
      ...((takesAny || isMade) && { [ANY_ARGUMENTS]: true }),
    },
  )
  let refusal: unknown
  call.result.catch((error: unknown) => {
    refusal = error
  })
  await Promise.resolve()
  const after = client.getToolCallState(callId)
  if (refusal instanceof ToolCallKeyConflictError || after === undefined) throw refusal
  const isNew = before === undefined || before.startedAt !== after.startedAt || (isSettled(before) && !isSettled(after))
  return { startedAt: after.startedAt, isNew }
}

/** The call that a page names, where it sees it. */
function find({ client, feed }: Session, ref: CallRef): { state: ToolCallState; call: ToolCall } {
  const callId = idOf(client, ref)
  const state = feed.get(callId)
  const call = state && client.getToolCall(callId)
  if (state !== undefined && call !== undefined) return { state, call }
  throw new TaskExpiredError('unknown-task', {
    message: 'The backend of this app no longer knows this call. Start it again.',
  })
}

function idOf(client: TaskClient, ref: CallRef): string {
  return 'id' in ref ? ref.id : client.toolCallId(ref.name, ref.key)
}

async function forget(
  { client, feed }: Session,
  { call }: ActionOf<'forget'>,
  isAllowed: IsAllowed,
): Promise<undefined> {
  for (const callId of call === undefined ? feed.callIds : [idOf(client, call)]) {
    const state = feed.get(callId)
    if (state === undefined) continue
    const action: BridgeAction = { type: 'forget', tool: state.name }
    if (call !== undefined) await expectAllowed(isAllowed, action)
    else if (!(await isAllowed(action))) continue
    await client.forget({ callId })
  }
}
