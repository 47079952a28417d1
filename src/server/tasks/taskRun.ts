import {
  type ClientCapabilities,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type ElicitResult,
  inputRequired,
  type ListRootsResult,
} from '@modelcontextprotocol/server'
import { TaskCancelledError, TaskConfigurationError, TaskError, TaskExpiredError } from '../../protocol/errors.js'
import { missingCapability } from '../../protocol/inputCapabilities.js'
import { type InputResponse, parseInputRequest } from '../../protocol/inputRequest.js'
import { isTerminal } from '../../protocol/task.js'
import { ignoreRejection } from '../base/ignoreRejection.js'
import { isSameJson } from '../base/isSameJson.js'
import { toJson } from '../base/toJson.js'
import { missingInputCapability } from '../http/tasksCapability.js'
import { inputKind } from '../inputKinds.js'
import type { ElicitParams, TaskContext } from '../tools/toolContext.js'
import type { TaskRecord, TaskStep } from './taskRecord.js'
import { isHeldBy, type RunEvent, type RunId } from './taskReducer.js'

/** The work of a task, in the process that does it. */
export interface TaskRun {
  /** The task as it was created. */
  readonly record: TaskRecord
  readonly signal: AbortSignal
  readonly context: TaskContext
  /** Applies a state of the task: resolves input requests that were answered, stops work that is to be cancelled. */
  observe(record: TaskRecord): void
  abort(reason: Error): void
  /** Who this run is to its task. */
  readonly by: RunId
  /** The newest version of the record that this run knows of. */
  readonly version: number
  /** True once another process has, or may have, the task. */
  readonly isLost: boolean
  /** Stops the work because another process may have the task. */
  lose(): void
}

type SamplingResponse = CreateMessageResult | CreateMessageResultWithTools

interface Waiter {
  resolve(answer: InputResponse): void
  reject(reason: unknown): void
}

/** What a {@link TaskRun} is made of. */
export interface TaskRunOptions {
  readonly record: TaskRecord
  /** What the client declared with the call. */
  readonly capabilities: ClientCapabilities
  readonly by: RunId
  /** How the run changes its task. */
  readonly apply: (event: RunEvent) => Promise<TaskRecord | undefined>
}

/** The run of a task that has just been created or claimed. */
export function createTaskRun({ record, capabilities, by, apply: applyAny }: TaskRunOptions): TaskRun {
  const { taskId } = record.task
  const controller = new AbortController()
  const { signal } = controller
  const waiters = new Map<string, Waiter>()
  const apply = (event: RunEvent) => applyAny({ ...event, by })
  /** Whether the handler may be run again: then it gets the responses and the steps that it has had. */
  const isKept = record.call !== undefined
  const steps = new Set<string>()
  let asked = 0
  let version = record.version
  let isLost = false

  function rejectAll(reason: unknown): void {
    for (const waiter of waiters.values()) waiter.reject(reason)
    waiters.clear()
  }
  signal.addEventListener('abort', () => rejectAll(signal.reason), { once: true })

  async function ask<T>(build: () => unknown): Promise<T> {
    signal.throwIfAborted()
    const parsed = parseInputRequest(toJson(buildRequest(build)))
    if ('problem' in parsed) throw unaskable(`the request ${parsed.problem}`)
    const { request } = parsed
    const missing = missingCapability(capabilities, request)
    if (missing !== undefined) throw missingInputCapability(missing)
    asked += 1
    const key = `${inputKind(request)}-${asked}`
    const before = record.asked?.[key]
    if (before !== undefined && !isSameJson(before, request)) throw askedOtherwise(key)
    const given = record.answers[key]
    if (given !== undefined) return given as T
    // Before the input request is sent: the response may be faster than our own store.
    const answer = ignoreRejection(
      new Promise<InputResponse>((resolve, reject) => waiters.set(key, { resolve, reject })),
    )
    const now = await apply({ type: 'ask', key, request, ...(isKept && { isKept }) })
    if (now === undefined) throw new TaskExpiredError('ttl', { taskId })
    if (isTerminal(now.task.status)) throw taskIsOver()
    // A run before this one has asked, and the response came in between.
    observe(now)
    // tasks/update lets in nothing but responses of the kind that was asked for.
    return (await answer) as T
  }

  async function once<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (steps.has(name)) throw unusableStep(name)
    steps.add(name)
    const before = record.steps?.[name]
    if (before?.isDone === true) return before.value as T
    if (before !== undefined) throw stepWasCut(name)
    if (isKept) await keepStep(name, { isDone: false })
    const value = await work()
    if (value !== undefined && toJson(value) === undefined) throw unusableStepValue(name)
    if (isKept) await keepStep(name, { isDone: true, value })
    return value
  }

  async function keepStep(name: string, step: TaskStep): Promise<void> {
    const now = await apply({ type: 'step', name, step })
    if (now === undefined) throw new TaskExpiredError('ttl', { taskId })
    observe(now)
    signal.throwIfAborted()
  }

  function observe(now: TaskRecord): void {
    const { task, answers, cancelRequested } = now
    version = Math.max(version, now.version)
    for (const [key, waiter] of waiters) {
      const answer = answers[key]
      if (answer === undefined) continue
      waiters.delete(key)
      waiter.resolve(answer)
    }
    if (cancelRequested) controller.abort(new TaskCancelledError(undefined, { taskId }))
    if (isTerminal(task.status)) rejectAll(taskIsOver())
    else if (!isHeldBy(now, by)) lose()
  }

  function lose(): void {
    isLost = true
    controller.abort(new TaskError('The lease of the task is over: another worker may have it.', { taskId }))
  }

  return {
    record,
    signal,
    by,
    get version() {
      return version
    },
    get isLost() {
      return isLost
    },
    context: {
      taskId,
      setStatus(message) {
        // Thrown at once: a tool need not await this, and what JSON cannot carry would leave `tasks/get` without a
        // response.
        if (typeof message !== 'string') throw unusableStatus(message)
        return ignoreRejection(apply({ type: 'status', message }).then(() => {}))
      },
      elicit: (params) => ignoreRejection(ask<ElicitResult>(() => elicitation(params))),
      sample: (params) => ignoreRejection(ask<SamplingResponse>(() => inputRequired.createMessage(params))),
      listRoots: () => ignoreRejection(ask<ListRootsResult>(() => inputRequired.listRoots())),
      once: (name, work) => ignoreRejection(once(name, work)),
    },
    observe,
    lose,
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

function askedOtherwise(key: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to ask for input: the handler was run again and asks something else as "${key}" than before. ` +
      'Ask in the same order each time, and put what may change into task.once().',
  )
}

function unusableStep(name: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to run a step: task.once() was called with "${name}" before. Give every step a name of its own.`,
  )
}

function unusableStepValue(name: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to keep a step: the result of "${name}" is not JSON. Return plain data only.`,
  )
}

function stepWasCut(name: string): TaskError {
  return new TaskError(
    `The worker was lost while it ran the step "${name}", which may have happened. It is not run again.`,
  )
}

function taskIsOver(): TaskConfigurationError {
  return new TaskConfigurationError(
    'Failed to ask for input: the task is over. Await every input request before the handler returns.',
  )
}
