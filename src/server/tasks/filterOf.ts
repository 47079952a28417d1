import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { TaskStatus } from '../../core/protocol/task.js'
import type { TaskListFilter } from './taskList.js'

const STATUSES: readonly TaskStatus[] = ['working', 'input_required', 'completed', 'failed', 'cancelled']
const TEXTS = ['owner', 'tool', 'cursor'] as const
const NUMBERS = ['createdAfter', 'createdBefore', 'limit'] as const

/**
 * The filter that a query stands for; what is empty is left out.
 *
 * @throws {TaskConfigurationError} if a value cannot be used.
 */
export function filterOf(query: URLSearchParams): TaskListFilter {
  const given = (name: string) => query.get(name) || undefined
  const status = given('status')
  if (status !== undefined && !isStatus(status)) throw unusable('status', status, `one of ${STATUSES.join(', ')}`)
  const texts = TEXTS.flatMap((name) => [[name, given(name)] as const])
  const numbers = NUMBERS.map((name) => [name, numberOf(name, given(name))] as const)
  const all = [...texts, ...numbers, ['status', status] as const]
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw unusable(name, text, 'a whole number')
  return value
}

function isStatus(text: string): text is TaskStatus {
  return STATUSES.some((status) => status === text)
}

function unusable(name: string, value: string, what: string): TaskConfigurationError {
  return new TaskConfigurationError(`Failed to list tasks: ${name} is ${JSON.stringify(value)}. Pass ${what}.`)
}
