import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/**
 * A pattern in the fields of a form that a response could block the process with, or undefined. Too many ways to match a text
 * have a group that repeats with something in it that repeats or has alternatives, such as `(a+)+$`, and more than three
 * repetitions in one pattern.
 */
export function blockingPattern({ properties }: JsonObject): string | undefined {
  return Object.values(isJsonObject(properties) ? properties : {})
    .flatMap((field) => patternOf(field) ?? [])
    .find(mayBlock)
}

/** The longest text that a pattern is tried on, in characters: at 256 it takes a second at most. */
const MAX_PATTERN_TEXT = 256
const MAX_REPETITIONS = 3

/** The name of a field whose text is too long for its pattern, which must not be tried on it then. */
export function fieldTooLongForPattern({ properties }: JsonObject, content: JsonObject): string | undefined {
  const fields = Object.entries(isJsonObject(properties) ? properties : {})
  return fields.find(([name, field]) => patternOf(field) !== undefined && isTooLong(content[name]))?.[0]
}

function isTooLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > MAX_PATTERN_TEXT
}

function patternOf(field: unknown): string | undefined {
  return isJsonObject(field) && typeof field['pattern'] === 'string' ? field['pattern'] : undefined
}

/** Escaped characters, classes, the beginnings and ends of groups, repetitions, alternatives; then all others. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\{\d+(?:,\d*)?\}|[\s\S]/gu

function mayBlock(pattern: string): boolean {
  /** Of each group that is open, whether something in it makes its repetition dangerous. */
  const open: boolean[] = [false]
  const tokens = pattern.match(TOKEN) ?? []
  for (const [at, token] of tokens.entries()) {
    if (token.startsWith('(')) open.push(false)
    else if (token === ')') {
      const isAmbiguous = open.pop() ?? false
      const isRepeated = repeats(tokens[at + 1])
      if (isAmbiguous && isRepeated) return true
      if (isAmbiguous) open[open.length - 1] = true
    } else if (token === '|' || repeats(token)) open[open.length - 1] = true
  }
  return tokens.filter(repeats).length > MAX_REPETITIONS
}

/** True for a repetition whose number is open. */
function repeats(token = ''): boolean {
  return token === '*' || token === '+' || /^\{\d+,/.test(token)
}
