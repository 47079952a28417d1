import { INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../protocol/errors.js'
import { toJson } from '../base/toJson.js'
import type { TaskStepOptions } from './taskContext.js'
import type { TaskStep } from './taskRecord.js'
import type { RunScope } from './taskRun.js'

/** Runs a step that must not run twice: see `TaskContext.once`. */
export type RunStep = <T>(name: string, work: () => T | Promise<T>, options?: TaskStepOptions) => Promise<T>

/** The steps of one run, which gets the results of the steps that the runs before it have done. */
export function createTaskSteps(run: RunScope): RunStep {
  const { record, isKept } = run
  const names = new Set<string>()

  async function keep(name: string, step: TaskStep): Promise<void> {
    run.observe(await run.change({ type: 'step', name, step }))
    run.signal.throwIfAborted()
  }

  return async <T>(
    name: string,
    work: () => T | Promise<T>,
    { mayRepeat = false }: TaskStepOptions = {},
  ): Promise<T> => {
    run.signal.throwIfAborted()
    if (names.has(name)) throw unusableStep(name)
    names.add(name)
    const before = record.steps?.[name]
    if (before?.isDone === true) return before.value as T
    if (before !== undefined && !mayRepeat) throw stepWasCut(name)
    if (isKept && !mayRepeat) await keep(name, { isDone: false })
    const value = await work()
    // The process may have slept through its lease during the step.
    run.assertHeld()
    if (value !== undefined && toJson(value) === undefined) throw unusableStepValue(name)
    if (isKept) await keep(name, { isDone: true, value })
    return value
  }
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

/** Meant for the client: its user has to find out what has happened. */
function stepWasCut(name: string): ProtocolError {
  return new ProtocolError(
    INTERNAL_ERROR,
    `The worker was lost while it ran the step "${name}", which may have happened. It is not run again.`,
  )
}
