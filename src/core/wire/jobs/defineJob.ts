import { TaskConfigurationError } from '../../protocol/errors.js'
import { type Job, type JobDefinition, toolName, type WingedJob } from './job.js'
import { withJobs } from './withJobs.js'

/**
 * Combines a tool that starts work and a tool that reports its progress into one durable call, for servers without tasks.
 * Pass the job in the option `jobs` of a client. A call of the start tool then becomes a task: it resumes after a reload,
 * one tab polls for all, and the store shows its progress.
 *
 * @throws {TaskConfigurationError} for a field that is missing, wrong or unknown.
 *
 * @example
 * ```ts
 * const render = defineJob({
 *   start: 'run_workflow',
 *   status: 'workflow_status',
 *   cancel: 'cancel_workflow',
 *   id: 'run_id',
 *   read: byStatusField('status'),
 *   intervalMs: 2000,
 * })
 * const client = createTaskClient({ url, jobs: [render] })
 * ```
 */
export function defineJob(definition: JobDefinition): Job {
  check(definition)
  const { start, status, cancel, result, respond } = definition
  const internal = [toolName(status), cancel && toolName(cancel), result && toolName(result), respond?.tool]
  if (internal.includes(start)) {
    throw wrong(`the tool "${start}" starts the job and follows it. Name the tool that reports the state of the job`)
  }
  const job: WingedJob = { ...definition, isInternal: (tool) => internal.includes(tool), withJobs }
  return job
}

const TOOLS = ['status', 'cancel', 'result'] as const
const NAMES: readonly string[] = ['start', ...TOOLS, 'respond', 'id', 'read', 'intervalMs', 'ttlMs']

function check(definition: JobDefinition): void {
  if (typeof definition !== 'object' || definition === null) throw wrong('it takes { start, status, id, read }')
  const { start, status, id, read, respond } = definition
  const unknown = Object.keys(definition).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) throw wrong(`there is no field ${unknown}. The fields are ${NAMES.join(', ')}`)
  if (!isName(start)) throw wrong('start must be the name of the tool that starts the job')
  if (status === undefined) throw wrong('status is missing: name the tool that reports the state of the job')
  for (const name of TOOLS) {
    const tool: unknown = definition[name]
    if (tool === undefined || isName(tool) || isToolWithArguments(tool)) continue
    throw wrong(`${name} must be the name of a tool, or { tool, arguments: (id) => ({ … }) }`)
  }
  if (respond !== undefined && !isToolWithArguments(respond)) {
    throw wrong('respond must be { tool, arguments: (id, responses) => ({ … }) }')
  }
  if (!isName(id) && typeof id !== 'function') {
    throw wrong(
      "id must be the name of the field that holds the id of the job, as in id: 'job_id', or a function of the result",
    )
  }
  if (typeof read !== 'function') {
    throw wrong("read must be a function of the result of the status tool, as in read: byStatusField('status')")
  }
  for (const name of ['intervalMs', 'ttlMs'] as const) {
    const value: unknown = definition[name]
    if (value === undefined || (typeof value === 'number' && value > 0 && Number.isFinite(value))) continue
    throw wrong(`${name} must be a number of ms above 0`)
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isToolWithArguments(value: unknown): boolean {
  const { tool, arguments: args } = Object(value) as { tool?: unknown; arguments?: unknown }
  return isName(tool) && typeof args === 'function'
}

function wrong(why: string): TaskConfigurationError {
  return new TaskConfigurationError(`defineJob cannot use this: ${why}.`)
}
