import { INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { toJson } from '../../core/protocol/json.js'
import type { ToolBackend } from './toolBackend.js'

/** Options of `ToolContext.once`. */
export interface ToolStepOptions {
  /**
   * Whether the step may run again if its worker was lost during the step. Use it for a long step that does no harm if it
   * runs twice. A step that has ended does not run again. @default false
   */
  readonly mayRepeat?: boolean
}

/** Runs a step that must not run twice: see `ToolContext.once`. */
export type RunStep = <T>(name: string, work: () => T | Promise<T>, options?: ToolStepOptions) => Promise<T>

/** The steps of one run, which gets the results of the steps that the runs before it have done. */
export function createTaskSteps(backend: ToolBackend): RunStep {
  const names = new Set<string>()

  return async <T>(
    name: string,
    work: () => T | Promise<T>,
    { mayRepeat = false }: ToolStepOptions = {},
  ): Promise<T> => {
    backend.signal.throwIfAborted()
    if (names.has(name)) throw unusableStep(name)
    names.add(name)
    const before = Object.hasOwn(backend.steps, name) ? backend.steps[name] : undefined
    if (before?.isDone === true) return before.value as T
    if (before !== undefined && !mayRepeat) throw stepWasCut(name)
    if (!mayRepeat) await backend.keepStep(name, { isDone: false })
    const value = await work()
    // The process may have slept through its lease during the step.
    backend.assertHeld()
    if (value !== undefined && toJson(value) === undefined) throw unusableStepValue(name)
    await backend.keepStep(name, { isDone: true, value })
    return value
  }
}

function unusableStep(name: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to run a step: once() was called with "${name}" before. Give every step a name of its own.`,
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
    `The worker was lost while it ran the step "${name}". The step may have happened, so it is not run again.`,
  )
}
