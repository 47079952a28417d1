import { TaskConfigurationError } from '../protocol/errors.js'

/** An option has a value that it cannot have. */
export function mustBe(name: string, value: unknown, allowed: string): TaskConfigurationError {
  return new TaskConfigurationError(`${name} is ${shown(value)}; it must be ${allowed}.`)
}

/** A value of an option, as an error message has it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
