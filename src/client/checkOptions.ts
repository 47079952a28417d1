import { TaskConfigurationError } from '../protocol/errors.js'
import type { TaskClientBaseOptions, ToolCallOptions, ToolCallParams } from './taskClient.js'

/** Names of options by the group that they are in; those in no group under `''`. */
export type OptionNames = Readonly<Record<string, readonly string[]>> & { readonly '': readonly string[] }

/** The names of the options of every client, and of those in a group. */
const NAMES = {
  '': [
    ...['storage', 'scope', 'endpoint', 'poll', 'callTimeoutMs', 'retry', 'push', 'input', 'crossTab', 'batchUpdates'],
    ...['resume', 'onError', 'toolsHash', 'environment'],
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
  checkNames(options, { '': ['signal', 'key', 'repeat'] })
}

function checkNames(options: object, known: OptionNames): void {
  for (const [group, names] of Object.entries(known)) {
    const value = group === '' ? options : valueAt(options, group.split('.'))
    if (value === undefined) continue
    if (typeof value !== 'object' || value === null) throw mustBe(group, value, 'an object')
    const unknown = Object.keys(value).find((name) => !names.includes(name))
    if (unknown === undefined) continue
    throw new TaskConfigurationError(
      `There is no option ${pathOf(group, unknown)}. Did you mean ${nearestTo(unknown, group, known)}?`,
    )
  }
}

function valueAt(options: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], options)
}

function nearestTo(name: string, ownGroup: string, known: OptionNames): string {
  const all = Object.entries(known).flatMap(([group, names]) =>
    names.map((each) => ({
      path: pathOf(group, each),
      // Of names as near, the one in the same place.
      distance: editDistance(name.toLowerCase(), each.toLowerCase()) + (group === ownGroup ? 0 : 0.5),
    })),
  )
  return all.reduce((best, each) => (each.distance < best.distance ? each : best)).path
}

function pathOf(group: string, name: string): string {
  return group === '' ? name : `${group}.${name}`
}

/** How many letters must be added, removed or replaced to make one of the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries())
      next.push(Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    row = next
  }
  return row[b.length] ?? 0
}

/**
 * Checks the options that are used as they are.
 *
 * @throws {TaskConfigurationError} for the first that is none of its values.
 */
export function checkOptions(options: TaskClientBaseOptions): void {
  const { resume, crossTab, push, input, poll, batchUpdates, onError } = options
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
  for (const [kind, handler] of Object.entries(input?.handlers ?? {})) checkFunction(`input.handlers.${kind}`, handler)
}

function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw mustBe(name, value, 'a function')
}

/**
 * Checks an option that is one of these, or none.
 *
 * @throws {TaskConfigurationError} where it is not one of those allowed.
 */
export function oneOf<T>(name: string, value: T, allowed: readonly NonNullable<T>[]): void {
  if (value === undefined || (allowed as readonly T[]).includes(value)) return
  const all = allowed.map(shown)
  throw mustBe(name, value, `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`)
}

/** An option is none of what it can be. */
function mustBe(name: string, value: unknown, allowed: string): TaskConfigurationError {
  return new TaskConfigurationError(`${name} is ${shown(value)}; it must be ${allowed}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
