import type { AuthInfo, ClientCapabilities } from '@modelcontextprotocol/server'
import type { TaskContext } from '../tasks/taskContext.js'

/** What a tool may know and do while it runs. */
export interface ToolContext {
  /**
   * Aborts when the work has become pointless: the client asked to cancel the task, its ttl is over, the
   * server closes, or, outside a task, the client has hung up. Pass it on to what takes long. Stopping is
   * up to the tool: one that finishes all the same has completed (SEP-2663, "Task Cancellation").
   */
  readonly signal: AbortSignal
  /**
   * Which start of the handler for this task this is, from 1: more where workers were lost. It only grows, so it can fence
   * what the handler writes elsewhere: a store that has seen a higher one refuses a lower one.
   */
  readonly attempt: number
  /**
   * Waits on the clock of the server, in ms. Rejects with the reason of `signal` when that aborts, and where the process has
   * slept for longer than its lease: another worker may have the task then.
   */
  sleep(ms: number): Promise<void>
  /** What the client declared in this very request. */
  readonly clientCapabilities: ClientCapabilities
  /** Who calls, as passed to `fetch`. */
  readonly authInfo?: AuthInfo
  /**
   * What the client answered to `inputRequired(...)` in earlier rounds of this call: untrusted, read it
   * with `acceptedContent` of the SDK.
   */
  readonly inputResponses: Readonly<Record<string, unknown>>
  /** The `requestState` of the round before, as the SDK's handlers get it. */
  requestState<T = unknown>(): T | undefined
  /** The task this call has become; undefined where it is answered directly. */
  readonly task?: TaskContext
}
