import { INVALID_PARAMS } from '../../core/protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Answer } from './observed.js'

/** The result of a response; undefined for an error and for what is no response. */
export function resultOf(answer: Answer): JsonObject | undefined {
  const result = 'failure' in answer ? undefined : answer.message?.['result']
  return isJsonObject(result) ? result : undefined
}

/** The JSON-RPC error of a response. */
function errorOf(answer: Answer): { readonly code: unknown; readonly message: unknown } | undefined {
  const error = 'failure' in answer ? undefined : answer.message?.['error']
  return isJsonObject(error) ? { code: error['code'], message: error['message'] } : undefined
}

/** A value of a server as text. An object of JSON may have a member `toString`, which `String()` would call. */
export function textOf(value: unknown): string {
  return String(typeof value === 'object' ? JSON.stringify(value) : value)
}

export function isInvalidParams(answer: Answer): boolean {
  return errorOf(answer)?.code === INVALID_PARAMS
}

/** A response in a few words. */
export function describe(answer: Answer): string {
  if ('failure' in answer) return answer.failure.message
  const error = errorOf(answer)
  if (error !== undefined)
    return `the error ${textOf(error.code).slice(0, 200)}: ${textOf(error.message).slice(0, 200)}`
  const type = answer.headers.get('content-type')?.split(';')[0]
  const what = answer.message === undefined ? `${type ?? 'nothing'}` : 'a result'
  return `HTTP ${answer.status} with ${what}`
}
