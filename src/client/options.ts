import { DEFAULT_POLL_POLICY, MAX_TIMER_MS, type PollPolicy } from '../call/pollPolicy.js'
import type { LegacyOptions } from '../connection/legacy/options.js'
import type { Environment } from '../environment/environment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { pageStorage } from '../storage/pageStorage.js'
import { splitStorage } from '../storage/splitStorage.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import type { TaskClientSdkBaseOptions } from './sdkOptions.js'
import type { TaskClientBaseOptions } from './taskClient.js'

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

/** An option is none of what it can be. */
export function mustBe(name: string, value: unknown, allowed: string): TaskConfigurationError {
  return new TaskConfigurationError(`${name} is ${shown(value)}; it must be ${allowed}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
