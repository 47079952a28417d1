import { asError } from '../../core/protocol/asError.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { isLegacyCreateTaskResult, legacyTaskSupport, parseLegacyTask } from '../../core/protocol/legacyTask.js'
import { isTerminal, parseDetailedTask, parseTask, type Task } from '../../core/protocol/task.js'
import { describe, isInvalidParams, resultOf } from './answers.js'
import type { Followed, Spoken } from './meetServer.js'
import { modernMessage } from './messages.js'
import type { Poll, TaskRun } from './observed.js'

/** The tool to call, as `--tool` names it. */
export interface ToolToCall {
  readonly name: string
  readonly arguments: JsonObject
}

export interface FollowTaskOptions extends Spoken {
  readonly tool: ToolToCall
  /** How long a stream of the task is watched, in ms. */
  readonly watchMs: number
  /** Called after each poll. */
  readonly onPoll: (poll: Poll) => void
}

const DEFAULT_INTERVAL_MS = 1000

/** Calls a tool and polls its task to the end, as slowly as the server asks. */
export async function followTask(options: FollowTaskOptions): Promise<Followed> {
  const { asker, server, message, tool, watchMs, onPoll } = options
  const isModern = server.era === 'modern'
  const polls: Poll[] = []
  const ended = (outcome: TaskRun['outcome'], detail?: string, toolError?: string): TaskRun => ({
    tool: tool.name,
    outcome,
    detail,
    toolError,
    polls,
  })

  const params = { ...tool, ...((await isTaskOfOld(options)) && { task: {} }) }
  const called = await asker.send(message('tools/call', params))
  const result = resultOf(called)
  if (result === undefined) return { run: ended('refused', describe(called)), stream: undefined }
  const isTask = isModern ? result['resultType'] === 'task' : isLegacyCreateTaskResult(result)
  if (result['resultType'] === 'input_required') return { run: ended('asks'), stream: undefined }
  if (!isTask) {
    const said = saidByTool(result)
    return { run: ended('result', said, said), stream: undefined }
  }

  let task: Task
  try {
    task = isModern ? parseTask(result, 'tools/call') : parseLegacyTask(result['task'], 'tools/call')
  } catch (error) {
    return { run: ended('broken', asError(error).message), stream: undefined }
  }
  const startedAt = asker.now()
  const { taskId } = task
  const watched = isModern
    ? asker.watch(modernMessage('subscriptions/listen', { notifications: { taskIds: [taskId] } }), watchMs)
    : undefined

  async function poll(): Promise<TaskRun> {
    for (;;) {
      if (!isTerminal(task.status)) await asker.sleep(task.pollIntervalMs ?? DEFAULT_INTERVAL_MS)
      const sentAt = asker.now()
      const answer = await asker.send(message('tasks/get', { taskId }))
      const found = resultOf(answer)
      if (found === undefined) {
        return isInvalidParams(answer) ? ended('lost') : ended('broken', `tasks/get: ${describe(answer)}`)
      }
      try {
        task = isModern ? parseDetailedTask(found, 'tasks/get') : parseLegacyTask(found, 'tasks/get')
      } catch (error) {
        return ended('broken', asError(error).message)
      }
      const { status, statusMessage, pollIntervalMs } = task
      const times = { atMs: sentAt - startedAt, tookMs: asker.now() - sentAt }
      polls.push({ ...times, status, statusMessage, pollIntervalMs })
      onPoll(polls.at(-1) as Poll)
      if (status === 'completed') return ended(status, statusMessage, saidByTool(found['result']))
      if (status === 'failed') return ended(status, statusMessage, statusMessage ?? messageOf(found['error']))
      if (status === 'cancelled') return ended(status, statusMessage)
      if (status === 'input_required') {
        await asker.send(message('tasks/cancel', { taskId }))
        return ended('asks')
      }
      if (task.ttlMs !== null && asker.now() - startedAt > task.ttlMs) return ended('endless')
    }
  }
  const run = await poll()
  return { run, stream: await watched }
}

/** The message of a JSON-RPC error. */
function messageOf(error: unknown): string {
  const message = isJsonObject(error) ? error['message'] : undefined
  return typeof message === 'string' ? message.slice(0, 500) : 'it does not say why'
}

/** What a tool says that failed. */
function saidByTool(result: unknown): string | undefined {
  const { isError, content } = isJsonObject(result) ? result : {}
  if (isError !== true) return undefined
  const text = Array.isArray(content) ? content.map((block) => Object(block).text).find(Boolean) : undefined
  return typeof text === 'string' ? text.slice(0, 500) : 'isError'
}

/** A server of 2025-11-25 makes a task of a call only if it is asked to, and refuses where the tool cannot be one. */
async function isTaskOfOld({ asker, server, message, tool }: FollowTaskOptions): Promise<boolean> {
  if (server.era === 'modern' || !server.servesTasks) return false
  const tools = resultOf(await asker.send(message('tools/list', {})))?.['tools']
  const found = Array.isArray(tools) ? tools.find((one) => isJsonObject(one) && one['name'] === tool.name) : undefined
  return legacyTaskSupport(found) !== 'forbidden'
}
