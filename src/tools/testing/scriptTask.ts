import { fromJsonSchema } from '@modelcontextprotocol/server'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { TaskProgress } from '../../core/protocol/progress.js'
import { isTerminal, type TaskFailure } from '../../core/protocol/task.js'
import type { ToolDefinition } from '../../server/tools/defineTool.js'

/** The state of a scripted task at one step. */
export type ScriptStep = (
  | { readonly status: 'working' }
  /** Stays until every input request is answered. */
  | { readonly status: 'input_required'; readonly inputRequests: Readonly<Record<string, InputRequest>> }
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | { readonly status: 'failed'; readonly error: TaskFailure }
  | { readonly status: 'cancelled' }
) & {
  /** The status message, for people. @default no message */
  readonly statusMessage?: string
  /** The progress of the work, in numbers. @default no progress */
  readonly progress?: TaskProgress
  /**
   * When the step begins, in ms after the previous step, by the clock of the server. The next poll or a push shows it.
   * @default with the next poll; for a client that listens, as soon as the client could have polled
   */
  readonly afterMs?: number
}

/** Options of {@link scriptTask}. */
export interface ScriptTaskOptions {
  /** The tool whose calls follow the script. @default every tool name without a real tool */
  name?: string
  /** The server's description of the tool in its list. */
  annotations?: NonNullable<ToolDefinition['annotations']>
  /** The interval between two polls that the server asks clients to keep, in ms. @default the interval of the server */
  pollIntervalMs?: number
  /** How long a task is kept, in ms from its creation; null for no limit. @default null */
  ttlMs?: number | null
  /**
   * Whether the work continues after a cancellation, as the specification permits. @default false: the next state is
   * `cancelled`
   */
  ignoresCancel?: boolean
}

/** A scripted tool, made with {@link scriptTask}. */
export interface ScriptedTask extends ScriptTaskOptions {
  readonly steps: readonly [ScriptStep, ...ScriptStep[]]
}

/**
 * Scripts the tasks of a tool, for instance to keep a user interface in one state. The response to `tools/call` shows the
 * first step, each `tasks/get` shows the next step, and the last step stays. If the server pushes, clients that listen see
 * the steps without polling. Every call starts with the first step.
 *
 * @throws {TaskConfigurationError} if the script is not valid.
 *
 * @example
 * ```ts
 * const report = scriptTask([{ status: 'working', statusMessage: 'Collecting' }, { status: 'completed', result }], {
 *   name: 'generate_report',
 * })
 * const server = createTestServer({ tools: [report] })
 * ```
 */
export function scriptTask(steps: readonly ScriptStep[], options: ScriptTaskOptions = {}): ScriptedTask {
  const [first, ...rest] = steps
  if (first === undefined) throw unplayable('it has no steps. Pass at least one.')
  if (first.afterMs !== undefined) throw unplayable('its first step has `afterMs`. It is there with the task.')
  const end = steps.findIndex(({ status }) => isTerminal(status))
  if (end !== -1 && end < steps.length - 1) {
    throw unplayable(`"${steps[end]?.status}" ends a task, and more steps follow. Make it the last one.`)
  }
  const keys = steps.flatMap((step) => (step.status === 'input_required' ? Object.keys(step.inputRequests) : []))
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw unplayable(`two steps ask "${twice}". Keys are unique for the life of a task.`)
  return { ...options, steps: [first, ...rest] }
}

/** The same as a tool of a task server, for the list of tools and for clients that do not know tasks. */
export function scriptedTool(name: string, { annotations }: ScriptedTask): ToolDefinition {
  return {
    name,
    inputSchema: fromJsonSchema({ type: 'object' }),
    taskSupport: 'required',
    ...(annotations !== undefined && { annotations }),
    handler() {
      throw unplayable('the call did not come through the `fetch` of its server.')
    },
  }
}

function unplayable(problem: string): TaskConfigurationError {
  return new TaskConfigurationError(`Failed to script a task: ${problem}`)
}
