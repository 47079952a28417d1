import { inDevelopment } from '../environment/inDevelopment.js'
import { asError } from '../protocol/asError.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { isJsonObject } from '../protocol/json.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { ToolCallRequest } from '../protocol/taskPort.js'
import { MAX_META_LENGTH } from '../record/codec.js'
import type { KeptResults } from '../storage/keptResults.js'
import { positive } from './options.js'
import type { ToolCallOptions, ToolCallParams } from './taskClient.js'

/**
 * The tool and the arguments that a call names, as they go over the wire.
 *
 * @throws {TaskConfigurationError} without a tool, or where an argument is not JSON.
 */
export function checkParams(params: ToolCallParams): ToolCallRequest {
  if (typeof params?.name !== 'string' || params.name === '') {
    throw new TaskConfigurationError(
      `A tool call needs a tool${inDevelopment ? ": pass { name: 'my_tool' }. listTools() returns the tools of the server." : '.'}`,
    )
  }
  const { name, arguments: given } = params
  if (given === undefined) return { name }
  const args: unknown = JSON.parse(textOf(`The arguments of "${name}"`, given))
  if (isJsonObject(args)) return { name, arguments: args }
  throw new TaskConfigurationError(`The arguments of "${name}" must be an object.`)
}

/** How much of a result is kept where the app does not say, in bytes. */
const KEPT_BYTES = 1_000_000

/**
 * The options of a call, with a copy of what the app notes with it.
 *
 * @throws {TaskConfigurationError} if `meta` is not JSON object or too long, or if nothing keeps results.
 */
export function readCallOptions<T extends Pick<ToolCallOptions, 'meta' | 'keepResult'>>(
  options: T,
  results: KeptResults | undefined,
): Omit<T, 'keepResult'> & { keepResult: number | undefined } {
  const { meta, keepResult } = options
  return {
    ...options,
    ...(meta !== undefined && { meta: copyOfMeta(meta) }),
    keepResult: keepResult ? readKeepResult(keepResult, results) : undefined,
  }
}

function readKeepResult(keepResult: true | { maxBytes: number }, results: KeptResults | undefined): number {
  if (results === undefined) {
    throw new TaskConfigurationError(
      `keepResult needs a place to keep results${inDevelopment ? ": createTaskClient({ results: keptResults() }), from 'taskwire/results'." : '.'}`,
    )
  }
  return keepResult === true ? KEPT_BYTES : positive('keepResult.maxBytes', keepResult.maxBytes, KEPT_BYTES)
}

function copyOfMeta(meta: ToolCallMeta): ToolCallMeta {
  const text = textOf('The values in meta', meta)
  const copy: ToolCallMeta | undefined = text.length <= MAX_META_LENGTH ? JSON.parse(text) : undefined
  if (isJsonObject(copy)) return copy
  throw new TaskConfigurationError(
    `meta of a call must be a JSON object of at most ${MAX_META_LENGTH} characters${inDevelopment ? ': it is stored with each call. Store longer values yourself, and put their id into meta.' : '.'}`,
  )
}

/** The JSON that goes over the wire. Calls take a copy of it: what the app changes afterwards, or a framework wraps, is not theirs. */
function textOf(what: string, args: object): string {
  const places = new Map<unknown, string>()
  /** JSON calls it with what is left after `toJSON()`, and would drop a function and make `{}` of a Map. */
  function check(this: unknown, key: string, value: unknown): unknown {
    const place = inDevelopment ? placeOf(places.get(this), key, Array.isArray(this)) : key
    const kind = kindWithoutJson(value)
    if (kind) throw new TypeError(`${place} is ${kind}`)
    if (inDevelopment) places.set(value, place)
    return value
  }
  try {
    return JSON.stringify(args, check) ?? 'null'
  } catch (cause) {
    throw new TaskConfigurationError(
      `${what} are not JSON: ${asError(cause).message}.${inDevelopment ? ' Pass strings, numbers, booleans, null, lists and objects of them.' : ''}`,
      { cause },
    )
  }
}

/** The path of a member: `order.items[1].price`. The root has none. */
function placeOf(holder: string | undefined, key: string, isInList: boolean): string {
  if (holder === undefined) return ''
  if (isInList || !/^[\w$]+$/.test(key)) return `${holder}[${isInList ? key : JSON.stringify(key)}]`
  return holder === '' ? key : `${holder}.${key}`
}

/** What a value is that JSON leaves out or changes; undefined where it is written as it is. What is undefined is left out on purpose. */
function kindWithoutJson(value: unknown): string | undefined {
  const kind = typeof value
  if (kind === 'object') {
    const tag = Object.prototype.toString.call(value).slice(8, -1)
    return /^(Object|Array|Null|String|Number|Boolean)$/.test(tag) ? undefined : `a ${tag}`
  }
  if (kind === 'number') return Number.isFinite(value) ? undefined : String(value)
  return /bigint|function|symbol/.test(kind) ? `a ${kind}` : undefined
}
