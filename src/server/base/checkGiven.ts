import { TaskConfigurationError } from '../../core/protocol/errors.js'

/** What has to be passed under a name, and in words what it is that has these methods. */
export interface Needed {
  readonly methods: readonly string[]
  /** A method of what is easily taken for it. */
  readonly without?: string
  readonly pass: string
}

/**
 * Checks what a store or a queue is made of.
 *
 * @throws {TaskConfigurationError} naming the option that is missing, unknown, or something else.
 */
export function checkGiven(
  what: string,
  given: unknown,
  needed: Readonly<Record<string, Needed>>,
  optional: readonly string[] = [],
): void {
  const options: Record<string, unknown> = typeof given === 'object' && given !== null ? { ...given } : {}
  for (const [name, { methods, without, pass }] of Object.entries(needed)) {
    const value = options[name]
    if (value === undefined) refuse(what, `\`${name}\` is missing. Pass ${pass}.`)
    const isOther = without !== undefined && hasMethods(value, [without])
    if (isOther || !hasMethods(value, methods)) refuse(what, `\`${name}\` is ${kindOf(value)}. Pass ${pass}.`)
  }
  const names = [...Object.keys(needed), ...optional]
  const unknown = Object.keys(options).find((name) => options[name] !== undefined && !names.includes(name))
  if (unknown !== undefined) refuse(what, `there is no option \`${unknown}\`. The options are ${names.join(', ')}.`)
}

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  const members = Object(value) as Record<string, unknown>
  return methods.every((name) => typeof members[name] === 'function')
}

function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a ${typeof value}`
  const { name } = value.constructor ?? {}
  return typeof name === 'string' && name !== 'Object' && name !== '' ? `of the class ${name}` : 'something else'
}

function refuse(what: string, problem: string): never {
  throw new TaskConfigurationError(`Failed to create the ${what}: ${problem}`)
}
