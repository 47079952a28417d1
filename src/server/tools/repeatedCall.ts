import {
  type CallToolResult,
  INVALID_PARAMS,
  type InputRequiredResult,
  ProtocolError,
} from '@modelcontextprotocol/server'
import { IDEMPOTENCY_CONFLICT, IDEMPOTENCY_KEY_META } from '../../core/protocol/extension.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { canonicalJson } from '../base/canonicalJson.js'
import { digest } from '../base/digest.js'
import type { Exchange } from '../http/exchange.js'
import { ownerOf } from '../http/ownerOf.js'
import { requestParams } from '../http/requestParams.js'
import type { ServerParts } from '../serverParts.js'
import { keyedTaskId } from '../tasks/taskId.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import { unavailable } from '../tasks/unavailable.js'
import type { ValidCall } from './callTool.js'
import { answerLater } from './laterAnswer.js'
import { handleAfterMs } from './resultTool.js'

/** A call that its client may send again: which task it is, and what makes another one of it. */
export interface KeyedCall {
  readonly owner: string
  readonly taskId: string
  readonly requestHash: string
}

/** Shorter ones could be guessed: where there are no owners, the key is all it takes to get the outcome. */
const MIN_KEY_LENGTH = 16
const MAX_KEY_LENGTH = 256

/**
 * What the key says that a call came with; undefined where it came without one.
 *
 * @throws {ProtocolError} if the key cannot be one.
 */
export async function keyedCall(exchange: Exchange, { config }: ServerParts): Promise<KeyedCall | undefined> {
  const { name, arguments: args = {}, _meta } = requestParams(exchange.body)
  const key = isJsonObject(_meta) ? _meta[IDEMPOTENCY_KEY_META] : undefined
  if (key === undefined || exchange.isLegacy || config.idempotentCalls === false) return undefined
  if (typeof key !== 'string' || key.length < MIN_KEY_LENGTH || key.length > MAX_KEY_LENGTH) {
    throw invalid(
      `_meta["${IDEMPOTENCY_KEY_META}"] is not a text of ${MIN_KEY_LENGTH} to ${MAX_KEY_LENGTH} characters, drawn at random for each call`,
    )
  }
  const owner = await ownerOf(exchange, config)
  return { owner, taskId: keyedTaskId(owner, key), requestHash: digest(canonicalJson([name, args])) }
}

/**
 * The task of an earlier call with the same key; undefined where there is none.
 *
 * @throws {ProtocolError} if that was a call of another tool, or with other arguments.
 */
export async function earlierCall(
  { taskId, owner, requestHash }: KeyedCall,
  { runtime }: ServerParts,
): Promise<TaskRecord | undefined> {
  const record = await told(runtime.read(taskId, owner))
  if (record === undefined || record.repetition?.requestHash === requestHash) return record
  throw invalid(
    'the idempotency key belongs to a call of another tool or with other arguments. Repeat that call as it was, or draw a new key',
    { reason: IDEMPOTENCY_CONFLICT },
  )
}

/**
 * Answers a call that came before: with its task, or with its outcome, for which the client then waits.
 *
 * @throws {ProtocolError} what the first call failed with.
 */
export async function answerAgain(
  record: TaskRecord,
  { tool, exchange }: Pick<ValidCall, 'tool' | 'exchange'>,
  parts: ServerParts,
  canBeTask: boolean,
): Promise<CallToolResult | InputRequiredResult> {
  if (canBeTask && record.repetition?.isDirect !== true) {
    exchange.elsewhere = record
    // It is not read: the client gets the task instead.
    return { content: [] }
  }
  return answerLater(record, exchange, parts, handleAfterMs(tool, exchange, parts))
}

/** An error in the response would end the call for its client, which could then call again: HTTP 503 does not end it. */
async function told<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw unavailable('The server cannot tell right now whether the call came before. Send it again.', error)
  }
}

function invalid(problem: string, data?: unknown): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: ${problem}`, data)
}
