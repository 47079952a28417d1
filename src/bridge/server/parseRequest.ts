import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { type CancelledStart, type PageAction, type PageRequest, readCallRef, WIRE_VERSION } from '../wire/messages.js'

const MAX_ID_LENGTH = 128
const MAX_KEY_LENGTH = 1024

const isShort = (value: unknown, length = MAX_KEY_LENGTH): value is string =>
  typeof value === 'string' && value !== '' && value.length <= length

/** A request of a page, which has come to the backend. */
export interface ArrivedRequest extends PageRequest {
  /** When it came, in ms since the epoch. */
  readonly cameAt: number
}

/** What a page asks for, or undefined for what is no request of one. */
export function parseRequest(body: unknown): PageRequest | undefined {
  if (!isJsonObject(body) || body['v'] !== WIRE_VERSION) return undefined
  const { id, user, isRepeated, epoch, action } = body
  const parsed = isJsonObject(action) ? parseAction(action) : undefined
  if (!isShort(id, MAX_ID_LENGTH) || parsed === undefined) return undefined
  return {
    v: WIRE_VERSION,
    id,
    ...(typeof user === 'string' && { user }),
    isRepeated: isRepeated === true,
    ...(isShort(epoch, MAX_ID_LENGTH) && { epoch }),
    action: parsed,
  }
}

function parseAction(action: JsonObject): PageAction | undefined {
  const { type } = action
  const call = readCallRef(action['call'])
  const run = typeof action['run'] === 'number' ? { run: action['run'] } : {}
  switch (type) {
    case 'start':
      return parseStart(action)
    case 'cancel': {
      const start = parseCancelledStart(action['start'])
      return call && { type, call, ...run, ...(start && { start }) }
    }
    case 'resume':
      return call && { type, call }
    case 'respond': {
      const { inputKey, response } = action
      return call && isShort(inputKey) && isJsonObject(response)
        ? { type, call, ...run, inputKey, response }
        : undefined
    }
    case 'forget':
      if (action['call'] === undefined) return { type, ...parseAge(action) }
      return call && { type, call, ...run }
    case 'connect':
    case 'listTools':
      return { type }
    default:
      return undefined
  }
}

function parseAge({ ageMs }: JsonObject): { ageMs?: number } {
  return typeof ageMs === 'number' ? { ageMs } : {}
}

function parseCancelledStart(value: unknown): CancelledStart | undefined {
  if (!isJsonObject(value)) return undefined
  const { id, seen, ageMs, sinceMs } = value
  if (!isShort(id, MAX_ID_LENGTH) || typeof ageMs !== 'number') return undefined
  return { id, ageMs, ...(typeof seen === 'number' && { seen }), ...(typeof sinceMs === 'number' && { sinceMs }) }
}

function parseStart(action: JsonObject): PageAction | undefined {
  const { name, key, arguments: args, meta, repeat, takesAny, seen, isLost, joins } = action
  if (!isShort(name) || !isShort(key)) return undefined
  if (args !== undefined && !isJsonObject(args)) return undefined
  if (repeat !== 'never' && repeat !== 'settled' && repeat !== 'always') return undefined
  return {
    type: 'start',
    name,
    key,
    repeat,
    ...(args && { arguments: args }),
    ...(isJsonObject(meta) && { meta }),
    ...(takesAny === true && { takesAny }),
    ...(typeof seen === 'number' && { seen }),
    ...parseAge(action),
    ...(isLost === true && { isLost }),
    ...(joins === true && { joins }),
  }
}
