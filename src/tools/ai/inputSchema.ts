import { isJsonObject } from '../../core/protocol/json.js'
import type { Tool } from '../../core/protocol/tool.js'
import type { McpInputSchema } from './mcpTool.js'

/** How `ai` marks a schema that it takes as it is, in all its versions: that of its `jsonSchema()`. */
const AI_SCHEMA = Symbol.for('vercel.ai.schema')

/** The JSON Schema of a tool's arguments, for `ai` and for whoever reads Standard Schema. */
export function inputSchema<Input>({ inputSchema: given }: Tool): McpInputSchema<Input> {
  // Providers refuse schemas without properties, and models invent arguments where others are not ruled out.
  const { properties = {}, additionalProperties = false } = given
  const jsonSchema = { ...given, properties, additionalProperties }
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
