import type { CallToolResult } from '../../protocol/callToolResult.js'
import type { InputRequest, InputResponse } from '../../protocol/inputRequest.js'
import type { SdkAdapter } from '../sdkAdapter.js'

/**
 * Identifies a job at its server: an id, or all arguments of the status tool if one id is not enough. The record of the
 * call contains it, like a task id, so it must not contain anything that you would not put into the storage of the page.
 */
export type JobId = string | number | Readonly<Record<string, unknown>>

/**
 * The result of a tool. If the tool sent no `structuredContent` and its text is JSON, `structuredContent` is the parsed
 * text.
 */
export interface JobToolResult extends CallToolResult {
  // biome-ignore lint/suspicious/noExplicitAny: the server says what it is, and `read` is where that is looked at.
  structuredContent?: any
}

/**
 * The state of a job, as read from its status tool. `message` is for people. It comes from the server: render it as text.
 */
export type JobReading =
  | {
      readonly status: 'working'
      readonly message?: string | undefined
      /** The progress: `value` of `total` units of the work are done. */
      readonly progress?: { readonly value: number; readonly total?: number | undefined } | undefined
      /** When to ask the server again, in ms from now. @default `intervalMs` of the job */
      readonly pollAfterMs?: number | undefined
    }
  | {
      readonly status: 'completed'
      readonly message?: string | undefined
      /** The result for the caller. @default the result of the job's `result` tool, else the result of the status tool */
      readonly result?: CallToolResult | undefined
    }
  | {
      readonly status: 'failed'
      /** Why the job failed. It becomes the message of the `TaskFailedError`. */
      readonly message?: string | undefined
      /** The code of the `TaskFailedError`. @default -32000 */
      readonly code?: number | undefined
      readonly data?: unknown
    }
  | { readonly status: 'cancelled'; readonly message?: string | undefined }
  /** The server does not know the job: it has expired, or was lost in a restart. */
  | { readonly status: 'gone'; readonly message?: string | undefined }
  | {
      readonly status: 'input_required'
      readonly message?: string | undefined
      readonly inputRequests: Readonly<Record<string, InputRequest>>
    }

/** A tool of a job: its name, if the id of the job is its only argument, or else its name and its arguments. */
export type JobTool =
  | string
  | {
      readonly tool: string
      /** Returns the arguments. `id` is the id of the job. */
      // biome-ignore lint/suspicious/noExplicitAny: the app says what it is.
      readonly arguments: (id: any) => Record<string, unknown>
    }

/** The name of a tool of a job. */
export function toolName(tool: JobTool): string {
  return typeof tool === 'string' ? tool : tool.tool
}

/** How to start and follow work on a server without tasks. */
export interface JobDefinition {
  /** The tool that starts the work and answers with an id. The app calls this tool. */
  readonly start: string
  /** The tool that reports the status of the work. */
  readonly status: JobTool
  /** The tool that ends the work. Without it, `cancel()` fails with `TasksUnsupportedError`, and the work continues. */
  readonly cancel?: JobTool | undefined
  /** The tool that returns the outcome of finished work, if the status tool does not. */
  readonly result?: JobTool | undefined
  /** The tool that receives the responses to the `inputRequests` that `read` returns. */
  readonly respond?:
    | {
        readonly tool: string
        // biome-ignore lint/suspicious/noExplicitAny: as in JobTool.
        readonly arguments: (id: any, responses: Readonly<Record<string, InputResponse>>) => Record<string, unknown>
      }
    | undefined
  /**
   * The id in the result of the start tool: the name of a field, with dots for nested fields, or a function of the result
   * and the arguments of the call. The last part of a field's name is also the name of the argument of the other tools. If
   * the function returns undefined, there is no job, and the result of the start tool is the result of the call.
   */
  readonly id:
    | string
    | ((
        result: JobToolResult,
        args: Readonly<Record<string, unknown>>,
        // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing says so.
      ) => JobId | undefined | void)
  /** Reads the result of the status tool. `byStatusField` makes such a function for the common shapes. */
  readonly read: (result: JobToolResult) => JobReading
  /** How often the status tool is called, in ms. @default `poll.defaultIntervalMs` of the client */
  readonly intervalMs?: number | undefined
  /**
   * How long a job may take, in ms from its start. After that the call fails with `TaskExpiredError`, and the client stops
   * polling the job. @default without limit
   */
  readonly ttlMs?: number | undefined
}

/** Tools that form one call. Made by `defineJob`, for the option `jobs` of a client. */
export interface Job extends JobDefinition {
  /** Returns true for each tool of the job except the start tool. The client calls these tools; the app and its model need not. */
  isInternal(tool: string): boolean
}

/** A job with the code that follows jobs, which a client without jobs does not have. */
export interface WingedJob extends Job {
  readonly withJobs: (sdk: SdkAdapter, jobs: readonly Job[]) => SdkAdapter
}

/** What a connection takes of jobs. The first one of them brings the code for all. */
export interface JobsOption {
  readonly jobs?: readonly WingedJob[] | undefined
}
