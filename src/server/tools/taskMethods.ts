import {
  INVALID_PARAMS,
  type McpServer,
  ProtocolError,
  type Result,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { supportsTasks } from '../../core/protocol/extension.js'
import type { JsonObject } from '../../core/protocol/json.js'
import { type DetailedTask, isTerminal } from '../../core/protocol/task.js'
import type { Exchange } from '../http/exchange.js'
import { ownerOf } from '../http/ownerOf.js'
import { requestParams } from '../http/requestParams.js'
import { missingTasksCapability } from '../http/tasksCapability.js'
import type { ServerParts } from '../serverParts.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import { isWaiting, openInputRequests } from '../tasks/taskReducer.js'
import { toWireTask } from '../tasks/toWireTask.js'
import { fromStore } from '../tasks/unavailable.js'
import { failedMethod } from './callFailure.js'
import { inputResponsesOf } from './inputResponsesOf.js'

/** The methods of the extension. */
export const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const

/**
 * Serves `tasks/get`, `tasks/update` and `tasks/cancel` on the SDK's server, which checks the envelope
 * and the headers, `Mcp-Name` included, before any of this runs.
 */
export function serveTaskMethods(server: McpServer, exchange: Exchange, parts: ServerParts): void {
  const { runtime } = parts
  const serve = (
    method: (typeof TASK_METHODS)[number],
    answer: (record: TaskRecord, params: JsonObject) => Promise<Result> | Result,
  ): void => {
    // With a schema of its own, the SDK lets a method through that its revision does not define.
    server.server.setRequestHandler(method, { params: anything }, async () => {
      assertDeclared(exchange)
      try {
        const params = requestParams(exchange.body)
        return await answer(await findTask(params, exchange, parts), params)
      } catch (error) {
        throw failedMethod(error, exchange, parts)
      }
    })
  }

  serve('tasks/get', (record) => toWireTask(asThingsStand(record, parts), exchange.capabilities))
  serve('tasks/update', async ({ task }, params) => {
    await fromStore(runtime.answer(task.taskId, inputResponsesOf(params, openInputRequests(task))))
    return {}
  })
  serve('tasks/cancel', async ({ task }) => {
    await fromStore(runtime.requestCancel(task.taskId))
    return {}
  })
}

/** The task with what only this process knows, and only now: its turn, and how busy we are. */
function asThingsStand(record: TaskRecord, { config }: ServerParts): DetailedTask {
  const { task, tool } = record
  if (isTerminal(task.status)) return task
  const pollIntervalMs = config.pollIntervalOf(config.toolsOf(record.owner).find(({ name }) => name === tool))
  const ahead = config.slots.ahead(task.taskId)
  if (ahead !== undefined) {
    return { ...task, pollIntervalMs, statusMessage: `Waiting for its turn: ${ahead} before it.` }
  }
  const atMost = jobsAhead(record, config)
  if (atMost === undefined) return { ...task, pollIntervalMs }
  return { ...task, pollIntervalMs, statusMessage: `Waiting for a worker: at most ${atMost} before it.` }
}

/**
 * How many jobs come before that of a task at most: no more than waited at a time when its own was among them, for jobs
 * are taken in the order in which they came. Unknown for work that begins again, whose job came later than its task.
 */
function jobsAhead(record: TaskRecord, { executor, waitingJobs }: ServerParts['config']): number | undefined {
  if (executor === undefined || !isWaiting(record) || record.attempt > 0) return undefined
  const waiting = waitingJobs.latest()
  if (waiting === undefined || waiting.at < Date.parse(record.task.createdAt)) return undefined
  return Math.max(0, waiting.count - 1)
}

/** Params are read from the body as it came: the SDK takes `inputResponses` out for purposes of its own. */
const anything: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'taskwire', validate: (value) => ({ value }) },
}

function assertDeclared({ capabilities }: Exchange): void {
  if (!supportsTasks(capabilities)) throw missingTasksCapability()
}

async function findTask({ taskId }: JsonObject, exchange: Exchange, parts: ServerParts): Promise<TaskRecord> {
  if (typeof taskId !== 'string') throw invalid('params.taskId is not a string')
  const owner = await ownerOf(exchange, parts.config)
  const record = await fromStore(parts.runtime.read(taskId, owner))
  // Unknown, expired and somebody else's: all the same from outside.
  if (record === undefined) throw invalid('there is no such task; it may have expired')
  return record
}

function invalid(problem: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: ${problem}`)
}
