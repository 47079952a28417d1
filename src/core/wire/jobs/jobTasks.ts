import type { CallToolResult } from '../../protocol/callToolResult.js'
import { isTaskError, TaskRequestError, TasksUnsupportedError } from '../../protocol/errors.js'
import { METHOD_NOT_FOUND } from '../../protocol/extension.js'
import { isJob } from '../../protocol/taskAddress.js'
import { withoutIdInCause, withoutIdInJson } from '../../protocol/text.js'
import type { ConnectedSdk } from '../sdkAdapter.js'
import type { TaskApi } from '../taskApi.js'
import { foreignJobError, refusedJobError } from './foreignJob.js'
import { type Job, type JobReading, type JobTool, toolName } from './job.js'
import { type JobAddress, jobAddress } from './jobAddress.js'
import { argumentNames, ownArguments } from './jobArguments.js'
import {
  brokenJob,
  goneJob,
  isMissingTool,
  isRefusedArguments,
  type JobRequest,
  jobRequestError,
  missingTool,
  refusedArguments,
} from './jobErrors.js'
import { saidBy, saysGone, withFields } from './jobResult.js'
import { jobSnapshot, readJob } from './jobSnapshot.js'

/** Tasks of a server, and its jobs as if they were tasks: they are told apart by their ids. */
export function jobTasks(connected: ConnectedSdk, jobs: readonly Job[]): TaskApi {
  const { tasks } = connected
  const nameArgument = argumentNames(connected)

  /** Calls a tool of a job. */
  async function call(
    request: JobRequest,
    args: () => Promise<Record<string, unknown>> | Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<CallToolResult> {
    try {
      const response = await connected.callTool({ name: request.tool, arguments: await args() }, {}, signal)
      if (response.type === 'result') return response.result
    } catch (error) {
      signal?.throwIfAborted()
      throw jobRequestError(error, request)
    }
    throw brokenJob(request, 'the server made a task of the call')
  }

  function callOf(
    tool: JobTool,
    { job, id }: JobAddress,
    request: JobRequest,
    signal: AbortSignal | undefined,
  ): Promise<CallToolResult> {
    const args = () =>
      typeof tool === 'string' ? nameArgument(tool, job, id, signal) : ownArguments(job, () => tool.arguments(id))
    return call(request, args, signal)
  }

  async function getJob(address: JobAddress, taskId: string, signal: AbortSignal | undefined) {
    const { job } = address
    const request = requestOf(address, taskId, job.status)
    const result = await callOf(job.status, address, request, signal)
    const reading = result.isError ? readError(result, job, request) : readJob(withFields(result), job, request)
    if (reading.status !== 'completed') return jobSnapshot(reading, undefined, job, request)
    const outcome = reading.result ?? (await fetchResult(address, taskId, signal)) ?? result
    return jobSnapshot(reading, outcome, job, request)
  }

  async function fetchResult(address: JobAddress, taskId: string, signal: AbortSignal | undefined) {
    const { result: tool } = address.job
    if (tool === undefined) return undefined
    const request = requestOf(address, taskId, tool)
    const result = await callOf(tool, address, request, signal)
    // Any other error is the outcome of the job.
    if (result.isError) refuseMistaken(request, request.hidden(saidBy(result)))
    return result
  }

  async function cancelJob(address: JobAddress, taskId: string, signal: AbortSignal | undefined): Promise<void> {
    const { start, cancel } = address.job
    if (cancel === undefined) {
      throw new TasksUnsupportedError(
        `The job of "${start}" cannot be cancelled: its defineJob names no tool for it. The job keeps running, and the call with it.`,
        { taskId, code: METHOD_NOT_FOUND },
      )
    }
    const request = requestOf(address, taskId, cancel)
    const result = await callOf(cancel, address, request, signal)
    if (!result.isError) return
    const said = request.hidden(saidBy(result))
    refuseMistaken(request, said)
    // It has ended meanwhile, or is gone. Which of them the next poll says.
    if (saysGone(said)) return
    throw new TaskRequestError(`The server did not cancel the job of "${start}": ${said}`, { kind: 'server', taskId })
  }

  return {
    ...tasks,
    getTask: async (taskId, signal, asked) => {
      const address = jobAddress(taskId, jobs, foreignJobError)
      return address ? getJob(address, taskId, signal) : tasks.getTask(taskId, signal, asked)
    },
    cancelTask: async (taskId, signal) => {
      const address = jobAddress(taskId, jobs, refusedJobError)
      return address ? cancelJob(address, taskId, signal) : tasks.cancelTask(taskId, signal)
    },
    updateTask: async (taskId, inputResponses, signal) => {
      const address = jobAddress(taskId, jobs, refusedJobError)
      if (address === undefined) return tasks.updateTask(taskId, inputResponses, signal)
      const { start, respond } = address.job
      if (respond === undefined) {
        throw new TasksUnsupportedError(
          `The job of "${start}" asks for input, and its defineJob names no tool that takes the response: pass respond: { tool, arguments }.`,
          { taskId, code: METHOD_NOT_FOUND },
        )
      }
      const request = requestOf(address, taskId, respond.tool)
      const args = () => ownArguments(address.job, () => respond.arguments(address.id, inputResponses))
      const result = await call(request, args, signal)
      if (!result.isError) return
      const said = request.hidden(saidBy(result))
      refuseMistaken(request, said)
      throw new TaskRequestError(`The server did not accept the response: ${said}`, { kind: 'server', taskId })
    },
    release: (taskId) => {
      if (!isJob(taskId)) tasks.release(taskId)
    },
  }
}

function requestOf({ job, id }: JobAddress, taskId: string, tool: JobTool): JobRequest {
  const secrets = secretsOf(id)
  return {
    start: job.start,
    tool: toolName(tool),
    taskId,
    hidden: (value) => secrets.reduce((text, secret) => withoutIdInJson(text, secret), value),
    printable: (error) => secrets.reduce<unknown>((cause, secret) => withoutIdInCause(cause, secret), error),
  }
}

function secretsOf(id: unknown): string[] {
  return typeof id === 'object' ? Object.values(Object(id)).flatMap(secretsOf) : [String(id)]
}

/** Throws where an answer with `isError` says that the definition names the tool or its arguments wrongly. */
function refuseMistaken(request: JobRequest, said: string): void {
  if (isMissingTool(said, request.hidden(request.tool))) throw missingTool(request, said)
  if (isRefusedArguments(said)) throw refusedArguments(request, said)
}

/** Of a status tool that failed, only what ends the job is believed. It may say so in its fields, or in words. */
function readError(result: CallToolResult, job: Job, request: JobRequest): JobReading {
  const said = request.hidden(saidBy(result))
  refuseMistaken(request, said)
  try {
    const reading = readJob(withFields(result), job, request)
    if (ENDS.has(reading.status)) return reading
  } catch (error) {
    if (!isTaskError(error)) throw error
  }
  if (saysGone(said)) throw goneJob(request, said)
  throw new TaskRequestError(`"${request.tool}" failed: ${said || 'it does not say why'}`, {
    kind: 'server',
    taskId: request.taskId,
  })
}

const ENDS: ReadonlySet<string> = new Set(['failed', 'cancelled', 'gone'])
