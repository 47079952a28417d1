/**
 * Options for TanStack Query, for apps that use its own hooks and functions.
 *
 * @packageDocumentation
 */
export type { ClearedMutation, ClearedQuery, ClearedQueryClient } from './clearWhenForgotten.js'
export {
  type ToolCallMutation,
  type ToolCallMutationContext,
  type ToolCallMutationOptions,
  type ToolCallVariables,
  toolCallMutationOptions,
} from './toolCallMutationOptions.js'
export {
  type QueryOfCall,
  type ToolCallQuery,
  type ToolCallQueryBase,
  type ToolCallQueryContext,
  type ToolCallQueryEnabled,
  type ToolCallQueryKey,
  type ToolCallQueryOptions,
  type ToolCallQueryParameter,
  toolCallQueryOptions,
} from './toolCallQueryOptions.js'
export type { ToolOutputOf } from './toolOutput.js'
