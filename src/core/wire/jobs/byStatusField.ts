import { TaskRequestError } from '../../protocol/errors.js'
import { isJsonObject } from '../../protocol/json.js'
import type { JobReading, JobToolResult } from './job.js'
import { fieldAt, saidBy, saysGone } from './jobResult.js'

/**
 * The meaning of the words in a status field, and the names of the other fields. Name a field as in `defineJob({ id })`,
 * with dots for nested fields.
 */
export interface StatusFieldOptions {
  /** Words for a running job, in addition to `queued`, `pending`, `running`, `in_progress`, … */
  readonly working?: readonly string[] | undefined
  /** Words for a job that is done, in addition to `completed`, `done`, `success`, `finished`, … */
  readonly completed?: readonly string[] | undefined
  /** Words for a job that failed, in addition to `failed`, `error`, … */
  readonly failed?: readonly string[] | undefined
  /** Words for a job that was cancelled, in addition to `cancelled`, `canceled`, `aborted`, … */
  readonly cancelled?: readonly string[] | undefined
  /** Words for a job that the server does not know, in addition to `not_found`, `expired`, … */
  readonly gone?: readonly string[] | undefined
  /** The field with words for people. @default 'message', if it is a string */
  readonly message?: string | undefined
  /** The field that says why a job failed. @default 'error', else the field of `message` */
  readonly error?: string | undefined
  /**
   * The progress of the job: a field in percent, or a field for the value and a field or a number for the total.
   * @default no progress
   */
  readonly progress?: string | { readonly value: string; readonly total?: string | number | undefined } | undefined
  /**
   * The field with the result, which the caller gets as `structuredContent` and as JSON text. @default the whole result of
   * the status tool
   */
  readonly result?: string | undefined
}

type Status = 'working' | 'completed' | 'failed' | 'cancelled' | 'gone'

const STATUSES: readonly Status[] = ['working', 'completed', 'failed', 'cancelled', 'gone']

/** Words by which servers say where a job stands, as `plain` makes them. */
const WORDS: Readonly<Record<Status, string>> = {
  working:
    'accepted active canceling cancelling created enqueued executing generating inprogress inqueue notstarted paused pending preparing processing queued running scheduled started starting stopping submitted waiting working',
  completed: 'complete completed done finished ok ready succeeded success successful',
  failed: 'crashed errored error failed failure interrupted killed timedout timeout',
  cancelled: 'aborted canceled cancelled revoked',
  gone: 'expired missing notfound',
}

/**
 * Returns a function that reads the result of a status tool by the word in one of its fields. Upper case, spaces,
 * hyphens and underscores make no difference. An unknown word does not end the call: polling continues, `network` is `retrying`, and
 * `lastError` names the word.
 *
 * @example
 * ```ts
 * byStatusField('status', { working: ['rendering'], progress: { value: 'step', total: 'steps' } })
 * ```
 */
export function byStatusField(field: string, options: StatusFieldOptions = {}): (result: JobToolResult) => JobReading {
  const statusOf = readWords(options)
  return (result) => {
    const { structuredContent: fields } = result
    const word = fieldAt(fields, field)
    const status = typeof word === 'string' ? statusOf.get(plain(word)) : undefined
    if (status !== undefined) return readingOf(status, fields, result, options)
    if (word === undefined && saysGone(saidBy(result))) return { status: 'gone', message: saidBy(result) }
    if (word === undefined) throw new Error(`there is no field "${field}"`)
    const quoted = typeof word === 'string' ? JSON.stringify(word.slice(0, MAX_WORD)) : `a ${typeof word}`
    throw new TaskRequestError(
      `The status tool says ${quoted} in "${field}", a word that byStatusField does not know. Say what it means: byStatusField('${field}', { working: [${quoted}] }).`,
      { kind: 'malformed' },
    )
  }
}

const MAX_WORD = 40

/** What the app says of a word goes before what is common. */
function readWords(options: StatusFieldOptions): ReadonlyMap<string, Status> {
  const common = STATUSES.flatMap((status) => WORDS[status].split(' ').map((word) => [word, status] as const))
  const own = STATUSES.flatMap((status) => (options[status] ?? []).map((word) => [plain(word), status] as const))
  return new Map([...common, ...own])
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[\s_-]+/g, '')
}

function readingOf(
  status: Status,
  fields: unknown,
  result: JobToolResult,
  {
    message: messageAt = 'message',
    error: errorAt = 'error',
    progress: progressAt,
    result: resultAt,
  }: StatusFieldOptions,
): JobReading {
  const message = text(fieldAt(fields, messageAt))
  switch (status) {
    case 'working':
      return { status, message, progress: progressAt === undefined ? undefined : progressOf(fields, progressAt) }
    case 'completed':
      return {
        status,
        message,
        result: resultAt === undefined ? undefined : outcome(fieldAt(fields, resultAt), result),
      }
    case 'failed': {
      const error = fieldAt(fields, errorAt)
      const why = text(error) ?? text(fieldAt(error, 'message')) ?? message
      return { status, message: why, data: isJsonObject(error) ? error : undefined }
    }
    default:
      return { status, message }
  }
}

function progressOf(fields: unknown, at: NonNullable<StatusFieldOptions['progress']>) {
  const { value: valueAt, total: totalAt } = typeof at === 'string' ? { value: at, total: 100 } : at
  const value = amount(fieldAt(fields, valueAt))
  const total = typeof totalAt === 'string' ? amount(fieldAt(fields, totalAt)) : totalAt
  return value === undefined ? undefined : { value, total }
}

/** Also of a text such as "40" or "40%". */
function amount(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}

function outcome(value: unknown, result: JobToolResult): JobToolResult {
  if (value === undefined) return result
  return { content: [{ type: 'text', text: text(value) ?? JSON.stringify(value) }], structuredContent: value }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
