import { isJsonObject, type JsonObject } from '../../../core/protocol/json.js'

/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const ONE = new Set(['items', 'additionalItems', 'additionalProperties', 'not', 'contains'])
const MANY = new Set(['allOf', 'anyOf', 'oneOf', 'items'])
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
/** What else has to do with types. The rest is left out: some of it would be taken for TypeScript (`tsType`). */
const KEPT = new Set(['type', 'enum', 'const', 'required', '$ref', 'description', 'deprecated'])
/** Keywords that alone say nothing about a type. */
const SILENT = new Set(['required', 'description', 'deprecated', 'not', '$defs', 'definitions'])
const TYPES: ReadonlySet<unknown> = new Set<unknown>([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
])

/**
 * A schema of a server as `json-schema-to-typescript` can be trusted with it: only keywords that say something about
 * types, those of 2020-12 in the words of draft 4, and all that it refers to under names that no other schema has.
 *
 * @param prefix - what the names of what it refers to begin with.
 */
export function prepareSchema(schema: unknown, prefix: string): JsonObject {
  const references = new Set<string>()
  const prepared = prepare(schema, references)
  const taken = new Set<string>()
  for (const reference of references) {
    const target = targetOf(prepared, reference)
    if (target === undefined || target === prepared || 'title' in target) continue
    target['title'] = freeName(prefix + pascalCase(decodeStep(reference.split('/').at(-1) ?? '')), taken)
  }
  return prepared
}

/** The name of the type of a prepared schema that is a reference and no more: that of what it refers to. */
export function referredName(prepared: JsonObject): string | undefined {
  const target = targetOf(prepared, prepared['$ref'])
  return target && String(target['title'])
}

function prepare(schema: unknown, references: Set<string>): JsonObject {
  if (!isJsonObject(schema)) return { tsType: schema === false ? 'never' : 'unknown' }
  const result: JsonObject = {}
  for (const [keyword, value] of Object.entries(withoutPrefixItems(schema))) {
    if (keyword === 'type' && ![value].flat().every((type) => TYPES.has(type))) continue
    if (keyword === '$ref') {
      if (typeof value !== 'string') continue
      references.add(value)
    }
    if (KEPT.has(keyword)) result[keyword] = value
    else if (NAMED.has(keyword) && isJsonObject(value)) result[keyword] = prepareNamed(value, references)
    else if (MANY.has(keyword) && Array.isArray(value)) result[keyword] = value.map((one) => prepare(one, references))
    else if (ONE.has(keyword)) result[keyword] = typeof value === 'boolean' ? value : prepare(value, references)
  }
  // Without it, the type would be that of an object.
  return Object.keys(result).every((keyword) => SILENT.has(keyword)) ? { ...result, tsType: 'unknown' } : result
}

function prepareNamed(schemas: JsonObject, references: Set<string>): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, prepare(schema, references)]))
}

/** What a reference within a schema refers to; undefined where that is nothing, or elsewhere. */
function targetOf(root: JsonObject, reference: unknown): JsonObject | undefined {
  const [start, ...steps] = typeof reference === 'string' ? reference.split('/') : []
  let target: unknown = start === '#' ? root : undefined
  for (const step of steps.map(decodeStep)) {
    target = Object.hasOwn(Object(target), step) ? (target as JsonObject)[step] : undefined
  }
  return isJsonObject(target) ? target : undefined
}

/** A step of a JSON Pointer in a URL. */
function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

/** The name, with a number where it is taken. It is taken from then on. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${name}${number}`
  taken.add(free)
  return free
}

/** A tuple as draft 4 writes it. */
function withoutPrefixItems({ prefixItems, ...schema }: JsonObject): JsonObject {
  if (!Array.isArray(prefixItems)) return schema
  return { ...schema, items: prefixItems, additionalItems: schema['items'] ?? true }
}

/** A name for a type: `make_report` becomes `MakeReport`. As `json-schema-to-typescript` would spell it, in ASCII. */
export function pascalCase(name: string): string {
  const parts = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== '')
  const joined = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('')
  const spelt = joined.replace(/\d+[a-z]/g, (match) => match.toUpperCase())
  return /^[A-Z]/.test(spelt) ? spelt : `T${spelt}`
}
