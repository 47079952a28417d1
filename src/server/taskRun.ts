import {
  type ClientCapabilities,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type ElicitResult,
  inputRequired,
  type ListRootsResult,
} from '@modelcontextprotocol/server'
import { TaskCancelledError, TaskConfigurationError, TaskExpiredError } from '../protocol/errors.js'
import { missingCapability } from '../protocol/inputCapabilities.js'
import { type InputResponse, parseInputRequest } from '../protocol/inputRequest.js'
import { isTerminal } from '../protocol/task.js'
import { handled } from './handled.js'
import { inputKind } from './inputKinds.js'
import { plainJson } from './plainJson.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskEvent } from './taskReducer.js'
import { missingInputCapability } from './tasksCapability.js'
import type { ElicitParams, TaskContext } from './toolContext.js'

/** The work of a task, in the process that does it. */
export interface TaskRun {
  /** The task as it was created. */
  readonly record: TaskRecord
  readonly signal: AbortSignal
  readonly context: TaskContext
  /** Takes note of a state of the task: hands answers to whoever waits for them, stops work that shall stop. */
  observe(record: TaskRecord): void
  abort(reason: Error): void
}

type SamplingAnswer = CreateMessageResult | CreateMessageResultWithTools

interface Waiter {
  resolve(answer: InputResponse): void
  reject(reason: unknown): void
}

/** What a {@link TaskRun} is made of. */
export interface TaskRunOptions {
  readonly record: TaskRecord
  /** What the client declared with the call. */
  readonly capabilities: ClientCapabilities
  /** How the run changes its task. */
  readonly apply: (event: TaskEvent) => Promise<TaskRecord | undefined>
}

/** The run of a task that has just been created. */
export function createTaskRun({ record, capabilities, apply }: TaskRunOptions): TaskRun {
  const { taskId } = record.task
  const controller = new AbortController()
  const { signal } = controller
  const waiters = new Map<string, Waiter>()
  let asked = 0

  function rejectAll(reason: unknown): void {
    for (const waiter of waiters.values()) waiter.reject(reason)
    waiters.clear()
  }
  signal.addEventListener('abort', () => rejectAll(signal.reason), { once: true })

  async function ask<T>(build: () => unknown): Promise<T> {
    signal.throwIfAborted()
    const parsed = parseInputRequest(plainJson(buildRequest(build)))
    if ('problem' in parsed) throw unaskable(`the request ${parsed.problem}`)
    const { request } = parsed
    const missing = missingCapability(capabilities, request)
    if (missing !== undefined) throw missingInputCapability(missing)
    asked += 1
    const key = `${inputKind(request)}-${asked}`
    // Before the question is out: its answer may be faster than our own store.
    const answer = handled(new Promise<InputResponse>((resolve, reject) => waiters.set(key, { resolve, reject })))
    const now = await apply({ type: 'ask', key, request })
    if (now === undefined) throw new TaskExpiredError('ttl', { taskId })
    if (isTerminal(now.task.status)) throw taskIsOver()
    // tasks/update lets in nothing but answers of the kind that was asked for.
    return (await answer) as T
  }

  return {
    record,
    signal,
    context: {
      taskId,
      setStatus(message) {
        // Thrown at once: a tool need not await this, and what JSON cannot carry would leave `tasks/get` without an answer.
        if (typeof message !== 'string') throw unusableStatus(message)
        return handled(apply({ type: 'status', message }).then(() => {}))
      },
      elicit: (params) => handled(ask<ElicitResult>(() => elicitation(params))),
      sample: (params) => handled(ask<SamplingAnswer>(() => inputRequired.createMessage(params))),
      listRoots: () => handled(ask<ListRootsResult>(() => inputRequired.listRoots())),
    },
    observe({ task, answers, cancelRequested }) {
      for (const [key, waiter] of waiters) {
        const answer = answers[key]
        if (answer === undefined) continue
        waiters.delete(key)
        waiter.resolve(answer)
      }
      if (cancelRequested) controller.abort(new TaskCancelledError(undefined, { taskId }))
      if (isTerminal(task.status)) rejectAll(taskIsOver())
    },
    abort(reason) {
      controller.abort(reason)
    },
  }
}

function elicitation(params: ElicitParams): unknown {
  return params.mode === 'url' ? inputRequired.elicitUrl(params) : inputRequired.elicit(params)
}

function buildRequest(build: () => unknown): unknown {
  try {
    return build()
  } catch (error) {
    throw unaskable(error instanceof Error ? error.message : String(error), error)
  }
}

function unaskable(problem: string, cause?: unknown): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to ask for input: ${problem}. Pass what the specification defines for this kind of request.`,
    { cause },
  )
}

function unusableStatus(message: unknown): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to set the status of a task: setStatus() was given a ${typeof message}. Pass a string.`,
  )
}

function taskIsOver(): TaskConfigurationError {
  return new TaskConfigurationError(
    'Failed to ask for input: the task is over. Await every question before the handler returns.',
  )
}
