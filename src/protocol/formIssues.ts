import { isJsonObject, type JsonObject } from './json.js'

/** What is wrong with one field of a form, to be shown beside it. */
export interface FormIssue {
  /** The name of the field in `requestedSchema`. */
  readonly path: string
  /** For the user, in English: "Choose at least 1.". */
  readonly message: string
}

/**
 * What in the content of an accepted form does not fit its `requestedSchema`, one issue a field at most; empty where the
 * form fits. Only what MCP 2026-07-28, "Elicitation", "Requested Schema" lets a form ask is looked at. Everything else is
 * left to the server: on a pattern or a reference of its choice a browser can be at work for ever.
 */
export function formIssues(schema: JsonObject, content: JsonObject): readonly FormIssue[] {
  const fields = objectOf(schema['properties'])
  const required = new Set<unknown>(listOf(schema['required']))
  return [...new Set([...Object.keys(fields), ...required])].flatMap((path) => {
    if (typeof path !== 'string') return []
    // What every object inherits fills in no field, and what is undefined is not sent.
    const value = Object.hasOwn(content, path) ? content[path] : undefined
    if (value === undefined) return required.has(path) ? [{ path, message: 'This field is required.' }] : []
    const message = problemOf(objectOf(fields[path]), value)
    return message === undefined ? [] : [{ path, message }]
  })
}

function problemOf(field: JsonObject, value: unknown): string | undefined {
  switch (field['type']) {
    case 'string':
      return typeof value === 'string' ? (textProblem(field, value) ?? choiceProblem(field, [value])) : 'Enter a text.'
    case 'integer':
    case 'number':
      return numberProblem(field, value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Choose yes or no.'
    case 'array':
      return Array.isArray(value) ? choicesProblem(field, value) : 'Choose from the options.'
    default:
      return choiceProblem(field, [value])
  }
}

function textProblem({ minLength, maxLength, format }: JsonObject, text: string): string | undefined {
  const { length } = Array.from(text)
  if (isLess(length, minLength)) return `Enter at least ${characters(minLength)}.`
  if (isLess(maxLength, length)) return `Enter at most ${characters(maxLength)}.`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'Enter an email address, such as name@example.com.'
  if (format === 'uri' && (!URL.canParse(text) || /\s/.test(text)))
    return 'Enter a full address, such as https://example.com.'
  if (format === 'date' && !isDate(text)) return 'Enter a date, such as 2026-07-28.'
  if (format === 'date-time' && !(isDate(text.slice(0, 10)) && TIME.test(text.slice(10))))
    return 'Enter a date and a time with its zone, such as 2026-07-28T09:30:00Z.'
  return undefined
}

function numberProblem({ type, minimum, maximum }: JsonObject, value: unknown): string | undefined {
  if (type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.'
  if (!Number.isFinite(value)) return 'Enter a number.'
  if (isLess(value, minimum)) return `Enter ${minimum} or more.`
  return isLess(maximum, value) ? `Enter ${maximum} or less.` : undefined
}

function choicesProblem({ minItems, maxItems, items }: JsonObject, chosen: readonly unknown[]): string | undefined {
  if (isLess(chosen.length, minItems)) return `Choose at least ${minItems}.`
  if (isLess(maxItems, chosen.length)) return `Choose at most ${maxItems}.`
  return choiceProblem(objectOf(items), chosen)
}

function choiceProblem(field: JsonObject, chosen: readonly unknown[]): string | undefined {
  const titled = listOf(field['oneOf'] ?? field['anyOf']).map((option) => objectOf(option)['const'])
  const options = new Set<unknown>(Array.isArray(field['enum']) ? field['enum'] : titled)
  if (options.size === 0 || options.has(undefined)) return undefined
  // An object or a list is nothing that a form may offer: the server judges.
  const isOffered = (value: unknown) => typeof value === 'object' || options.has(value)
  return chosen.every(isOffered) ? undefined : 'Choose one of the options.'
}

/** RFC 3339, "full-time", after the letter that parts it from the date. */
const TIME = /^[T ][0-2]\d:[0-5]\d:[0-6]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

function isDate(text: string): boolean {
  // A day that the month does not have is not a date, or another one.
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.startsWith(text) === true
}

/** False where one of the two is no number: a limit that is absent or makes no sense holds nobody. */
function isLess(a: unknown, b: unknown): boolean {
  return typeof a === 'number' && typeof b === 'number' && a < b
}

function characters(count: unknown): string {
  return count === 1 ? '1 character' : `${count} characters`
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
