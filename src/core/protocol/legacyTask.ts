import { type CallToolResult, parseCallToolResult } from './callToolResult.js'
import type { TaskProtocolSource } from './errors.js'
import { isJsonObject, type JsonObject } from './json.js'
import { type OnProtocolIssue, parseTask, type Task } from './task.js'

/** `_meta` key that names the task a message belongs to (2025-11-25, "Related Task Metadata"). */
export const RELATED_TASK_META = 'io.modelcontextprotocol/related-task'

/** True where a server's capabilities let a `tools/call` become a task (2025-11-25, "Capabilities"). */
export function servesLegacyTasks(capabilities: unknown): boolean {
  return member(member(member(tasksOf(capabilities), 'requests'), 'tools'), 'call') !== undefined
}

/** True where a server's capabilities let a task be cancelled. */
export function cancelsLegacyTasks(capabilities: unknown): boolean {
  return member(tasksOf(capabilities), 'cancel') !== undefined
}

/** What a tool says of itself in `tools/list`, `forbidden` where it says nothing (2025-11-25, "Tool-Level Negotiation"). */
export function legacyTaskSupport(tool: unknown): 'required' | 'optional' | 'forbidden' {
  const support = member(member(tool, 'execution'), 'taskSupport')
  return support === 'required' || support === 'optional' ? support : 'forbidden'
}

/** True where a `tools/call` was answered by a nested task, whatever else stands beside it. */
export function isLegacyCreateTaskResult(result: JsonObject): boolean {
  return typeof member(result['task'], 'taskId') === 'string'
}

/**
 * Reads a task of 2025-11-25 into the vocabulary of today: `ttl` is `ttlMs`, `pollInterval` is
 * `pollIntervalMs`. Servers leave either out, or send null.
 *
 * @throws {TaskProtocolError} as {@link parseTask}.
 */
export function parseLegacyTask(value: unknown, source: TaskProtocolSource, onIssue?: OnProtocolIssue): Task {
  if (!isJsonObject(value)) return parseTask(value, source, onIssue)
  const { ttl, pollInterval, pollIntervalMs: _, ...task } = value
  const interval = pollInterval === undefined || pollInterval === null ? {} : { pollIntervalMs: pollInterval }
  return parseTask({ ...task, ttlMs: ttl ?? null, ...interval }, source, onIssue)
}

/** The task that a message belongs to, by its `params` or by a result. */
export function relatedTaskId(value: unknown): string | undefined {
  const taskId = member(member(member(value, '_meta'), RELATED_TASK_META), 'taskId')
  return typeof taskId === 'string' ? taskId : undefined
}

/** The same object without the name of its task: ids are capabilities, and the app has no use for this one. */
export function withoutRelatedTask<T extends JsonObject>(value: T): T {
  const { _meta: meta, ...rest } = value
  if (!isJsonObject(meta)) return value
  const { [RELATED_TASK_META]: _, ...others } = meta
  return (Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest) as T
}

/** The response to `tools/call` or `tasks/result`, else the name of what is wrong with it. */
export function parseLegacyResult(value: unknown): { result: CallToolResult } | { problem: string } {
  if (!isJsonObject(value)) return parseCallToolResult(value)
  // Both official SDKs read a missing content as an empty one.
  return parseCallToolResult({ content: [], ...withoutRelatedTask(value) })
}

function tasksOf(capabilities: unknown): unknown {
  return member(capabilities, 'tasks')
}

function member(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined
}
