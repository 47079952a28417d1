import { asError } from '../../core/protocol/asError.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { isLegacyCreateTaskResult, legacyTaskSupport, parseLegacyTask } from '../../core/protocol/legacyTask.js'
import { isTerminal, parseDetailedTask, parseTask, type Task } from '../../core/protocol/task.js'
import { describe, isInvalidParams, resultOf } from './answers.js'
import { askForTools } from './askForTools.js'
import type { Followed, Spoken } from './meetServer.js'
import { modernMessage } from './messages.js'
import type { Answer, Poll, TaskRun } from './observed.js'

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
/** An interval beyond these is a mistake, as it is for the client. A timer of more than 24 days fires at once. */
const MIN_INTERVAL_MS = 50
const MAX_INTERVAL_MS = 24 * 60 * 60 * 1000
/** After so many polls in a row without a response from the server, the task counts as broken. An error of a proxy is no such response. */
const MAX_LOST_POLLS = 5

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

  function note(polled: Poll): void {
    polls.push(polled)
    onPoll(polled)
  }

  async function poll(): Promise<TaskRun> {
    let lost = 0
    for (;;) {
      if (!isTerminal(task.status)) await asker.sleep(intervalOf(task))
      const sentAt = asker.now()
      const answer = await asker.send(message('tasks/get', { taskId }))
      const times = { atMs: sentAt - startedAt, tookMs: asker.now() - sentAt }
      const found = resultOf(answer)
      if (found === undefined) {
        if (isLost(answer) && ++lost < MAX_LOST_POLLS) {
          note({ ...times, status: undefined, statusMessage: describe(answer), pollIntervalMs: undefined })
          continue
        }
        return isInvalidParams(answer) ? ended('lost') : ended('broken', `tasks/get: ${describe(answer)}`)
      }
      try {
        task = isModern ? parseDetailedTask(found, 'tasks/get') : parseLegacyTask(found, 'tasks/get')
      } catch (error) {
        return ended('broken', asError(error).message)
      }
      lost = 0
      const { status, statusMessage, pollIntervalMs } = task
      note({ ...times, status, statusMessage, pollIntervalMs })
      if (status === 'completed' || status === 'failed') {
        const { result, error } = isModern ? found : await outcomeOfOld(options, taskId)
        const said = saidByTool(result)
        const why = status === 'completed' ? said : (statusMessage ?? said ?? messageOf(error))
        return ended(status, statusMessage, why)
      }
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

function intervalOf({ pollIntervalMs = DEFAULT_INTERVAL_MS }: Task): number {
  return Math.min(Math.max(pollIntervalMs, MIN_INTERVAL_MS), MAX_INTERVAL_MS)
}

/** True where it says nothing of the task: it did not come from the server, or the server is busy. */
function isLost(answer: Answer): boolean {
  return 'failure' in answer || (answer.message === undefined && (answer.status === 429 || answer.status >= 500))
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

/** The result or the error of an ended task, which a server of 2025-11-25 returns by a request of its own. */
async function outcomeOfOld({ asker, message }: FollowTaskOptions, taskId: string): Promise<JsonObject> {
  const answer = await asker.send(message('tasks/result', { taskId }))
  return ('failure' in answer ? undefined : answer.message) ?? {}
}

/** A server of 2025-11-25 makes a task of a call only if it is asked to, and refuses where the tool cannot be one. */
async function isTaskOfOld(options: FollowTaskOptions): Promise<boolean> {
  const { server, tool } = options
  if (server.era === 'modern' || !server.servesTasks) return false
  const tools = await askForTools(options)
  const found = tools.find((one) => isJsonObject(one) && one['name'] === tool.name)
  return legacyTaskSupport(found) !== 'forbidden'
}
