import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/**
 * What is wrong with the patterns of a form, or undefined. A response could block the process with one that may try a short text in
 * too many ways, such as `(a+)+$`, `(a|b)*` or `(a?){30}`.
 */
export function patternProblem(schema: JsonObject): string | undefined {
  if (hasKey(schema, 'patternProperties')) return 'its form has patternProperties'
  const blocking = patternsIn(schema).find((pattern) => workOf(pattern) > MAX_WORK)
  return blocking && `the pattern ${blocking} can take minutes on a short text`
}

/** The longest text that a pattern is tried on, in characters. */
const MAX_PATTERN_TEXT = 256
/** As a power of two: what takes a second or two where a text does not match. */
const MAX_WORK = 27.5

/** The name of a field whose text is too long for its pattern, which must not be tried on it then. */
export function fieldTooLongForPattern(schema: JsonObject, content: JsonObject): string | undefined {
  const { properties, ...others } = schema
  const fields = isJsonObject(properties) ? properties : {}
  const isForAll = hasKey(others, 'pattern')
  return Object.keys(content).find((name) => (isForAll || hasKey(fields[name], 'pattern')) && isTooLong(content[name]))
}

function isTooLong(value: unknown): boolean {
  const texts = Array.isArray(value) ? value : [value]
  return texts.some((text) => typeof text === 'string' && text.length > MAX_PATTERN_TEXT)
}

/** Wherever they stand: a validator also follows what the specification does not have in forms. */
function patternsIn(schema: unknown): string[] {
  return entriesIn(schema).flatMap(([key, value]) => (key === 'pattern' && typeof value === 'string' ? [value] : []))
}

function hasKey(schema: unknown, name: string): boolean {
  return entriesIn(schema).some(([key]) => key === name)
}

/** The entries of all objects in a value. */
function entriesIn(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  return [...entries, ...entries.flatMap(([, member]) => entriesIn(member))]
}

/** Escaped characters, classes, the beginnings and ends of groups, repetitions, alternatives; then all others. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\{\d+(?:,\d*)?\}|[\s\S]/gu

/** In how many ways a part of a pattern can match. */
interface Ways {
  /** How many parts of it repeat without a limit. Each can end at any character, behind the one before it. */
  readonly repetitions: number
  /** What is optional, repeats to a limit, or has alternatives, as a power of two. */
  readonly choices: number
}

const ONE_WAY: Ways = { repetitions: 0, choices: 0 }
const NO_END: Ways = { repetitions: Number.POSITIVE_INFINITY, choices: 0 }

/** What stands between two parentheses, as far as it has been read. */
interface Group {
  readonly alternatives: readonly Ways[]
  /** This alternative, without its last part. */
  readonly ways: Ways
  /** Its last part, which a quantifier may repeat. */
  readonly last: Ways
  readonly isQuantified: boolean
}

const NEW_GROUP: Group = { alternatives: [], ways: ONE_WAY, last: ONE_WAY, isQuantified: false }

/** How much a text that does not match may cost at most, as a power of two. */
function workOf(pattern: string): number {
  const groups: Group[] = []
  let group = NEW_GROUP
  for (const token of pattern.match(TOKEN) ?? []) {
    const range = rangeOf(token)
    if (range !== undefined) {
      // A second quantifier makes the first one lazy.
      const last = group.isQuantified ? group.last : repeated(group.last, range)
      group = { ...group, last, isQuantified: true }
    } else if (token === '|') {
      group = { ...NEW_GROUP, alternatives: [...group.alternatives, both(group.ways, group.last)] }
    } else if (token.startsWith('(')) {
      groups.push(group)
      group = NEW_GROUP
    } else if (token === ')') group = follow(groups.pop() ?? NEW_GROUP, waysOf(group))
    else group = follow(group, ONE_WAY)
  }
  const isAnchored = pattern.startsWith('^') && group.alternatives.length === 0
  const { repetitions, choices } = waysOf(group)
  return ofRepetitions(repetitions + (isAnchored ? 0 : 1)) + choices + Math.log2(choices + 1)
}

/** In how many ways so many repetitions can share the longest text, as a power of two. */
function ofRepetitions(count: number): number {
  let ways = 0
  for (let one = 1; one <= Math.min(count, MAX_WORK); one += 1) ways += Math.log2((MAX_PATTERN_TEXT + one) / one)
  return ways
}

function waysOf({ alternatives, ways, last }: Group): Ways {
  const all = [...alternatives, both(ways, last)]
  return {
    repetitions: Math.max(...all.map(({ repetitions }) => repetitions)),
    choices: Math.log2(all.reduce((total, { choices }) => total + 2 ** choices, 0)),
  }
}

function both(one: Ways, other: Ways): Ways {
  return { repetitions: one.repetitions + other.repetitions, choices: one.choices + other.choices }
}

function follow({ alternatives, ways, last }: Group, part: Ways): Group {
  return { alternatives, ways: both(ways, last), last: part, isQuantified: false }
}

/** How often a quantifier repeats what stands before it; undefined for other tokens. */
function rangeOf(token: string): { least: number; most: number } | undefined {
  if (token === '?') return { least: 0, most: 1 }
  if (token === '*' || token === '+') return { least: 0, most: Number.POSITIVE_INFINITY }
  const [, from, comma, to] = /^\{(\d+)(,?)(\d*)\}$/.exec(token) ?? []
  if (from === undefined) return undefined
  const least = Number(from)
  if (comma === '') return { least, most: least }
  return { least, most: to === '' ? Number.POSITIVE_INFINITY : Number(to) }
}

function repeated({ repetitions, choices }: Ways, { least, most }: { least: number; most: number }): Ways {
  const isSimple = repetitions === 0 && choices === 0
  // What repeats in a repetition doubles the ways with each character.
  if (most - least >= MAX_PATTERN_TEXT) return isSimple ? { repetitions: 1, choices: 0 } : NO_END
  const itself = isSimple ? ONE_WAY : { repetitions: repetitions * most, choices: choices * most }
  return both(itself, { repetitions: 0, choices: Math.log2(most - least + 1) })
}
