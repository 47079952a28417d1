import { TaskConfigurationError } from '../../protocol/errors.js'
import { isJsonObject } from '../../protocol/json.js'
import type { Tool } from '../../protocol/tool.js'
import type { ConnectedSdk } from '../sdkAdapter.js'
import type { Job, JobId } from './job.js'

/** What a tool of a job is called with, where the job does not say so. */
export type NameArgument = (
  tool: string,
  job: Job,
  id: JobId,
  signal: AbortSignal | undefined,
) => Promise<Record<string, unknown>>

/**
 * The id under the name that `id` of the job has for it; where that is a function, under the one name that the tool requires,
 * which its schema says: the tools are listed once for it.
 */
export function argumentNames(connected: Pick<ConnectedSdk, 'listTools'>): NameArgument {
  let listing: Promise<readonly Tool[]> | undefined

  function list(): Promise<readonly Tool[]> {
    listing ??= connected.listTools().catch((error: unknown) => {
      listing = undefined
      throw error
    })
    return listing
  }

  return async (tool, job, id, signal) => {
    if (typeof id === 'object') return { ...id }
    if (typeof job.id === 'string') return { [job.id.split('.').at(-1) ?? '']: id }
    const tools = await list()
    signal?.throwIfAborted()
    const found = tools.find(({ name }) => name === tool)
    const names = found && namesOf(found.inputSchema)
    if (names?.length === 1) return { [String(names[0])]: id }
    throw new TaskConfigurationError(
      names === undefined
        ? `defineJob({ start: '${job.start}' }) names the tool "${tool}", which the server does not list. Check the name against listTools().`
        : `"${tool}" takes ${names.length === 0 ? 'no argument' : 'more than one argument'}, as the server lists it. Say in defineJob({ start: '${job.start}' }) what it is called with: { tool: '${tool}', arguments: (id) => ({ … }) }.`,
    )
  }
}

function namesOf(schema: unknown): readonly unknown[] {
  const { required, properties } = isJsonObject(schema) ? schema : {}
  return Array.isArray(required) && required.length > 0 ? required : Object.keys(Object(properties))
}

/** What the job says that a tool of it is called with. */
export function ownArguments({ start }: Job, args: () => Record<string, unknown>): Record<string, unknown> {
  try {
    const own = args()
    if (isJsonObject(own)) return own
  } catch (cause) {
    throw new TaskConfigurationError(`arguments() of defineJob({ start: '${start}' }) threw (${String(cause)}).`, {
      cause,
    })
  }
  throw new TaskConfigurationError(`arguments() of defineJob({ start: '${start}' }) returned no object.`)
}
