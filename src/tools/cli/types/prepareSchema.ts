import { isJsonObject, type JsonObject } from '../../../core/protocol/json.js'

/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const ONE = new Set(['items', 'additionalItems', 'additionalProperties', 'not', 'contains'])
const MANY = new Set(['allOf', 'anyOf', 'oneOf', 'items'])
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
/** What else has to do with types. The rest is left out: some of it would be taken for TypeScript (`tsType`). */
const KEPT = new Set(['type', 'enum', 'const', 'required', '$ref', 'description', 'deprecated'])
/** Keywords that alone say nothing about a type. */
const SILENT = new Set(['required', 'description', 'deprecated', 'not', '$defs', 'definitions'])
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/**
 * A schema of a server as `json-schema-to-typescript` can be trusted with it: only keywords that say something about
 * types, those of 2020-12 in the words of draft 4, and definitions under names that no other schema has.
 *
 * @param prefix - what the names of definitions begin with.
 */
export function prepareSchema(schema: unknown, prefix: string): JsonObject {
  if (!isJsonObject(schema)) return { tsType: schema === false ? 'never' : 'unknown' }
  const result: JsonObject = {}
  for (const [keyword, value] of Object.entries(withoutPrefixItems(schema))) {
    if (keyword === 'type' && ![value].flat().every((type) => TYPES.has(String(type)))) continue
    if (KEPT.has(keyword)) result[keyword] = value
    else if (NAMED.has(keyword) && isJsonObject(value)) result[keyword] = prepareNamed(keyword, value, prefix)
    else if (MANY.has(keyword) && Array.isArray(value)) result[keyword] = value.map((one) => prepareSchema(one, prefix))
    else if (ONE.has(keyword)) result[keyword] = typeof value === 'boolean' ? value : prepareSchema(value, prefix)
  }
  // Without it, the type would be that of an object.
  return Object.keys(result).every((keyword) => SILENT.has(keyword)) ? { ...result, tsType: 'unknown' } : result
}

function prepareNamed(keyword: string, schemas: JsonObject, prefix: string): JsonObject {
  const isDefinition = keyword === '$defs' || keyword === 'definitions'
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const prepared = prepareSchema(schema, prefix)
      return [name, isDefinition ? { ...prepared, title: prefix + pascalCase(name) } : prepared]
    }),
  )
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
