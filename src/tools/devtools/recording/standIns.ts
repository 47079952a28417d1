import { hash } from '../../../core/record/hash.js'

/** What a name, an id or a text of the user is called in a recording: `key-1`, `task-2`. Equal for what is equal. */
export type StandIns = (
  kind: 'call' | 'key' | 'task' | 'message' | 'input' | 'result' | 'sent',
  original: unknown,
) => string

export function createStandIns(): StandIns {
  const known = new Map<string, { readonly names: Map<string, string>; count: number }>()
  return (kind, original) => {
    const ofKind = known.get(kind) ?? { names: new Map<string, string>(), count: 0 }
    known.set(kind, ofKind)
    const { names } = ofKind
    // A result may be long, and a page may live for days: no text is kept.
    const of = hash(typeof original === 'string' ? original : (JSON.stringify(original) ?? ''))
    const name = names.get(of) ?? `${kind}-${++ofKind.count}`
    names.delete(of)
    names.set(of, name)
    const [oldest] = names.size > MAX_NAMES ? names.keys() : []
    if (oldest !== undefined) names.delete(oldest)
    return name
  }
}

/** As many of each kind are known, those that were named last: more than the steps that a recording has. */
const MAX_NAMES = 10_000

type Json = Readonly<Record<string, unknown>>

/** Members that say how something is and not what it is about. What is not named here or below is left out. */
const PLAIN = new Set([
  ...['resultType', 'status', 'createdAt', 'lastUpdatedAt', 'method', 'mode', 'cacheScope', 'reason', 'taskSupport'],
  ...['ttlMs', 'ttl', 'pollIntervalMs', 'pollInterval', 'code', 'isError', 'keyTtlMs', 'progress', 'total'],
  ...['progressTotal', 'readOnlyHint', 'idempotentHint', 'destructiveHint', 'openWorldHint', 'protocolVersion'],
])

/** Members whose own members say how something is. */
const NESTED = new Set([
  'params',
  'task',
  'error',
  'data',
  'execution',
  'annotations',
  'dev.taskwire/progress',
  '_meta',
])

/** A message of JSON-RPC with nothing in it that is the user's: as much as the client needs to come to the same states. */
export function standInMessage(message: unknown, name: StandIns): Json {
  const { method, params, result, error } = objectOf(message)
  return {
    ...(typeof method === 'string' && { method }),
    ...(params !== undefined && { params: standIn(objectOf(params), name) }),
    ...(result !== undefined && { result: standIn(objectOf(result), name) }),
    ...(error !== undefined && { error: standIn({ message: 'message', ...objectOf(error) }, name) }),
  }
}

function standIn(value: Json, name: StandIns): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      const replaced = replace(key, member, name)
      return replaced === undefined ? [] : [[key, replaced]]
    }),
  )
}

function replace(key: string, member: unknown, name: StandIns): unknown {
  if (PLAIN.has(key)) return isWord(member) ? member : undefined
  if (NESTED.has(key)) return isScalar(member) ? undefined : standIn(objectOf(member), name)
  switch (key) {
    case 'taskId':
      return name('task', member)
    case 'taskIds':
      return listOf(member).map((id) => name('task', id))
    case 'statusMessage':
    case 'message':
      return name('message', member)
    case 'content':
      return [{ type: 'text', text: name('result', member) }]
    case 'result':
      return standIn(objectOf(member), name)
    case 'capabilities':
      return flagsOf(objectOf(member))
    case 'supportedVersions':
      return listOf(member).filter((version) => typeof version === 'string')
    case 'serverInfo':
      return { name: 'server', version: '0' }
    case 'tools':
      return listOf(member).map((tool) => toolOf(objectOf(tool), name))
    case 'inputRequests':
      return renamed(member, name, (request) => requestOf(objectOf(request)))
    case 'inputResponses':
      return renamed(member, name, () => ({}))
    case 'notifications':
      return standIn(objectOf(member), name)
    default:
      return undefined
  }
}

/** Which capabilities there are, and whether they are on. */
function flagsOf(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      if (!isWord(member) && isScalar(member)) return []
      return [[key, isScalar(member) ? member : flagsOf(objectOf(member))]]
    }),
  )
}

function toolOf(tool: Json, name: StandIns): Json {
  return { name: tool['name'], inputSchema: { type: 'object' }, ...standIn(tool, name) }
}

function renamed(members: unknown, name: StandIns, of: (member: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(objectOf(members)).map(([key, member]) => [name('input', key), of(member)]))
}

/** An input request that any response fits. */
function requestOf({ method, params }: Json): Json {
  const { mode } = objectOf(params)
  return {
    method,
    params: {
      message: 'message',
      ...(mode === 'url'
        ? { mode, url: 'https://example.com/', elicitationId: 'elicitation' }
        : { requestedSchema: { type: 'object', properties: {} } }),
    },
  }
}

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
/** What is no text of somebody. */
const isWord = (value: unknown) => (typeof value === 'string' ? /^[\w:./+-]{1,100}$/.test(value) : isScalar(value))
const isScalar = (value: unknown) => typeof value !== 'object' || value === null
