import { isJsonObject } from './json.js'
import { decodeTaskAddress } from './taskAddress.js'

/** As much of a text from outside as is kept, in characters: a longer one fits no screen. */
const MAX_TEXT_LENGTH = 4096

/** What is shorter guards nothing, and is found in words and numbers that are no ids. */
const MIN_SECRET_LENGTH = 8

/** Causes of causes that are kept: they may go round in a circle. */
const MAX_CAUSES = 8

/** A text from outside, cut to what fits a screen. Where it may name a task, `withoutId` comes after this. */
export function cutText(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH)
}

/** The text without the task id that a server or a proxy may have put into it: messages end up on screens and in logs. */
export function withoutId(text: string, taskId: string | undefined): string {
  if (taskId === undefined) return text
  const { taskId: bareId, sessionId = '' } = decodeTaskAddress(taskId)
  const wasCut = text.length >= MAX_TEXT_LENGTH
  return [taskId, bareId, sessionId]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .reduce((said, secret) => withoutSecret(said, secret, wasCut), text)
}

function withoutSecret(text: string, secret: string, wasCut: boolean): string {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const whole = `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`
  const said = secret.length > text.length ? text : text.replace(new RegExp(whole, 'gu'), '[task]')
  // A text that was cut may end within the id.
  for (let length = secret.length - 1; wasCut && length >= MIN_SECRET_LENGTH; length--) {
    if (said.endsWith(secret.slice(0, length))) return `${said.slice(0, -length)}[task]`
  }
  return said
}

/** The same for every text in a JSON value. */
export function withoutIdInJson<T>(value: T, taskId: string | undefined): T
export function withoutIdInJson(value: unknown, taskId: string | undefined): unknown {
  if (taskId === undefined) return value
  if (typeof value === 'string') return withoutId(value, taskId)
  if (Array.isArray(value)) return value.map((item) => withoutIdInJson(item, taskId))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [withoutId(key, taskId), withoutIdInJson(item, taskId)])
  return Object.fromEntries(entries)
}

/**
 * A copy of an error that can be printed: name, message, code and causes. What else the errors of others
 * carry, and their stack, is what the server has sent.
 */
export function withoutIdInCause(cause: unknown, taskId: string, depth: number = MAX_CAUSES): unknown {
  if (!(cause instanceof Error)) return typeof cause === 'string' ? withoutId(cutText(cause), taskId) : undefined
  const deeper = depth > 0 ? withoutIdInCause(cause.cause, taskId, depth - 1) : undefined
  const copy = new Error(
    withoutId(cutText(cause.message), taskId),
    deeper === undefined ? undefined : { cause: deeper },
  )
  copy.name = cause.name
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' || typeof code === 'number' ? Object.assign(copy, { code }) : copy
}

/** What a `TaskExpiredError` says of an unknown task where nothing else is known. */
export const UNKNOWN_TASK = 'The server no longer knows this task: it expired or was lost. Start the call again.'
