import { isTaskError, TaskConfigurationError, TaskProtocolError } from '../../protocol/errors.js'
import type { ToolCallRequest, ToolCallResponse } from '../../protocol/taskPort.js'
import type { ConnectedSdk, SdkAdapter } from '../sdkAdapter.js'
import type { Job } from './job.js'
import { jobTaskId } from './jobAddress.js'
import { fieldAt, withFields } from './jobResult.js'
import { newJobTask } from './jobSnapshot.js'
import { jobTasks } from './jobTasks.js'

/**
 * A connection on which the start tools of jobs answer with tasks. The engine follows them as it follows every task, and
 * what it asks of them, their other tools are asked:
 *
 * ```text
 * engine ─ tools/call ─▶ start tool  ── id ──▶ a task, "taskwire:job:<start tool>:<id>"
 *          getTask    ─▶ status tool ── read ─▶ a snapshot
 *          cancelTask ─▶ cancel tool
 * ```
 *
 * @throws {TaskConfigurationError} if two of them contradict each other.
 */
export function withJobs(sdk: SdkAdapter, jobs: readonly Job[]): SdkAdapter {
  checkJobs(jobs)
  return {
    era: () => sdk.era(),
    missingCapability: (request) => sdk.missingCapability(request),
    open: async (onConnecting, signal) => jobsOver(await sdk.open(onConnecting, signal), jobs),
    close: () => sdk.close(),
  }
}

function jobsOver(connected: ConnectedSdk, jobs: readonly Job[]): ConnectedSdk {
  const jobOf = (name: string) => jobs.find(({ start }) => start === name)
  return {
    ...connected,
    tasks: jobTasks(connected, jobs),
    callTool: async (request, call, signal) => {
      const response = await connected.callTool(request, call, signal)
      const job = jobOf(request.name)
      return job === undefined ? response : started(response, job, request)
    },
    // The schema of the start tool describes its own answer, not what comes of the job.
    validate: async (name, result) => (jobOf(name) === undefined ? connected.validate(name, result) : result),
  }
}

/** What came of calling a start tool: a task, if it has started a job. */
function started(response: ToolCallResponse, job: Job, { arguments: args = {} }: ToolCallRequest): ToolCallResponse {
  // The server has tasks by now, or could not start the work.
  if (response.type === 'task' || response.result.isError) return response
  const id = idOf(response.result, job, args)
  if (id === undefined) return response
  const taskId = jobTaskId(job, id)
  if (taskId === undefined) throw noId(job, 'the value there is not an id, or has more than 4,000 characters')
  return { type: 'task', task: newJobTask(taskId, job) }
}

function idOf(result: Extract<ToolCallResponse, { type: 'result' }>['result'], job: Job, args: object): unknown {
  const readable = withFields(result)
  if (typeof job.id === 'string') {
    const id = fieldAt(readable.structuredContent, job.id)
    if (id === undefined) throw noId(job, `its answer has no field "${job.id}"`)
    return id
  }
  try {
    return job.id(readable, { ...args }) ?? undefined
  } catch (error) {
    if (isTaskError(error)) throw error
    throw noId(job, `id() of defineJob threw (${String(error)})`, error)
  }
}

/** The tool has run, and its outcome is unknown. */
function noId({ start }: Job, violation: string, cause?: unknown): TaskProtocolError {
  return new TaskProtocolError(violation, {
    source: 'tools/call',
    cause,
    message: `"${start}" was called, and its job cannot be followed: ${violation}. The job may run on the server. Check \`id\` of defineJob against what the tool returns.`,
  })
}

function checkJobs(jobs: readonly Job[]): void {
  for (const [index, job] of jobs.entries()) {
    const { start } = job
    if (jobs.findIndex((one) => one.start === start) < index) {
      throw new TaskConfigurationError(
        `The option jobs has two jobs that are started by "${start}". A tool starts one kind of job: remove one of them.`,
      )
    }
    const other = jobs.find((one) => one.isInternal(start))
    if (other === undefined) continue
    throw new TaskConfigurationError(
      `The option jobs has a job that is started by "${start}", which is a tool of the job of "${other.start}" as well: calling it would start a job for each poll. Remove one of them.`,
    )
  }
}
