// Plain English. People read pages, messages and starters once, and in a hurry. The patterns below have made readers stop, so
// `npm run docs` refuses them in what users see, and says what to write instead.
//
// Only prose is read: no code blocks, no code in backticks, no addresses, no comments of HTML, no names of tests.

/**
 * One word for one thing: the word, what it means, and the words for it that are refused.
 *
 * @type {readonly { term: string, means: string, not: RegExp }[]}
 */
export const TERMS = [
  { term: 'call', means: 'one use of a tool by the page', not: /\btool invocations?\b|\binvok(?:es?|ed|ing)\b/i },
  {
    term: 'task',
    means: 'the work that a server makes of a call',
    not: /\b(?:background|long-running) (?:job|operation)s?\b/i,
  },
  { term: 'run', means: 'what a tool does while it works', not: /\bunder way\b|\bat work\b/i },
  { term: 'poll', means: 'one `tasks/get`', not: /\bstatus (?:check|request|quer)(?:s|y|ies)?\b/i },
  {
    term: 'resume',
    means: 'find a running task again, and follow it',
    not: /\b(?:takes?|taken|taking|took)(?: \w+){0,3} up\b/i,
  },
  {
    term: 'cancel',
    means: 'ask the server to stop a task',
    not: /\b(?:abort|kill|terminate)s? (?:the|a) (?:call|task)\b/i,
  },
  {
    term: 'sign in',
    means: 'get a token for the user',
    not: /\blog(?:s|ged|ging)? ?in(?:to)?\b|\bsign(?:s|ed)? on\b/i,
  },
]

/** @type {readonly { pattern: RegExp, instead: string }[]} */
const PATTERNS = [
  { pattern: /\b(?:am|is|are|was|were|be|been|being) (?:told|asked)\b/i, instead: 'say who tells or asks whom' },
  { pattern: /\b(?:go|goes|going|gone|went) on\b/i, instead: 'say "continue" or "keep running"' },
  { pattern: /\bby (?:itself|themselves)\b/i, instead: 'say "automatically", or who does it' },
  { pattern: /\banew\b/i, instead: 'say "again"' },
  { pattern: /\bany more\b(?! than\b)/i, instead: 'say "no longer"' },
  { pattern: /\b(?:is|are|has|have) none\b/i, instead: 'name the thing that is missing' },
  { pattern: /\b(?:[Nn]obody|[Ww]hoever)\b/, instead: 'name the tab, the app, the user or the server' },
  { pattern: /\b(?:is|are|be) spared\b/i, instead: 'say what is left out' },
  { pattern: /\bfares?\b/i, instead: 'say "the state of"' },
  { pattern: /\bfor ever\b/i, instead: 'say "forever", or what does not end' },
  {
    pattern: /\bwhat(?:ever)? (?:becomes?|became|comes?|came) of\b/i,
    instead: 'say "the outcome of", or "how it ends"',
  },
  { pattern: /\b(?:comes?|came) to nothing\b/i, instead: 'say "fails"' },
  { pattern: /(?<!\b[Tt]here )\b(?:is|are) no (?!longer|more|later|earlier)[a-z]/i, instead: 'say "is not a …"' },
  {
    pattern:
      /(?<=^ *(?:[-*] |\d+\. |> )*|[.!?] |['`>|] )Where (?:it|its|they|their|there|that|this|yours)\b[^.!?|\n]*,/m,
    instead: 'say "If"',
  },
  {
    pattern: /(?<=^ *(?:[-*] |\d+\. |> )*|[.!] |['`>])(?:What|Who)\b[^.!?]*[.!:](?=\s|$)/m,
    instead: 'begin with the thing, not with a clause',
  },
]

const REFUSED = [
  ...PATTERNS,
  ...TERMS.map(({ term, means, not }) => ({ pattern: not, instead: `our word is "${term}": ${means}` })),
]

/** What is no prose, and what stands in its place: as many lines. */
const NO_PROSE = [
  /^---\n.*?^---$/ms,
  /<!--.*?-->/gs,
  /^ *```.*?^ *```$/gms,
  /`[^`\n]*`/g,
  /\]\([^)\s]*\)/g,
  /^\[\^[^\]]+\]:.*$/gm,
  /\[\^[^\]]+\]/g,
  /<[^>\n]+>/g,
]

/**
 * @param {string} text
 * @returns {string[]} the patterns in it, each with its line
 */
export function checkWords(text) {
  return REFUSED.flatMap(({ pattern, instead }) =>
    [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(
      ({ index, 0: found }) => `line ${lineAt(text, index)}: "${short(found)}": ${instead}.`,
    ),
  )
}

/**
 * @param {string} markdown of a page
 * @returns {string[]} what a reader would have to solve
 */
export function checkProse(markdown) {
  const blank = (/** @type {string} */ part) => part.replace(/[^\n]+/g, 'x')
  const code = /^ *```.*?^ *```$\n\n(?<next>[a-z][^\n]*)/gms
  const lower = [...markdown.matchAll(code)].map(
    ({ index, 0: whole, groups: { next = '' } = {} }) =>
      `line ${lineAt(markdown, index + whole.length)}: "${short(next)}": begin the sentence after the code with a capital letter.`,
  )
  return [...checkWords(NO_PROSE.reduce((text, part) => text.replace(part, blank), markdown)), ...lower]
}

/**
 * @param {string} source of TypeScript
 * @returns {string[]} what a reader of its texts would have to solve; comments are for those who change it
 */
export function checkTexts(source) {
  const blank = (/** @type {string} */ part) => part.replace(/[^\n]+/g, '')
  return checkWords(source.replace(/\/\*.*?\*\//gs, blank).replace(/(?<=^|\s)\/\/.*$/gm, ''))
}

/** @param {string} text @param {number} index */
const lineAt = (text, index) => text.slice(0, index).split('\n').length

/** @param {string} text */
const short = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text).replace(/\s+/g, ' ')
