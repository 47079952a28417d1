import type { Tool } from '@modelcontextprotocol/client'
import type { CallToolResult, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { legacyTaskSupport } from '../../core/protocol/legacyTask.js'
import { describeTool } from '../../core/wire/jobs/describeTool.js'
import type { Job } from '../../core/wire/jobs/job.js'
import { hasPlainName } from '../../server/checkOptions.js'
import { defineTool, type ToolDefinition } from '../../server/tools/defineTool.js'
import type { ToolContext } from '../../server/tools/toolContext.js'

/** A call of a tool of the server behind. */
export interface CallBehind {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Whether it may be made again where the server behind has stopped. */
  readonly isRepeatable: boolean
  /** Whether it starts a job, or can be called as a task of MCP 2025-11-25. */
  readonly isTask: boolean
  readonly context: ToolContext
}

/** What {@link toolsBehind} makes tools with. */
export interface ToolsBehindOptions {
  readonly call: (call: CallBehind) => Promise<CallToolResult>
  readonly repeat: readonly string[]
  readonly jobs: readonly Job[]
  /** Called with a tool that is left out. */
  readonly onLeftOut: (name: string, problem: string) => void
}

/** The tools of the server behind, as the task server has them, without those that it cannot have, and those that jobs call. */
export function toolsBehind(listed: readonly Tool[], options: ToolsBehindOptions): readonly ToolDefinition[] {
  const names = new Set<string>()
  const shown = listed.filter(({ name }) => !options.jobs.some((job) => job.isInternal(name)))
  return shown.flatMap((tool) => {
    const problem = problemOf(tool, names)
    names.add(tool.name)
    if (problem === undefined) return [toolBehind(tool, options)]
    options.onLeftOut(tool.name, problem)
    return []
  })
}

function problemOf({ name }: Tool, names: ReadonlySet<string>): string | undefined {
  if (!hasPlainName(name)) return 'clients and models refuse its name'
  return names.has(name) ? 'another tool has the same name' : undefined
}

function toolBehind(tool: Tool, { call, repeat, jobs }: ToolsBehindOptions): ToolDefinition {
  const { name, title, inputSchema, outputSchema, annotations, icons, _meta } = tool
  const description = describeTool(tool, jobs)
  const isJob = jobs.some(({ start }) => start === name)
  const isRepeatable =
    repeat.includes(name) || annotations?.readOnlyHint === true || annotations?.idempotentHint === true
  const isTask = isJob || legacyTaskSupport(tool) !== 'forbidden'
  return defineTool({
    name,
    inputSchema: asItIs<Readonly<Record<string, unknown>>>(inputSchema),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    // That of a start tool describes the id of a job, and the caller gets the outcome.
    ...(outputSchema !== undefined && !isJob && { outputSchema: asItIs(outputSchema) }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(_meta !== undefined && { _meta }),
    taskSupport: 'optional',
    onOrphan: isRepeatable ? 'retry' : 'fail',
    handler: (args, context) => call({ name, args, isRepeatable, isTask, context }),
  })
}

/** A schema that is shown as the server behind has it. That server checks what it gets, and the SDK client what it returns. */
function asItIs<T>(schema: Tool['inputSchema'] | NonNullable<Tool['outputSchema']>): StandardSchemaWithJSON<T, T> {
  const json = () => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'taskwire',
      validate: (value) => ({ value: value as T }),
      jsonSchema: { input: json, output: json },
    },
  }
}
