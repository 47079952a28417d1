import { INTERNAL_ERROR, ProtocolError } from '@modelcontextprotocol/server'
import { TaskStorageError } from '../../core/protocol/errors.js'
import { toJson } from '../../core/protocol/json.js'
import type { TaskFailure } from '../../core/protocol/task.js'

/** What a client may know of an error: a `ProtocolError` is meant for it, of any other it learns nothing. */
export function toTaskFailure(error: unknown): TaskFailure {
  if (error instanceof TaskStorageError) return NOT_STORED
  if (!(error instanceof ProtocolError)) return { code: INTERNAL_ERROR, message: 'The tool failed unexpectedly.' }
  const data = toJson(error.data)
  const code = Number.isSafeInteger(error.code) ? error.code : INTERNAL_ERROR
  return { code, message: error.message, ...(data !== undefined && { data }) }
}

const NOT_STORED: TaskFailure = {
  code: INTERNAL_ERROR,
  message: 'The server could not store the outcome of the tool, which may have run in part.',
}
