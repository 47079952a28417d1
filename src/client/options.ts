import { DEFAULT_POLL_POLICY, MAX_TIMER_MS, type PollPolicy } from '../call/pollPolicy.js'
import type { LegacyOptions } from '../connection/legacy/options.js'
import type { Environment } from '../environment/environment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { pageStorage } from '../storage/pageStorage.js'
import { splitStorage } from '../storage/splitStorage.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import type { TaskClientSdkBaseOptions } from './sdkOptions.js'
import type { OptionNames } from './setUp.js'
import type { TaskClientBaseOptions, ToolCallOptions } from './taskClient.js'

/**
 * The number given for an option, or its default.
 *
 * @throws {TaskConfigurationError} where it is no number above 0.
 */
export function positive(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && value > 0) return value
  throw new TaskConfigurationError(`${name} is ${String(value)}; it must be a number above 0.`)
}

/**
 * The same, for a time that has to pass.
 *
 * @throws {TaskConfigurationError} where it is no number above 0, or never passes.
 */
function finite(name: string, value: number | undefined, otherwise: number): number {
  if (value !== Number.POSITIVE_INFINITY) return positive(name, value, otherwise)
  throw new TaskConfigurationError(`${name} is Infinity; it must be a number above 0 that is finite.`)
}

/**
 * The value given for an option, which may be none.
 *
 * @throws {TaskConfigurationError} where it is not one of those allowed.
 */
export function oneOf<T>(name: string, value: T, allowed: readonly NonNullable<T>[]): T {
  if (value === undefined || (allowed as readonly T[]).includes(value)) return value
  const all = allowed.map(shown)
  throw mustBe(name, value, `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`)
}

/**
 * The policy that `poll` and `retry` describe.
 *
 * @throws {TaskConfigurationError} where a number is none or makes no sense.
 */
export function readPollPolicy(options: TaskClientBaseOptions): PollPolicy {
  const { poll = {}, retry = {} } = options
  return {
    ...DEFAULT_POLL_POLICY,
    defaultIntervalMs: finite('poll.defaultIntervalMs', poll.defaultIntervalMs, DEFAULT_POLL_POLICY.defaultIntervalMs),
    minIntervalMs: finite('poll.minIntervalMs', poll.minIntervalMs, DEFAULT_POLL_POLICY.minIntervalMs),
    hidden: oneOf('poll.hidden', poll.hidden, ['continue', 'pause']) ?? DEFAULT_POLL_POLICY.hidden,
    safetyIntervalMs: positive('poll.safetyIntervalMs', poll.safetyIntervalMs, DEFAULT_POLL_POLICY.safetyIntervalMs),
    baseMs: finite('retry.baseMs', retry.baseMs, DEFAULT_POLL_POLICY.baseMs),
    maxMs: positive('retry.maxMs', retry.maxMs, DEFAULT_POLL_POLICY.maxMs),
    maxAttempts: positive('retry.maxAttempts', retry.maxAttempts, DEFAULT_POLL_POLICY.maxAttempts),
    callTimeoutMs: Math.min(
      finite('callTimeoutMs', options.callTimeoutMs, DEFAULT_POLL_POLICY.callTimeoutMs),
      MAX_TIMER_MS,
    ),
  }
}

/**
 * How tasks of MCP 2025-11-25 are used, as `legacy` asks for it.
 *
 * @throws {TaskConfigurationError} where one of them is none of its values.
 */
export function readLegacyOptions(
  { legacy: { tasks = 'auto', ttlMs } = {} }: TaskClientSdkBaseOptions,
  environment: Environment,
  addressesSessions: boolean,
): LegacyOptions {
  oneOf('legacy.tasks', tasks, ['auto', 'required-only', 'never'])
  const asked = ttlMs === undefined ? undefined : finite('legacy.ttlMs', ttlMs, 0)
  return { mode: tasks, ttlMs: asked, environment, addressesSessions }
}

/**
 * The storage that the option names.
 *
 * @throws {TaskConfigurationError} where it names none.
 */
export function readStorage(option: TaskClientBaseOptions['storage'], environment: Environment): TaskStorage {
  if (option === undefined) return splitStorage(pageStorage('local', environment), pageStorage('session', environment))
  if (option === 'local' || option === 'session') return pageStorage(option, environment)
  if (option === 'memory') return memoryStorage()
  const methods = ['getItem', 'setItem', 'removeItem', 'keys'] as const
  if (typeof option === 'object' && option !== null && methods.every((method) => typeof option[method] === 'function'))
    return option
  throw new TaskConfigurationError(
    "storage must be 'local', 'session', 'memory' or an object with getItem, setItem, removeItem and keys. localStorage itself has no keys().",
  )
}

/** The names of the options of every client, and of those in a group. */
const NAMES: OptionNames = {
  '': [
    ...['storage', 'scope', 'endpoint', 'poll', 'callTimeoutMs', 'retry', 'push', 'input', 'crossTab', 'batchUpdates'],
    ...['resume', 'onError', 'toolsHash', 'environment'],
  ],
  poll: ['defaultIntervalMs', 'minIntervalMs', 'safetyIntervalMs', 'hidden', 'maxConcurrent'],
  retry: ['baseMs', 'maxMs', 'maxAttempts', 'connectAttempts'],
  input: ['handlers', 'missing', 'stuckAfterPolls'],
  'input.handlers': ['elicitation', 'sampling', 'roots'],
}

/** @throws {TaskConfigurationError} for an option of a call that there is not. */
export function checkCallOptions(options: ToolCallOptions): ToolCallOptions {
  checkNames(options, { '': ['signal', 'key', 'repeat'] })
  return options
}

/**
 * Refuses options that there are not, and groups of options that are none. `own` names those that other clients do not
 * have.
 *
 * @throws {TaskConfigurationError} that names the known option with the nearest name.
 */
export function checkOptionNames(options: TaskClientBaseOptions, own: OptionNames): void {
  checkNames(options, { ...NAMES, ...own, '': [...(own[''] ?? []), ...(NAMES[''] ?? [])] })
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
    for (let j = 0; j < b.length; j++)
      next.push(Math.min((row[j] ?? 0) + (letter === b[j] ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
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
  const { resume, crossTab, push, input, onError } = options
  oneOf('resume', resume, ['eager', 'lazy'])
  oneOf('input.missing', input?.missing, ['wait', 'error'])
  oneOf('crossTab', crossTab, [true, false])
  oneOf('push', push, [true, false])
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

function mustBe(name: string, value: unknown, allowed: string): TaskConfigurationError {
  return new TaskConfigurationError(`${name} is ${shown(value)}; it must be ${allowed}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
