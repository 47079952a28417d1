import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { JsonObject } from '../../core/protocol/json.js'
import { type DetailedTask, isTerminal, type Task } from '../../core/protocol/task.js'
import type { Clock } from '../../server/base/clock.js'
import { RECORD_FORMAT, type TaskRecord } from '../../server/tasks/taskRecord.js'
import type { ScriptedTask, ScriptStep } from './scriptTask.js'

/** One task on its way through its script. */
export interface ScriptRun {
  /** The task as it is created: without what its status carries. */
  readonly created: Task
  /** True once its ttl is over. */
  isExpired(): boolean
  /** The response to the next `tasks/get`, which may be what the next step waits for. */
  poll(): DetailedTask
  /** How the task stands, for those who listen. What they are shown need not be polled. */
  show(): TaskRecord
  /** When those who listen shall see the next step, in ms since the epoch; undefined where it waits for a response. */
  dueAt(): number | undefined
  /** Takes the step that is due. */
  goOn(): void
  /** Takes answers; those to nothing that is open are ignored. */
  answer(inputResponses: JsonObject): void
  requestCancel(): void
}

/** What a {@link ScriptRun} is made of. */
export interface ScriptRunOptions {
  readonly taskId: string
  readonly pollIntervalMs: number
  readonly clock: Clock
  /** Called when the task has changed. */
  readonly onChange: () => void
}

/** Begins a script. */
export function startScript(script: ScriptedTask, options: ScriptRunOptions): ScriptRun {
  const { steps, ttlMs = null, ignoresCancel = false } = script
  const { taskId, pollIntervalMs, clock, onChange } = options
  const createdAt = clock.now()
  const expiresAt = ttlMs === null ? null : createdAt + ttlMs
  const answered = new Set<string>()
  let version = 1
  let index = 0
  let step: ScriptStep = steps[0]
  /** When the step began, or when its last input request was answered. */
  let since = createdAt
  /** No two states say the same time, as with the real server: of two that do, a subscriber receives one. */
  let updatedAt = createdAt
  /** When the client was shown all of the step: a creation carries neither input requests nor results. */
  let shownAt = step.status === 'working' || step.status === 'cancelled' ? createdAt : undefined

  function enter(entered: ScriptStep, at: number): void {
    step = entered
    shownAt = undefined
    change(at)
  }

  function change(at: number): void {
    since = at
    updatedAt = Math.max(at, updatedAt + 1)
    version += 1
  }

  function open(): Record<string, InputRequest> {
    if (step.status !== 'input_required') return {}
    return Object.fromEntries(Object.entries(step.inputRequests).filter(([key]) => !answered.has(key)))
  }

  /** The step that comes next, unless an input request is in its way. */
  function following(): ScriptStep | undefined {
    return Object.keys(open()).length > 0 ? undefined : steps[index + 1]
  }

  /** Goes on while a step may follow; true where one has. */
  function advance(mayFollow: (next: ScriptStep) => boolean): boolean {
    const before = version
    for (let next = following(); next !== undefined && mayFollow(next); next = following()) {
      index += 1
      enter(next, next.afterMs === undefined ? clock.now() : since + next.afterMs)
    }
    return version > before
  }

  /** By time several steps may be over since somebody has looked. */
  const hasCome = ({ afterMs }: ScriptStep) => afterMs !== undefined && clock.now() >= since + afterMs

  function dueAt(): number | undefined {
    const next = following()
    if (next === undefined) return undefined
    return next.afterMs === undefined ? Math.max(since, shownAt ?? since) + pollIntervalMs : since + next.afterMs
  }

  const fields = () => taskFields(step, { taskId, ttlMs, pollIntervalMs, createdAt, updatedAt })
  const snapshot = () => detailedTask(fields(), step, open())

  return {
    created: fields(),
    isExpired: () => expiresAt !== null && clock.now() >= expiresAt,
    poll() {
      // Of the steps that wait for a poll none is left out.
      const hasChanged = advance((next) => (next.afterMs === undefined ? shownAt !== undefined : hasCome(next)))
      shownAt ??= clock.now()
      if (hasChanged) onChange()
      return snapshot()
    },
    show() {
      advance(hasCome)
      shownAt ??= clock.now()
      return {
        task: snapshot(),
        owner: '',
        version,
        format: RECORD_FORMAT,
        expiresAt,
        ttlMs,
        tool: '',
        attempt: 1,
        answers: {},
        cancelRequested: false,
      }
    },
    dueAt,
    goOn() {
      if (advance(() => clock.now() >= (dueAt() ?? Number.POSITIVE_INFINITY))) onChange()
    },
    answer(inputResponses) {
      const taken = Object.keys(open()).filter((key) => Object.hasOwn(inputResponses, key))
      if (taken.length === 0) return
      for (const key of taken) answered.add(key)
      change(clock.now())
      onChange()
    },
    requestCancel() {
      // What was over by now was over before the cancellation came.
      if (advance(hasCome)) onChange()
      if (ignoresCancel || isTerminal(step.status)) return
      index = steps.length
      enter({ status: 'cancelled' }, clock.now())
      onChange()
    },
  }
}

interface StepFields extends Pick<Task, 'taskId' | 'ttlMs' | 'pollIntervalMs'> {
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a task shows at every step, whatever its status. */
function taskFields(
  { status, statusMessage, progress }: ScriptStep,
  { createdAt, updatedAt, ...fields }: StepFields,
): Task {
  return {
    ...fields,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    ...(progress !== undefined && { progress }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  }
}

/** The task with what its status carries; with every input request answered, it is at work. */
function detailedTask(task: Task, step: ScriptStep, inputRequests: Record<string, InputRequest>): DetailedTask {
  switch (step.status) {
    case 'working':
    case 'cancelled':
      return { ...task, status: step.status }
    case 'input_required':
      return Object.keys(inputRequests).length === 0
        ? { ...task, status: 'working' }
        : { ...task, status: step.status, inputRequests }
    case 'completed':
      return { ...task, status: step.status, result: step.result }
    case 'failed':
      return { ...task, status: step.status, error: step.error }
  }
}
