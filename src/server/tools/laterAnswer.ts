import {
  type CallToolResult,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
} from '@modelcontextprotocol/server'
import { isTerminal } from '../../core/protocol/task.js'
import { sleep } from '../base/sleep.js'
import type { Exchange } from '../http/exchange.js'
import { ownerOf } from '../http/ownerOf.js'
import { requestParams } from '../http/requestParams.js'
import type { ServerParts } from '../serverParts.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import { openInputRequests } from '../tasks/taskReducer.js'
import { fromStore, unavailable } from '../tasks/unavailable.js'
import { inputResponsesOf } from './inputResponsesOf.js'
import { createLegacyAsker } from './legacyInput.js'
import { createProgressNotifier } from './progressNotifier.js'

/** Before the id of the task in a `requestState`, which the client sends back with its responses. */
const STATE_PREFIX = 'dev.taskwire/call:'

/** The body of a request without the `requestState` of a call that continues: to the SDK, that is one of the app's own. */
export function withoutOwnState(body: unknown): unknown {
  const { requestState, inputResponses, ...params } = requestParams(body)
  return isOwnState(requestState) ? { ...(body as object), params } : body
}

function isOwnState(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(STATE_PREFIX)
}

/**
 * The task of a call that continues, with the responses of this round; undefined where this is the first round.
 *
 * @throws {ProtocolError} if there is no such call, or a response does not fit its input request.
 */
export async function continuedCall(
  tool: string,
  exchange: Exchange,
  { runtime, config }: ServerParts,
): Promise<TaskRecord | undefined> {
  const params = requestParams(exchange.body)
  const { requestState } = params
  if (!isOwnState(requestState)) return undefined
  const taskId = requestState.slice(STATE_PREFIX.length)
  const record = await fromStore(runtime.read(taskId, await ownerOf(exchange, config)))
  if (record?.repetition?.isDirect !== true || record.tool !== tool) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: the call of this requestState has expired. Call again.')
  }
  const answers = inputResponsesOf({ inputResponses: {}, ...params }, openInputRequests(record.task))
  if (Object.keys(answers).length > 0) await fromStore(runtime.answer(taskId, answers))
  return record
}

/**
 * Answers a call that continues as a task which its client does not see: with its outcome, or with the input requests that it has
 * come to. Where there is a `resultTool`, with a handle after `waitMs`.
 *
 * @throws {ProtocolError} what the call failed with.
 */
export async function answerLater(
  record: TaskRecord,
  exchange: Exchange,
  parts: ServerParts,
  waitMs?: number,
): Promise<CallToolResult | InputRequiredResult> {
  const found = await nextAnswer(record, exchange, parts, waitMs)
  if (found === 'running') return handleOf(record, parts)
  if (found?.task.status === 'input_required') {
    const requestState = `${STATE_PREFIX}${record.task.taskId}`
    // They were parsed when the tool asked.
    const inputRequests = found.task.inputRequests as NonNullable<InputRequiredResult['inputRequests']>
    return inputRequired({ inputRequests, requestState })
  }
  if (found?.task.status === 'completed') return found.task.result as CallToolResult
  if (found?.task.status === 'failed') {
    const { code, message, data } = found.task.error
    throw new ProtocolError(code, message, data)
  }
  throw new ProtocolError(
    INTERNAL_ERROR,
    found ? 'The call was cancelled.' : 'The call waited for input longer than it is kept.',
  )
}

async function nextAnswer(
  record: TaskRecord,
  exchange: Exchange,
  { runtime, config }: ServerParts,
  waitMs?: number,
): Promise<TaskRecord | 'running' | undefined> {
  const { clock, resultTool } = config
  const waiting = new AbortController()
  const onHangUp = () => waiting.abort(exchange.signal.reason)
  exchange.signal.addEventListener('abort', onHangUp, { once: true })
  const isAnswer = ({ task }: TaskRecord) =>
    isTerminal(task.status) || (task.status === 'input_required' && !exchange.isLegacy)
  const answer = runtime.whenOver(record, waiting.signal, isAnswer).catch((error: unknown) => {
    throw unavailable('The server cannot tell right now how the call ended. Send it again.', error)
  })
  const unfollow = tellWhile(record, exchange, runtime)
  try {
    if (resultTool === undefined || waitMs === undefined) return await answer
    const late = sleep(clock, waitMs, waiting.signal).then(() => 'running' as const)
    return await Promise.race([answer, late])
  } finally {
    unfollow()
    exchange.signal.removeEventListener('abort', onHangUp)
    waiting.abort()
    answer.catch(() => {})
  }
}

/** Sends the progress of a call that continues and, to clients of earlier revisions, its input requests. */
function tellWhile({ task }: TaskRecord, exchange: Exchange, runtime: ServerParts['runtime']): () => void {
  const notify = createProgressNotifier(exchange)
  const ask = exchange.isLegacy ? createLegacyAsker(exchange) : () => {}
  let isOver = false
  const onRecord = (record: TaskRecord) => {
    if (isOver) return
    ask(record)
    const { progress, statusMessage } = record.task
    if (progress !== undefined) notify(progress)
    else if (statusMessage !== undefined) notify({ message: statusMessage })
  }
  const unfollow = runtime.follow([task.taskId], { onRecord, onClose: () => {} })
  // What it has come to before. Where the store is away, the next change says it.
  void runtime.find(task.taskId).then((now) => now && onRecord(now), ignore)
  return () => {
    isOver = true
    unfollow()
  }
}

const ignore = () => {}

/** The text for a caller that should stop waiting. A model reads it, so it is in words. */
function handleOf({ task, tool }: TaskRecord, { config }: ServerParts): CallToolResult {
  const name = config.resultTool?.name ?? DEFAULT_RESULT_TOOL
  const text =
    `The tool ${tool} is still working. Its result is not there yet, and calling it again would start the work a second time. ` +
    `Call the tool ${name} with the handle "${task.taskId}" to wait for the result.`
  return { content: [{ type: 'text', text }] }
}

/** What the tool is called that plain callers get results by. */
export const DEFAULT_RESULT_TOOL = 'get_result'
