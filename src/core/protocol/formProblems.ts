import { isJsonObject, type JsonObject } from './json.js'

/** The rule that the value of a field breaks: a type, keyword or format of its schema. */
export type FormProblemCode =
  | 'required'
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'array'
  | 'enum'
  | 'minLength'
  | 'maxLength'
  | 'minimum'
  | 'maximum'
  | 'minItems'
  | 'maxItems'
  | 'email'
  | 'uri'
  | 'date'
  | 'date-time'

/** A problem with one field of a form. */
export interface FormProblem {
  /** The name of the field in `requestedSchema`. */
  readonly path: string
  readonly code: FormProblemCode
  /** What the user is to do about it, in English. */
  readonly message: string
  /** The limit that is not kept: characters, items or the number itself. */
  readonly limit: number | undefined
}

type Finding = Omit<FormProblem, 'path'>

/**
 * What in the content of an accepted form does not fit its `requestedSchema`, one problem a field at most; empty where the
 * form fits. Only what MCP 2026-07-28, "Elicitation", "Requested Schema" lets a form ask is looked at. Everything else is
 * left to the server: on a pattern or a reference of its choice a browser can be at work for ever.
 */
export function formProblems(schema: JsonObject, content: JsonObject): readonly FormProblem[] {
  const fields = objectOf(schema['properties'])
  const required = new Set<unknown>(listOf(schema['required']))
  return [...new Set([...Object.keys(fields), ...required])].flatMap((path) => {
    if (typeof path !== 'string') return []
    // What every object inherits fills in no field, and what is undefined is not sent.
    const value = Object.hasOwn(content, path) ? content[path] : undefined
    const problem =
      value === undefined
        ? required.has(path) && say('required', 'This field is required.')
        : problemOf(objectOf(fields[path]), value)
    return problem ? [{ path, ...problem }] : []
  })
}

/** The values that a field, or the items of one, may have; undefined where it may have any. */
export function offeredValues(field: JsonObject): ReadonlySet<unknown> | undefined {
  const titled = listOf(field['oneOf'] ?? field['anyOf']).map((option) => objectOf(option)['const'])
  const values = new Set<unknown>(Array.isArray(field['enum']) ? field['enum'] : titled)
  return values.size === 0 || values.has(undefined) ? undefined : values
}

function problemOf(field: JsonObject, value: unknown): Finding | undefined {
  switch (field['type']) {
    case 'string':
      return typeof value === 'string'
        ? (textProblem(field, value) ?? choiceProblem(field, [value]))
        : say('string', 'Enter a text.')
    case 'integer':
    case 'number':
      return numberProblem(field, value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : say('boolean', 'Choose yes or no.')
    case 'array':
      return Array.isArray(value) ? choicesProblem(field, value) : say('array', 'Choose from the options.')
    default:
      return choiceProblem(field, [value])
  }
}

function textProblem({ minLength, maxLength, format }: JsonObject, text: string): Finding | undefined {
  const { length } = Array.from(text)
  if (isLess(length, minLength)) return say('minLength', `Enter at least ${characters(minLength)}.`, minLength)
  if (isLess(maxLength, length)) return say('maxLength', `Enter at most ${characters(maxLength)}.`, maxLength)
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text))
    return say('email', 'Enter an email address, such as name@example.com.')
  if (format === 'uri' && (!URL.canParse(text) || /\s/.test(text)))
    return say('uri', 'Enter a full address, such as https://example.com.')
  if (format === 'date' && !isDate(text)) return say('date', 'Enter a date, such as 2026-07-28.')
  if (format === 'date-time' && !(isDate(text.slice(0, 10)) && TIME.test(text.slice(10))))
    return say('date-time', 'Enter a date and a time with its zone, such as 2026-07-28T09:30:00Z.')
  return undefined
}

function numberProblem({ type, minimum, maximum }: JsonObject, value: unknown): Finding | undefined {
  if (type === 'integer' && !Number.isInteger(value)) return say('integer', 'Enter a whole number.')
  if (!Number.isFinite(value)) return say('number', 'Enter a number.')
  if (isLess(value, minimum)) return say('minimum', `Enter ${minimum} or more.`, minimum)
  return isLess(maximum, value) ? say('maximum', `Enter ${maximum} or less.`, maximum) : undefined
}

function choicesProblem({ minItems, maxItems, items }: JsonObject, chosen: readonly unknown[]): Finding | undefined {
  if (isLess(chosen.length, minItems)) return say('minItems', `Choose at least ${minItems}.`, minItems)
  if (isLess(maxItems, chosen.length)) return say('maxItems', `Choose at most ${maxItems}.`, maxItems)
  return choiceProblem(objectOf(items), chosen)
}

function choiceProblem(field: JsonObject, chosen: readonly unknown[]): Finding | undefined {
  const offered = offeredValues(field)
  // An object or a list is nothing that a form may offer: the server judges.
  const isOffered = (value: unknown) => typeof value === 'object' || offered === undefined || offered.has(value)
  return chosen.every(isOffered) ? undefined : say('enum', 'Choose one of the options.')
}

function say(code: FormProblemCode, message: string, limit?: unknown): Finding {
  return { code, message, limit: limit as number | undefined }
}

/** RFC 3339, "full-time", after the letter that parts it from the date. */
const TIME = /^[T ][0-2]\d:[0-5]\d:[0-6]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

function isDate(text: string): boolean {
  // A day that the month does not have is not a date, or another one.
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.startsWith(text) === true
}

/** False where one of the two is no number: a limit that is absent or makes no sense does not apply. */
function isLess(a: unknown, b: unknown): boolean {
  return typeof a === 'number' && typeof b === 'number' && a < b
}

function characters(count: unknown): string {
  return count === 1 ? '1 character' : `${count} characters`
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
