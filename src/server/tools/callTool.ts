import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { supportsTasks } from '../../core/protocol/extension.js'
import { nextMacrotask } from '../base/nextMacrotask.js'
import type { Exchange } from '../http/exchange.js'
import { ownerOf } from '../http/ownerOf.js'
import { missingTasksCapability } from '../http/tasksCapability.js'
import type { ServerParts } from '../serverParts.js'
import type { TaskExecutor } from '../tasks/executor.js'
import { isLeased } from '../tasks/leases.js'
import { isLimitReached } from '../tasks/limitReached.js'
import type { TaskSpec } from '../tasks/newTaskRecord.js'
import { createTaskId } from '../tasks/taskId.js'
import type { TaskRun } from '../tasks/taskRun.js'
import { failedCall } from './callFailure.js'
import { callRecord } from './callRecord.js'
import { createPrepareContext, createToolContext } from './createToolContext.js'
import type { TaskDecision, ToolDefinition } from './defineTool.js'
import { answerLater, continuedCall } from './laterAnswer.js'
import { callPlainly, type PlainCallOptions } from './plainCall.js'
import { answerAgain, earlierCall, type KeyedCall, keyedCall } from './repeatedCall.js'
import { handleAfterMs } from './resultTool.js'
import { checked, sendable } from './sendableResult.js'

/** A call of a tool whose arguments the SDK has found to be valid. */
export interface ValidCall {
  readonly tool: ToolDefinition
  readonly args: unknown
  /** The SDK's own context of the request. */
  readonly ctx: ServerContext
  readonly exchange: Exchange
}

/**
 * Runs a tool, as a task or directly, and leaves in the exchange what has become of it: what is returned
 * goes through the SDK's checks of results first.
 */
export async function callTool(call: ValidCall, parts: ServerParts): Promise<CallToolResult | InputRequiredResult> {
  const { tool, exchange } = call
  try {
    if (exchange.isJob && exchange.run !== undefined) return await runTask(call, parts, exchange.run)
    const canBeTask = !exchange.isLegacy && supportsTasks(exchange.capabilities)
    if (tool.taskSupport === 'required' && !canBeTask) throw missingTasksCapability()
    const continued = await continuedCall(tool.name, exchange, parts)
    if (continued !== undefined)
      return await answerLater(continued, exchange, parts, handleAfterMs(tool, exchange, parts))
    const keyed = await keyedCall(exchange, parts)
    return await (keyed === undefined ? callOnce(call, parts, canBeTask) : callKeyed(call, parts, canBeTask, keyed))
  } catch (error) {
    throw failedCall(error, call, parts)
  }
}

const TOO_MANY_REQUESTS = 429

/** The first call with its key, or a repetition. Two that race are decided by the store: one of them creates the record. */
async function callKeyed(
  call: ValidCall,
  parts: ServerParts,
  canBeTask: boolean,
  keyed: KeyedCall,
): Promise<CallToolResult | InputRequiredResult> {
  const { exchange } = call
  const earlier = await earlierCall(keyed, parts)
  if (earlier !== undefined) return answerAgain(earlier, call, parts, canBeTask)
  try {
    return await callOnce(call, parts, canBeTask, keyed)
  } catch (error) {
    const other = exchange.run === undefined ? await earlierCall(keyed, parts) : undefined
    // An error of JSON-RPC would end the call for its client, which may send it again under its key.
    if (isLimitReached(error)) exchange.failureStatus = TOO_MANY_REQUESTS
    if (other === undefined) throw error
    return answerAgain(other, call, parts, canBeTask)
  }
}

function callOnce(...call: Parameters<typeof begin>): ReturnType<typeof begin> {
  const [, { runtime }] = call
  return runtime.track(begin(...call))
}

async function begin(
  call: ValidCall,
  parts: ServerParts,
  canBeTask: boolean,
  keyed?: KeyedCall,
): Promise<CallToolResult | InputRequiredResult> {
  const { tool, args } = call
  const { config } = parts
  const { executor } = config
  const early = await tool.prepare?.(args, createPrepareContext(call, parts))
  if (early !== undefined && (keyed === undefined || isInputRequiredResult(early))) return sendable(early, config)
  const decision = early === undefined && canBeTask && (await shallBeTask(call, parts))
  if (decision !== false) {
    if (executor !== undefined) return queueTask(call, parts, executor, keyed)
    if (decision !== true) return runAsTaskLater(call, parts, decision.afterMs, keyed)
    return runTask(call, parts, await startTask(call, parts, keyed))
  }
  call.exchange.isDirect = keyed !== undefined
  const run = keyed && (await startTask(call, parts, keyed))
  if (early !== undefined) return checked(early, config)
  const becomeTask = laterTask(call, parts)
  return callPlainly(call, parts, {
    run,
    begin(steps) {
      call.exchange.isDirect = true
      return becomeTask(steps)
    },
  })
}

