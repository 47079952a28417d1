import type { TaskPort, ToolCallRequest, ToolCallResponse } from '../protocol/taskPort.js'
import type { Tool } from '../protocol/tool.js'

/** The state of the connection in the store. */
export interface ConnectionState {
  /**
   * `connecting`: the first request is on its way, or requests fail and the client repeats them. After three requests in a
   * row without an answer, a connection is `connecting` again, with the last `error`; the next successful request makes it
   * `connected`. `unauthorized`: the server requires credentials. Tasks wait, new calls fail, and the user is not
   * redirected before the app calls `client.authorize()`. The next successful request makes it `connected`.
   */
  readonly status: 'idle' | 'connecting' | 'connected' | 'unauthorized' | 'failed' | 'closed'
  /** `modern` for 2026-07-28, `legacy` for the revisions before it. */
  readonly era?: 'modern' | 'legacy'
  /** Why this era was chosen, in a sentence for people. */
  readonly eraReason?: string
  readonly protocolVersion?: string
  readonly server?: { readonly name: string; readonly version: string }
  /** Whether the server declares support for tasks. Without it, calls work, but not as tasks. */
  readonly tasks?: boolean
  /** Why there is no connection, or, while `connecting`, why the last attempt or request failed. */
  readonly error?: Error
}

/** A server as the client sees it. Every method connects first, where that has not happened. */
export interface Connection extends TaskPort {
  connect(): Promise<void> | undefined
  /** Connects for the app: a sign-in that failed may be tried again. */
  connectForApp(): Promise<void>
  /** Calls a tool and hands a task over as a task. */
  callToolRaw(request: ToolCallRequest, signal: AbortSignal | undefined): Promise<ToolCallResponse>
  listTools(): Promise<Tool[]>
  /** A sign-in has succeeded, or come to nothing. */
  signedIn(error?: Error): void
  /** Ends the connection where the first use has made it; an SDK client that the app had connected before stays connected. */
  close(): Promise<void>
}
