import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { READ_MORE } from '../protocol/readMore.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { pageStorage } from '../storage/pageStorage.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import { DEFAULT_POLL_POLICY, LONGEST_WAIT_MS, MAX_TIMER_MS, type PollPolicy } from '../time/policy.js'
import type { TaskClientBaseOptions } from './taskClient.js'

/**
 * The number given for an option, or its default.
 *
 * @throws {TaskConfigurationError} if it is no number above 0.
 */
export function positive<Default>(name: string, value: number | undefined, otherwise: Default): number | Default {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && value > 0) return value
  throw new TaskConfigurationError(`${name} is ${String(value)}; it must be a number above 0.`)
}

/**
 * The same, for a time that has to pass.
 *
 * @throws {TaskConfigurationError} if it is no number above 0, or never passes.
 */
export function finite<Default>(name: string, value: number | undefined, otherwise: Default): number | Default {
  if (value !== Number.POSITIVE_INFINITY) return positive(name, value, otherwise)
  throw new TaskConfigurationError(`${name} is Infinity; it must be a number above 0 that is finite.`)
}

/** The numbers of a policy that may be infinite: what they limit is then without a limit. */
const LIMITS = ['safetyIntervalMs', 'maxMs', 'maxAttempts']

/**
 * The policy that `poll`, `retry` and `callTimeoutMs` describe.
 *
 * @throws {TaskConfigurationError} if a number is not a number or makes no sense.
 */
export function readPollPolicy({ poll, retry, callTimeoutMs }: TaskClientBaseOptions): PollPolicy {
  const policy: Record<string, unknown> & PollPolicy = { ...DEFAULT_POLL_POLICY }
  for (const [group, given] of Object.entries({ 'poll.': poll, 'retry.': retry, '': { callTimeoutMs } })) {
    for (const [name, value] of Object.entries<unknown>(given ?? {})) {
      if (!(name in policy) || value === undefined) continue
      const read = LIMITS.includes(name) ? positive : finite
      policy[name] = name === 'hidden' ? value : read(group + name, value as number, 0)
    }
  }
  return {
    ...policy,
    callTimeoutMs: Math.min(policy.callTimeoutMs, MAX_TIMER_MS),
    // Tabs tell each other when the next poll is due, in JSON, which has no infinity.
    safetyIntervalMs: Math.min(policy.safetyIntervalMs, LONGEST_WAIT_MS),
  }
}

/**
 * The storage that the option names.
 *
 * @throws {TaskConfigurationError} if it names none.
 */
export function readStorage(
  option: Exclude<TaskClientBaseOptions['storage'], undefined>,
  environment: Environment,
): TaskStorage {
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
