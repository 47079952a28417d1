import { type ToolSchemas, toolHash, toolsHash } from '../../../core/client/toolsHash.js'
import { asError } from '../../../core/protocol/asError.js'
import { isJsonObject, isTooDeep, type JsonObject } from '../../../core/protocol/json.js'
import { hash } from '../../../core/record/hash.js'
import type { ListedTool } from './listTools.js'
import type { Compile } from './loadCompile.js'
import { freeName, pascalCase, prepareSchema, referredName } from './prepareSchema.js'

/** A module, and what it cannot say. */
export interface WrittenModule {
  readonly text: string
  readonly warnings: readonly string[]
}

interface WrittenType {
  /** How the module refers to it. */
  readonly type: string
  /** Declarations that it needs. */
  readonly code: string
  readonly warning?: string
}

const HEAD = '// made by `npx taskwire types`; do not edit'

/** The module of a list of tools: their types and the hash of the list. */
export async function writeModule(tools: readonly ListedTool[], compile: Compile): Promise<WrittenModule> {
  const names = createNames()
  const declarations: string[] = []
  const members: string[] = []
  const warnings: string[] = []

  async function typeOf(schema: unknown, name: string, what: string): Promise<string> {
    const written = await writeType(schema, name, compile)
    if (written.code !== '') declarations.push(written.code)
    if (written.warning !== undefined) warnings.push(`${what} is unknown: ${written.warning}`)
    return written.type
  }

  for (const { name, description, inputSchema, outputSchema } of tools) {
    const typeName = names(name)
    const args = await typeOf(inputSchema, `${typeName}Arguments`, `The type of the arguments of "${name}"`)
    const lines = [`    arguments: ${args}`]
    if (outputSchema !== undefined) {
      const output = await typeOf(outputSchema, `${typeName}Output`, `The type of what "${name}" returns`)
      lines.push(`    structuredContent: ${output}`)
    }
    members.push([...comment(description), `  ${propertyKey(name)}: {`, ...lines, '  }'].join('\n'))
  }
  const hashes = tools.map((tool) => `// ${toolHash(tool, hash)} ${quote(tool.name)}`)
  const text = [
    HEAD,
    `export interface Tools {\n${members.join('\n')}\n}`,
    ...declarations,
    `/** A hash of names and schemas: if it changes, generate the types again. */\nexport const toolsHash = '${toolsHash(tools, hash)}'`,
    `${hashes.join('\n')}\n`,
  ].join('\n\n')
  return { text, warnings }
}

/** What a module that was written before says of its tools. */
export function readHashes(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^\/\/ ([0-9a-f]{28}) ("(?:[^"\\]|\\.)*")$/gm)].map(([, hash = '', name = '']) => [
      unquote(name),
      hash,
    ]),
  )
}

/** Which tools came, went and changed, in a line each; nothing where the module fits. */
export function compareHashes(before: ReadonlyMap<string, string>, tools: readonly ToolSchemas[]): string[] {
  const now = new Map(tools.map((tool) => [tool.name, toolHash(tool, hash)]))
  const names = [...new Set([...before.keys(), ...now.keys()])].sort()
  return names.flatMap((name) => {
    if (!before.has(name)) return [`+ ${name}`]
    if (!now.has(name)) return [`- ${name}`]
    return before.get(name) === now.get(name) ? [] : [`~ ${name}`]
  })
}

async function writeType(schema: unknown, name: string, compile: Compile): Promise<WrittenType> {
  if (schema === undefined || schema === true) return { type: 'unknown', code: '' }
  if (isTooDeep(schema)) return { type: 'unknown', code: '', warning: 'its schema is nested too deep.' }
  const prepared = prepareSchema(schema, name)
  if (isEmptyObject(prepared)) return { type: 'Record<string, never>', code: '' }
  try {
    const code = asTypes(await compile(prepared, name))
    // What it refers to may come before it.
    const isDeclared = new RegExp(`^export type ${name} `, 'm').test(code)
    return { type: isDeclared ? name : (referredName(prepared) ?? name), code }
  } catch (error) {
    const [line = ''] = asError(error).message.split('\n')
    return { type: 'unknown', code: '', warning: line.slice(0, 200) }
  }
}

/** An object without properties: `{}` would take anything. */
function isEmptyObject(schema: JsonObject): boolean {
  const { type, properties, additionalProperties, ...rest } = schema
  const isEmpty = properties === undefined || (isJsonObject(properties) && Object.keys(properties).length === 0)
  const others = Object.keys(rest).filter((keyword) => keyword !== 'required' && keyword !== 'description')
  return type === 'object' && isEmpty && (additionalProperties ?? false) === false && others.length === 0
}

/** Types instead of interfaces: only they fit where an object with any keys is wanted. */
function asTypes(code: string): string {
  return code.trim().replace(/^export interface (\w+) (?=\{)/gm, 'export type $1 = ')
}

/** Names for types, no two alike. */
function createNames(): (tool: string) => string {
  const taken = new Set(['Tools'])
  return (tool) => freeName(pascalCase(tool), taken)
}

function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

/** A name as a literal on one line, also for TypeScript, which knows more ends of lines than JSON. */
function quote(name: string): string {
  return JSON.stringify(name).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function unquote(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

/** A description as a comment that it cannot end. */
function comment(description: string | undefined): string[] {
  const lines = (description ?? '')
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trimEnd())
  if (lines.every((line) => line === '')) return []
  if (lines.length === 1) return [`  /** ${lines[0]} */`]
  return ['  /**', ...lines.map((line) => `   * ${line}`.trimEnd()), '   */']
}
