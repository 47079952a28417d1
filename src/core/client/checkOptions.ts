import { TaskConfigurationError } from '../protocol/errors.js'
import { checkNames, type OptionNames } from './checkNames.js'
import { mustBe, shown } from './mustBe.js'
import type { TaskClientBaseOptions, ToolCallOptions, ToolCallParams } from './taskClient.js'

/** The names of the options of every client, and of those in a group. */
const NAMES = {
  '': [
    ...['storage', 'results', 'scope', 'endpoint', 'poll', 'callTimeoutMs', 'retry', 'push', 'input', 'crossTab'],
    ...['batchUpdates', 'resume', 'onError', 'toolsHash', 'jobs', 'environment'],
  ],
  poll: ['defaultIntervalMs', 'minIntervalMs', 'safetyIntervalMs', 'hidden', 'maxConcurrent'],
  retry: ['baseMs', 'maxMs', 'maxAttempts', 'connectAttempts'],
  input: ['handlers', 'missing', 'stuckAfterPolls'],
  'input.handlers': ['elicitation', 'sampling', 'roots'],
} satisfies OptionNames

/**
 * Refuses options that there are not, and groups of options that are none. `own` names those that other clients do not
 * have.
 *
 * @throws {TaskConfigurationError} that names the known option with the nearest name.
 */
export function checkOptionNames(options: TaskClientBaseOptions, own: OptionNames): void {
  checkNames(options, { ...NAMES, ...own, '': [...own[''], ...NAMES['']] })
}

/**
 * Refuses options among the params of a call, and options that there are not.
 *
 * @throws {TaskConfigurationError} that says where the option stands, or names the known one with the nearest name.
 */
export function checkCall(params: ToolCallParams, options: ToolCallOptions): void {
  const unknown = Object.keys(Object(params)).find((name) => name !== 'name' && name !== 'arguments')
  if (unknown !== undefined) {
    throw new TaskConfigurationError(
      `The params of a call are name and arguments; there is no ${unknown}. Options stand beside them: callTool({ name, arguments }, { key }).`,
    )
  }
  checkNames(options, { '': ['signal', 'key', 'repeat', 'meta', 'keepResult'] })
}

/**
 * Checks the options that are used as they are.
 *
 * @throws {TaskConfigurationError} for the first that is not an allowed value.
 */
export function checkOptions(options: TaskClientBaseOptions): void {
  const { resume, crossTab, push, input, poll, batchUpdates, onError, results } = options
  oneOf('resume', resume, ['eager', 'lazy'])
  oneOf('input.missing', input?.missing, ['wait', 'error'])
  oneOf('crossTab', crossTab, [true, false])
  oneOf('push', push, [true, false])
  oneOf('batchUpdates', batchUpdates, [true, false])
  oneOf('poll.hidden', poll?.hidden, ['continue', 'pause'])
  for (const name of ['scope', 'endpoint', 'toolsHash'] as const) {
    const value: unknown = options[name]
    if (value !== undefined && typeof value !== 'string') throw mustBe(name, value, 'a string')
  }
  checkFunction('onError', onError)
  const { jobs } = options
  if (jobs !== undefined && !(Array.isArray(jobs) && jobs.every((job) => typeof job?.isInternal === 'function'))) {
    throw mustBe('jobs', jobs, 'a list of what defineJob of taskwire/jobs returns')
  }
  checkFunction('results', results)
  for (const [kind, handler] of Object.entries(input?.handlers ?? {})) checkFunction(`input.handlers.${kind}`, handler)
}

function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw mustBe(name, value, 'a function')
}

/**
 * Checks an option that is one of these, or none.
 *
 * @throws {TaskConfigurationError} if it is not one of those allowed.
 */
export function oneOf<T>(name: string, value: T, allowed: readonly NonNullable<T>[]): void {
  if (value === undefined || (allowed as readonly T[]).includes(value)) return
  const all = allowed.map(shown)
  throw mustBe(name, value, `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`)
}
