import { isJsonObject, type JsonObject } from './json.js'
import { PROGRESS_META } from './progress.js'

/** As much `_meta` of a task as is kept, in characters of JSON. */
const MAX_META_LENGTH = 16_384

/** Members that belong to the response and not to the task (2026-07-28, "Reserved _meta keys"). */
const RESERVED = 'io.modelcontextprotocol/'

/** What a server says of a task beyond the protocol; undefined where that is nothing, or too much. */
export function parseTaskMeta(meta: unknown, issue: (violation: string) => void): JsonObject | undefined {
  if (!isJsonObject(meta)) return undefined
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith(RESERVED) && key !== PROGRESS_META)
  if (kept.length === 0) return undefined
  const own = Object.fromEntries(kept)
  if (JSON.stringify(own).length <= MAX_META_LENGTH) return own
  return void issue(`_meta is longer than ${MAX_META_LENGTH} characters; ignored`)
}
