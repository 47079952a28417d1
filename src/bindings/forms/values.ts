import type { JsonObject } from '../../core/protocol/json.js'
import type { ElicitationValue } from './elicitationFields.js'
import type { FieldSpec } from './parseFields.js'

/** The values of a form by the names of its fields. A map, since a server may name a field `__proto__`. */
export type FieldValues = ReadonlyMap<string, ElicitationValue>

/** A value as a field of this kind holds it, whatever it is made of: a default, a draft, or what a control says. */
export function fieldValue({ kind, type, options }: FieldSpec, value: unknown): ElicitationValue {
  switch (kind) {
    case 'boolean':
      return value === true
    case 'choices':
      return options.flatMap((option) => (Array.isArray(value) && value.includes(option.value) ? [option.value] : []))
    case 'choice':
      // The empty text may be one of the options: it was chosen only where somebody has done so.
      return options.some((option) => option.value === value) ? String(value) : undefined
    case 'number':
      return typeof value === 'number' && !Number.isNaN(value) ? String(value) : textOf(value)
    case 'text':
      return type === 'datetime-local' ? localTime(textOf(value)) : textOf(value)
    case 'unsupported':
      return undefined
  }
}

/** What is sent, in the types that the schema asks for. What is not filled in is left out. */
export function contentOf(specs: readonly FieldSpec[], values: FieldValues): JsonObject {
  return Object.fromEntries(
    specs.flatMap((spec) => {
      const value = sentValue(spec, values.get(spec.name))
      return value === undefined ? [] : [[spec.name, value]]
    }),
  )
}

function sentValue(spec: FieldSpec, value: ElicitationValue): unknown {
  if (Array.isArray(value)) {
    // An optional choice is left out if an empty one is not allowed.
    const isLeftOut = value.length === 0 && !spec.isRequired && (spec.limits.minItems ?? 0) > 0
    return isLeftOut ? undefined : value
  }
  if (typeof value !== 'string') return value
  if (spec.kind === 'choice') return value
  const text = spec.type === 'text' && spec.kind === 'text' ? value : value.trim()
  if (text === '') return undefined
  if (spec.kind === 'number') return readNumber(text)
  return spec.type === 'datetime-local' ? sentTime(spec, text) : text
}

/**
 * A comma that can only stand for the point of a decimal: in many languages, the keypad that phones show for decimals has no
 * point. In `1,500` it may part the thousands, and in `1,0000` the myriads, as in Chinese and Japanese.
 */
const DECIMAL_COMMA = /^[+-]?(0?,\d+|\d+,(\d{1,2}|\d{5,}))$/

/** The number that the text is; `NaN` if it is not a number, or would become another whole number: it has more digits than a number keeps. */
function readNumber(typed: string): number {
  const narrow = inAscii(typed)
  const text = DECIMAL_COMMA.test(narrow) ? narrow.replace(',', '.') : narrow
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number.NaN
  const number = Number(text)
  return Number.isInteger(number) && decimalOf(text) !== decimalOf(String(number)) ? Number.NaN : number
}

/** The same for every way to write a number, without its sign: its digits from the first to the last that is not zero, and where they end. */
function decimalOf(text: string): string {
  const [, whole = '', fraction = '', exponent = 0] = /^[+-]?(\d*)\.?(\d*)(?:e(.*))?$/i.exec(text) ?? []
  const digits = whole + fraction
  let end = digits.length
  // A pattern would begin at each zero.
  while (digits[end - 1] === '0') end--
  const kept = digits.slice(0, end).replace(/^0+/, '')
  return kept && `${kept}e${Number(exponent) - fraction.length + digits.length - end}`
}

/** Signs and digits as the keyboards of many languages type them, as those that they stand for. Some are as wide as a Chinese character. */
function inAscii(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\p{Nd}/gu, digitOf)
    .replaceAll('\u2212', '-')
    .replace('\u066b', '.')
}

/** Unicode has the decimal digits of each script in a row, beginning with zero. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i
const ZONE = /(Z|[+-]\d\d:\d\d)$/i

/** Of a text that has no zone, in the user's own. Invalid where the text is no time. */
function readTime(text: string): Date {
  return new Date(TIME.test(text) && isDay(text) ? text.toUpperCase().replace(' ', 'T') : Number.NaN)
}

/** False for the 30th of February, which would be read as a day in March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10)
  return new Date(day).toJSON()?.startsWith(day) === true
}

/** A time in the user's own zone, as `<input type="datetime-local">` has it. Other texts stay as they are. */
function localTime(text: string): string {
  // Browsers show no time of microseconds, as Python writes it.
  if (!ZONE.test(text)) return TIME.test(text) ? text.replace(/(\.\d{3})\d+$/, '$1') : text
  const time = readTime(text)
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toJSON()?.replace(/(:00)?(\.000)?Z$/, '') ?? text
}

/** The time with its zone. A default that was not changed is sent as the server wrote it, if it has written a zone. */
function sentTime({ initial }: FieldSpec, text: string): string {
  if (ZONE.test(text)) return text
  if (typeof initial === 'string' && ZONE.test(initial) && localTime(initial) === text) return initial
  return readTime(text).toJSON() ?? text
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
