import type { InputRequest } from '../protocol/inputRequest.js'
import type { JsonObject } from '../protocol/json.js'
import { type DetailedTask, isTerminal, type Task } from '../protocol/task.js'
import type { Clock } from '../server/clock.js'
import type { ScriptedTask, ScriptStep } from './scriptTask.js'

/** One task on its way through its script. */
export interface ScriptRun {
  /** The task as it is created: without what its status carries. */
  readonly created: Task
  /** True once its ttl is over. */
  isExpired(): boolean
  /** The answer to the next `tasks/get`. */
  next(): DetailedTask
  /** Takes answers; those to nothing that is open are ignored. */
  answer(inputResponses: JsonObject): void
  requestCancel(): void
}

/** Begins a script. */
export function startScript(script: ScriptedTask, taskId: string, pollIntervalMs: number, clock: Clock): ScriptRun {
  const { steps, ttlMs = null, ignoresCancel = false } = script
  const createdAt = clock.now()
  const answered = new Set<string>()
  let index = 0
  let step: ScriptStep = steps[0]
  /** When the step began, or when its last question was answered. */
  let since = createdAt
  /** Whether the client has been shown all of the step: a creation carries neither questions nor results. */
  let isShown = step.status === 'working' || step.status === 'cancelled'

  function enter(entered: ScriptStep, at: number): void {
    step = entered
    since = at
    isShown = false
  }

  function open(): Record<string, InputRequest> {
    if (step.status !== 'input_required') return {}
    return Object.fromEntries(Object.entries(step.inputRequests).filter(([key]) => !answered.has(key)))
  }

  function goOn(): void {
    for (;;) {
      const following = steps[index + 1]
      if (following === undefined || Object.keys(open()).length > 0) return
      const { afterMs } = following
      // By time several steps may be over since the last poll; without, no step is left out.
      if (afterMs === undefined ? !isShown : clock.now() < since + afterMs) return
      index += 1
      enter(following, afterMs === undefined ? clock.now() : since + afterMs)
    }
  }

  function bare({ status, statusMessage }: ScriptStep): Task {
    return {
      taskId,
      status,
      ...(statusMessage !== undefined && { statusMessage }),
      createdAt: new Date(createdAt).toISOString(),
      lastUpdatedAt: new Date(since).toISOString(),
      ttlMs,
      pollIntervalMs,
    }
  }

  function snapshot(): DetailedTask {
    const task = bare(step)
    switch (step.status) {
      case 'working':
      case 'cancelled':
        return { ...task, status: step.status }
      case 'input_required': {
        const inputRequests = open()
        return Object.keys(inputRequests).length === 0
          ? { ...task, status: 'working' }
          : { ...task, status: step.status, inputRequests }
      }
      case 'completed':
        return { ...task, status: step.status, result: step.result }
      case 'failed':
        return { ...task, status: step.status, error: step.error }
    }
  }

  return {
    created: bare(step),
    isExpired: () => ttlMs !== null && clock.now() >= createdAt + ttlMs,
    next() {
      goOn()
      isShown = true
      return snapshot()
    },
    answer(inputResponses) {
      const before = Object.keys(open())
      for (const key of before) if (Object.hasOwn(inputResponses, key)) answered.add(key)
      if (Object.keys(open()).length < before.length) since = clock.now()
    },
    requestCancel() {
      if (ignoresCancel || isTerminal(step.status)) return
      index = steps.length
      enter({ status: 'cancelled' }, clock.now())
    },
  }
}
