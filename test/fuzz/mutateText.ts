import { KNOWN_FAULTS } from './knownFaults.js'
import type { Edit } from './mutateJson.js'

/** What gets into a text that should have been JSON. */
const SNIPPETS: readonly string[] = [
  '\u0000',
  '"',
  '\\',
  '}',
  ']',
  ',',
  ':',
  '\n',
  '\r\n\r\n',
  '\ud800',
  '\\ud800',
  '\u2028',
  '\ufeff',
  '{"a":',
  '['.repeat(200),
  'NaN',
  '1e400',
  '-0',
  '/* no */',
  'data: ',
  '<!doctype html>',
]

const NUMBERS: readonly string[] = [
  '1e400',
  '-1e400',
  '-1',
  '0',
  '-0',
  '2147483648',
  '1e-400',
  '9'.repeat(400),
  'NaN',
  '01',
  ...(KNOWN_FAULTS.has('deep JSON') ? [] : [`${'['.repeat(20_000)}${']'.repeat(20_000)}`]),
]

/** A text with changes: cut, bits flipped, parts doubled, numbers that no double holds, members that come twice. */
export function mutateText(text: string, edits: readonly Edit[]): string {
  return edits.reduce(change, text)
}

function change(text: string, { where, how, what }: Edit): string {
  const at = text.length === 0 ? 0 : where % text.length
  const [before, after] = [text.slice(0, at), text.slice(at)]
  switch (how % 8) {
    case 0:
      return before
    case 1:
      return before + String.fromCharCode(after.charCodeAt(0) ^ (1 << (what % 8))) + after.slice(1)
    case 2:
      return before + (SNIPPETS[what % SNIPPETS.length] ?? '') + after
    case 3:
      return before + after.slice(1 + (what % 40))
    case 4:
      return nth(text, /(?<=[:[,])-?\d+(?:\.\d+)?/g, where, () => NUMBERS[what % NUMBERS.length] ?? '')
    case 5:
      return nth(text, /"[^"\\]{1,40}":/g, where, (key) => `${key}${DOUBLES[what % DOUBLES.length]},${key}`)
    case 6:
      return nth(text, /"[^"\\]{1,40}":/g, where, () => '"__proto__":')
    default:
      return what % 2 === 0 ? text + text : `)]}'\n${text}`
  }
}

const DOUBLES: readonly string[] = ['null', '1e400', '"first"', '{"__proto__":{"polluted":true}}', '[]', 'false']

/** Replaces one of the matches. */
function nth(text: string, pattern: RegExp, where: number, replace: (match: string) => string): string {
  const matches = [...text.matchAll(pattern)]
  const match = matches[where % Math.max(1, matches.length)]
  if (match === undefined) return text
  return text.slice(0, match.index) + replace(match[0]) + text.slice(match.index + match[0].length)
}
