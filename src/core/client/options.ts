import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { READ_MORE } from '../protocol/readMore.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { pageStorage } from '../storage/pageStorage.js'
import { splitStorage } from '../storage/splitStorage.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import { DEFAULT_POLL_POLICY, MAX_TIMER_MS, type PollPolicy } from '../time/policy.js'
import type { LegacyOptions } from '../wire/legacyOptions.js'
import type { TaskClientSdkBaseOptions } from './sdkBaseOptions.js'
import type { TaskClientBaseOptions } from './taskClient.js'

/**
 * The number given for an option, or its default.
 *
 * @throws {TaskConfigurationError} if it is no number above 0.
 */
export function positive(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && value > 0) return value
  throw new TaskConfigurationError(`${name} is ${String(value)}; it must be a number above 0.`)
}

/**
 * The same, for a time that has to pass.
 *
 * @throws {TaskConfigurationError} if it is no number above 0, or never passes.
 */
function finite(name: string, value: number | undefined, otherwise: number): number {
  if (value !== Number.POSITIVE_INFINITY) return positive(name, value, otherwise)
  throw new TaskConfigurationError(`${name} is Infinity; it must be a number above 0 that is finite.`)
}

/** Where the numbers of a policy are among the options. */
const GROUP = {
  defaultIntervalMs: 'poll.',
  minIntervalMs: 'poll.',
  safetyIntervalMs: 'poll.',
  baseMs: 'retry.',
  maxMs: 'retry.',
  maxAttempts: 'retry.',
  callTimeoutMs: '',
}

/**
 * The policy that `poll` and `retry` describe.
 *
 * @throws {TaskConfigurationError} if a number is not a number or makes no sense.
 */
export function readPollPolicy(options: TaskClientBaseOptions): PollPolicy {
  const { poll = {}, retry = {} } = options
  const given = { ...poll, ...retry, callTimeoutMs: options.callTimeoutMs }
  const read = (name: keyof typeof given & keyof typeof GROUP, check: typeof positive) =>
    check(`${GROUP[name]}${name}`, given[name], DEFAULT_POLL_POLICY[name])
  return {
    ...DEFAULT_POLL_POLICY,
    hidden: poll.hidden ?? DEFAULT_POLL_POLICY.hidden,
    defaultIntervalMs: read('defaultIntervalMs', finite),
    minIntervalMs: read('minIntervalMs', finite),
    safetyIntervalMs: read('safetyIntervalMs', positive),
    baseMs: read('baseMs', finite),
    maxMs: read('maxMs', positive),
    maxAttempts: read('maxAttempts', positive),
    callTimeoutMs: Math.min(read('callTimeoutMs', finite), MAX_TIMER_MS),
  }
}

/**
 * How tasks of MCP 2025-11-25 are used, as `legacy` asks for it.
 *
 * @throws {TaskConfigurationError} if one of them is not an allowed value.
 */
export function readLegacyOptions(
  { legacy: { tasks = 'auto', ttlMs } = {} }: TaskClientSdkBaseOptions,
  environment: Environment,
  addressesSessions: boolean,
): LegacyOptions {
  const asked = ttlMs === undefined ? undefined : finite('legacy.ttlMs', ttlMs, 0)
  return { mode: tasks, ttlMs: asked, environment, addressesSessions }
}

/**
 * The storage that the option names.
 *
 * @throws {TaskConfigurationError} if it names none.
 */
export function readStorage(option: TaskClientBaseOptions['storage'], environment: Environment): TaskStorage {
  if (option === undefined) return splitStorage(pageStorage('local', environment), pageStorage('session', environment))
  if (option === 'local' || option === 'session') return pageStorage(option, environment)
  if (option === 'memory') return memoryStorage()
  const methods = ['getItem', 'setItem', 'removeItem', 'keys'] as const
  if (typeof option === 'object' && option !== null && methods.every((method) => typeof option[method] === 'function'))
    return option
  throw new TaskConfigurationError(
    inDevelopment
      ? "storage must be 'local', 'session', 'memory' or an object with getItem, setItem, removeItem and keys. localStorage itself has no keys()."
      : `The option storage cannot be used. ${READ_MORE}`,
  )
}
