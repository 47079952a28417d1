import type { CallToolResult } from '../../protocol/callToolResult.js'
import { isJsonObject, isTooDeep } from '../../protocol/json.js'
import { cutText } from '../../protocol/text.js'
import type { JobToolResult } from './job.js'

/** The result with its fields in `structuredContent`, also where the tool says them as JSON in one of its texts. */
export function withFields(result: CallToolResult): JobToolResult {
  const { structuredContent } = result
  const [said] = structuredContent === undefined ? textsOf(result).flatMap((text) => json(text) ?? []) : []
  const fields = said ?? wrapped(structuredContent)
  return fields === undefined ? result : { ...result, structuredContent: fields }
}

/** Python servers wrap the text that a tool returns: `{ "result": "{…}" }`. */
function wrapped(value: unknown): unknown {
  if (!isJsonObject(value) || Object.keys(value).length > 1) return undefined
  const { result } = value
  return typeof result === 'string' ? json(result) : undefined
}

function json(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !isTooDeep(value) ? value : undefined
  } catch {
    return undefined
  }
}

function textsOf({ content }: CallToolResult): string[] {
  return content.flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
}

/** What a tool says in words, as much of it as fits into a message. */
export function saidBy(result: CallToolResult): string {
  const { structuredContent: fields } = withFields(result)
  const { error, message } = isJsonObject(fields) ? fields : {}
  const [words] = [error, message, ...textsOf(result)].filter((one) => typeof one === 'string' && one.trim() !== '')
  return cutText(String(words ?? ''))
    .trim()
    .slice(0, MAX_SAID)
}

const MAX_SAID = 300

/** A member of a member, `a.b.c`. Undefined where there is none. */
export function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, name) => {
    if (Array.isArray(found)) return found[Number(name)]
    return isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }, value)
}

/**
 * True for words by which servers say that they do not know a job: "Run 12 not found", "No such job". That something else is
 * unknown or has expired, such as an error or a token, says nothing about the job, and nor does what is not there yet. In doubt
 * it is false: a job that is polled on in vain does less harm than one that is given up while it runs.
 */
export function saysGone(words: string): boolean {
  return !/\byet\b/i.test(words) && (GONE.test(words) || NONE.test(words))
}

const JOB =
  '(?:jobs?|tasks?|runs?|ids?|prompts?|workflows?|requests?|executions?|operations?|processe?s?|builds?|deploy(?:ment)?s?|renders?|exports?|scans?|crawls?|research|generations?|videos?|images?|reports?|batch(?:es)?)'
/** After these, something else is meant: "The run failed because the token expired". */
const OTHER =
  '(?:fail|error|token|session|credential|key|file|host|server|service|output|model|worker|because|since|due|but|while|running)'
const GONE = new RegExp(
  `(?:\\b${JOB}\\b|\\[task\\])(?:(?!(?<![\\w-])${OTHER})[^.:;,]){0,60}(?:(?:not|n't) (?:be )?(?:found|known)|\\bexpired|\\bno longer (?:exists|available)|\\b(?:does not|doesn't) exist)\\b`,
  'i',
)
const NONE = new RegExp(
  `\\bno such ${JOB}\\b|\\bno ${JOB}(?: [^\\sa-z]\\S*)? (?:found|exists?|with|named|matching)\\b|\\bunknown ${JOB}\\b(?: ids?\\b)?(?! [a-z]+(?:[\\s.,!]|$))`,
  'i',
)
