import { parseCallToolResult } from '../protocol/callToolResult.js'
import { errorFromJson } from '../protocol/errorJson.js'
import { isTaskError } from '../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { isTerminalTask, parseDetailedTask } from '../protocol/task.js'
import { hasMembers, isCount, isTime, keptMembers, type Members, type ReadTask, readCallRecord } from './codec.js'
import type { CallRecord, Outcome, PollFailure, TaskRecord } from './record.js'

// What tabs tell each other beyond what is kept. Apart from the format of storage, so that a page without tabs ships none of it.

/** What is kept of a record, with everything that other tabs are to know, as plain data for `postMessage`. Errors travel as JSON. */
export function tellCallRecord(record: CallRecord, outcome?: Outcome): JsonObject {
  const body = keptMembers(record)
  const { task } = record
  if (task === undefined) return { ...body, outcome: outcome && tellOutcome(outcome) }
  const { statusMessage, progress, _meta } = task.task
  const { heardAt, sentAt, triedAt, pollingUntil, believedFrom, retryAt, quietUntil } = task
  const { failure, end, inputRequests, idlePolls } = task
  return {
    ...body,
    task: {
      ...(body['task'] as JsonObject),
      ...{ statusMessage, progress, _meta, inputRequests, idlePolls },
      ...{ heardAt, sentAt, triedAt, pollingUntil, believedFrom, retryAt, quietUntil },
      failure: failure && { ...failure, error: errorJson(failure.error) },
      ...(end &&
        ('task' in end ? { ...end.task, endedAt: end.at } : { endError: errorJson(end.error), endedAt: end.at })),
    },
  }
}

function tellOutcome(outcome: Outcome): JsonObject {
  return 'error' in outcome ? { error: errorJson(outcome.error) } : { result: outcome.result }
}

function errorJson(error: Error): JsonObject {
  return isTaskError(error) ? error.toJSON() : { name: error.name, message: error.message }
}

/** The record that another tab has told. Undefined for what is none, or of another version. */
export function readToldRecord(body: unknown, now: number): CallRecord | undefined {
  return readCallRecord(body, now, readTold)
}

const readTold: ReadTask = (record, body) => ({
  ...record,
  ...readStatus(body),
  failure: readFailure(body['failure']),
  idlePolls: isCount(body['idlePolls']) ? body['idlePolls'] : 0,
})

/** What the status of the task carries. The outcome of a task that was created in its end is known with the first response to a poll. */
function readStatus(body: JsonObject): Partial<Pick<TaskRecord, 'inputRequests' | 'end'>> {
  const { endedAt, endError } = body
  const isAsking = body['status'] === 'input_required' && body['inputRequests'] !== undefined
  const isEnded = endedAt !== undefined && endError === undefined
  const task = isAsking || isEnded ? parseDetailedTask(body, 'other') : undefined
  return {
    ...(task?.status === 'input_required' && { inputRequests: task.inputRequests }),
    ...(isTime(endedAt) && endError !== undefined && { end: { at: endedAt, error: errorFromJson(endError) } }),
    ...(isTime(endedAt) && task && isTerminalTask(task) && { end: { at: endedAt, task } }),
  }
}

/** The outcome that came with a record, where the call became no task. */
export function readOutcome(value: unknown): Outcome | undefined {
  if (!isJsonObject(value)) return undefined
  if ('error' in value) return { error: errorFromJson(value['error']) }
  const parsed = parseCallToolResult(value['result'])
  return 'result' in parsed ? { result: parsed.result } : undefined
}

const FAILURE: Members = {
  network: (value) => value === 'retrying' || value === 'paused',
  count: isCount,
  // Tabs of an earlier version do not tell it.
  unreached: (value) => value === undefined || isCount(value),
  violations: isCount,
  refusals: isCount,
}

function readFailure(value: unknown): PollFailure | undefined {
  if (value === undefined) return undefined
  if (!isJsonObject(value) || !hasMembers(value, FAILURE)) throw new TypeError('no failure of a poll')
  const { network, count, unreached = count, violations, refusals, error } = value as unknown as PollFailure
  return { error: errorFromJson(error), network, count, unreached, violations, refusals }
}
