import { isJsonObject } from '../../core/protocol/json.js'
import type { Tool } from '../../core/protocol/tool.js'
import type { McpInputSchema } from './mcpTool.js'

/** How `ai` marks a schema that it takes as it is, in all its versions: that of its `jsonSchema()`. */
const AI_SCHEMA = Symbol.for('vercel.ai.schema')

/** The JSON Schema of a tool's arguments, for `ai` and for whoever reads Standard Schema. */
export function inputSchema<Input>({ inputSchema: given }: Tool): McpInputSchema<Input> {
  // Providers refuse schemas without properties, and models invent arguments where others are not ruled out.
  const { properties = {}, additionalProperties = isWhole(given) ? false : undefined } = given
  const jsonSchema = { ...given, properties, ...(additionalProperties !== undefined && { additionalProperties }) }
  const schema = {
    [AI_SCHEMA]: true,
    _type: undefined,
    jsonSchema,
    validate: (value: unknown) =>
      isJsonObject(value)
        ? { success: true, value }
        : { success: false, error: new TypeError('The input of the tool is not an object.') },
    '~standard': {
      version: 1,
      vendor: 'taskwire',
      validate: (value: unknown) =>
        isJsonObject(value)
          ? { value: value as Input }
          : { issues: [{ message: 'The input of the tool is not an object.' }] },
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  } as const
  return schema
}

/** Keywords that name arguments elsewhere than in `properties`. To rule out all others would rule out those. */
const ELSEWHERE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas']

/** True if all arguments of the tool are among the `properties` of its schema. */
function isWhole(schema: Tool['inputSchema']): boolean {
  return !ELSEWHERE.some((keyword) => keyword in schema)
}
