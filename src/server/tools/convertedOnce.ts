import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'

type Convert = StandardSchemaWithJSON['~standard']['jsonSchema']['input']

const converted = new WeakMap<StandardSchemaWithJSON, StandardSchemaWithJSON>()

/** The same schema, converted to JSON Schema once: the SDK converts the schema of a tool for each of its calls. */
export function convertedOnce(schema: StandardSchemaWithJSON): StandardSchemaWithJSON {
  let found = converted.get(schema)
  if (found === undefined) {
    found = withMemory(schema)
    converted.set(schema, found)
  }
  return found
}

function withMemory(schema: StandardSchemaWithJSON): StandardSchemaWithJSON {
  const standard = schema['~standard']
  // Releases of zod that cannot convert are converted by the SDK.
  const jsonSchema = standard.jsonSchema as (typeof standard)['jsonSchema'] | undefined
  if (jsonSchema === undefined) return schema
  return {
    '~standard': {
      ...standard,
      jsonSchema: { input: remember(jsonSchema.input), output: remember(jsonSchema.output) },
    },
  }
}

function remember(convert: Convert): Convert {
  const found = new Map<string, ReturnType<Convert>>()
  return (options) => {
    const known = found.get(options.target)
    if (known !== undefined && options.libraryOptions === undefined) return known
    const made = convert(options)
    if (options.libraryOptions === undefined) found.set(options.target, made)
    return made
  }
}
