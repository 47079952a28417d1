import type { CallToolResult, TaskClient, ToolCallState } from 'taskwire'
import type { ElicitationSource } from 'taskwire/forms'
import type {
  PendingInputRequest,
  UseElicitationFormResult,
  UseToolCallGroupResult,
  UseToolCallMutationOptions,
  UseToolCallMutationResult,
  UseToolCallOptions,
  UseToolCallResult,
  UseToolCallsOptions,
} from 'taskwire/react'

type AnyTools = Record<string, { arguments: object }>

/** What each of them takes. */
export interface OptionsOf {
  useToolCall: UseToolCallOptions<AnyTools, string> & { name: string }
  useToolCallMutation: UseToolCallMutationOptions<AnyTools, string>
  useToolCallState: { callId: string | undefined; client?: TaskClient }
  useToolCalls: UseToolCallsOptions
  useToolCallGroup: UseToolCallsOptions
  useInputRequests: { client?: TaskClient; clients?: readonly TaskClient[] }
  useTaskConnection: { client?: TaskClient }
  /** The input request; the options are {@link FORM_OPTIONS}. */
  useElicitationForm: ElicitationSource
}

/** The options of every form. */
export const FORM_OPTIONS = { words: { required: 'Bitte ausfüllen.' } }

/** What each of them shows, in React's words: refs and accessors are read. */
export interface ShownBy {
  useToolCall: UseToolCallResult<CallToolResult>
  useToolCallMutation: UseToolCallMutationResult<CallToolResult, object | undefined>
  useToolCallState: ToolCallState | undefined
  useToolCalls: readonly ToolCallState[]
  useToolCallGroup: UseToolCallGroupResult
  useInputRequests: readonly PendingInputRequest[]
  useTaskConnection: TaskClient['store'] extends { getState(): { connection: infer C } } ? C : never
  useElicitationForm: UseElicitationFormResult
}

export type Hook = keyof OptionsOf

/** A component with one hook, which renders a text. */
export interface View<H extends Hook> {
  /** What stands in the document. */
  readonly text: string
  /** What the hook shows now. */
  readonly shown: ShownBy[H]
  /** How often the text was made. */
  readonly renders: number
  /** Gives the hook other options. */
  change(options: OptionsOf[H]): Promise<void>
  unmount(): Promise<void>
}

/** A page of an app: its components share a QueryClient and the client that is provided to them. */
export interface Page {
  readonly queryClient: {
    clear(): void
    removeQueries(): void
    cancelQueries(): Promise<void>
    setDefaultOptions(options: object): void
  }
  mount<H extends Hook>(hook: H, options: OptionsOf[H], show?: (shown: ShownBy[H]) => string): View<H>
  /** Does something, and has the components render what came of it. */
  act(work: () => unknown): Promise<void>
  close(): Promise<void>
}

/** A framework, as the contract drives it. */
export interface Binding {
  readonly name: string
  /** Without a client, none is provided. */
  openPage(client: TaskClient | undefined): Page
}