async function shallBeTask({ tool, args, exchange }: ValidCall, { config }: ServerParts): Promise<TaskDecision> {
  if (tool.taskSupport !== 'optional') return tool.taskSupport === 'required'
  const { request, authInfo } = exchange
  const decision = (await config.augment?.({ name: tool.name, arguments: args, request, authInfo })) ?? true
  if (typeof decision === 'boolean' || (Number.isSafeInteger(decision.afterMs) && decision.afterMs > 0)) return decision
  throw new TaskConfigurationError(
    `Failed to begin a tool call: \`augment\` returned { afterMs: ${String(decision.afterMs)} }. ` +
      'Return true, false or { afterMs } with a whole number of ms above 0.',
  )
}

/** The client that comes again under its key gets the task, also where the first answer was the result. */
async function runAsTaskLater(
  call: ValidCall,
  parts: ServerParts,
  taskAfterMs: number,
  keyed?: KeyedCall,
): Promise<CallToolResult | InputRequiredResult> {
  const run = keyed && (await startTask(call, parts, keyed))
  // Until the client has the task, it gets the outcome.
  call.exchange.isDirect = keyed !== undefined
  return callPlainly(call, parts, { run, taskAfterMs, begin: laterTask(call, parts) })
}

/** Begins the task of a handler that works already: the same one where that is tried again, since the store may have taken the first. */
function laterTask(call: ValidCall, parts: ServerParts): PlainCallOptions['begin'] {
  let own: Pick<TaskSpec, 'taskId' | 'claim'> | undefined
  return (steps) => {
    own ??= { taskId: createTaskId(), claim: crypto.randomUUID() }
    return startTask(call, parts, undefined, { ...own, steps })
  }
}

async function startTask(
  call: ValidCall,
  parts: ServerParts,
  keyed?: KeyedCall,
  { steps, ...own }: Pick<TaskSpec, 'taskId' | 'claim' | 'steps'> = {},
): Promise<TaskRun> {
  const { tool, exchange } = call
  const { config, runtime } = parts
  // Other processes could run it again.
  const isKept = isLeased(config.store) && config.isRetried(tool)
  const spec = await specOf(call, parts, isKept, keyed)
  exchange.detach()
  exchange.run = await runtime.create({ ...spec, ...own, ...(isKept && { steps }) }, exchange.capabilities)
  return exchange.run
}

async function queueTask(
  call: ValidCall,
  parts: ServerParts,
  executor: TaskExecutor,
  keyed?: KeyedCall,
): Promise<CallToolResult> {
  const { exchange } = call
  const spec = await specOf(call, parts, true, keyed)
  exchange.detach()
  exchange.elsewhere = await parts.runtime.enqueue(spec, executor)
  // It is not read: the client gets the task instead.
  return { content: [] }
}

async function specOf(
  { tool, exchange }: ValidCall,
  { config }: ServerParts,
  isKept: boolean,
  keyed?: KeyedCall,
): Promise<TaskSpec> {
  return {
    ...(keyed && { taskId: keyed.taskId }),
    ...((keyed || exchange.isDirect) && {
      repetition: { requestHash: keyed?.requestHash ?? '', isDirect: exchange.isDirect },
    }),
    owner: keyed?.owner ?? (await ownerOf(exchange, config)),
    tool: tool.name,
    ttlMs: config.ttlOf(tool),
    pollIntervalMs: config.pollIntervalOf(tool),
    ...(isKept && { call: callRecord(exchange), keepFailedMs: config.keepFailedMs }),
  }
}

/**
 * The client is answered once the handler has to wait for something. What it has settled by then belongs to the
 * answer: the task is born with its outcome (SEP-2663, "Task Creation").
 */
async function runTask(call: ValidCall, parts: ServerParts, run: TaskRun): Promise<CallToolResult> {
  const { tool, args, exchange } = call
  let hasEnded = false
  let leave = () => {}
  void nextMacrotask().then(() => {
    if (!hasEnded) exchange.respondWith(run)
  })
  try {
    leave = await parts.config.slots.take(run.record.task.taskId, run.signal)
    const { task, repetition } = run.record
    const shownId = repetition?.isDirect === true ? undefined : task.taskId
    return checked(await tool.handler(args, createToolContext(call, parts, run, shownId)), parts.config)
  } finally {
    hasEnded = true
    leave()
  }
}
