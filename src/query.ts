/**
 * Options for TanStack Query, for apps that use its own hooks and functions.
 *
 * @packageDocumentation
 */
export type { ClearedMutation, ClearedQuery, ClearedQueryClient } from './bindings/query/clearWhenForgotten.js'
export type { QueryOfCall } from './bindings/query/queryOfCall.js'
export {
  type ToolCallMutation,
  type ToolCallMutationContext,
  type ToolCallMutationOptions,
  type ToolCallVariables,
  toolCallMutationOptions,
} from './bindings/query/toolCallMutationOptions.js'
export {
  type ToolCallQuery,
  type ToolCallQueryBase,
  type ToolCallQueryContext,
  type ToolCallQueryEnabled,
  type ToolCallQueryKey,
  type ToolCallQueryOptions,
  type ToolCallQueryParameter,
  toolCallQueryOptions,
} from './bindings/query/toolCallQueryOptions.js'
export type { ToolOutputOf } from './bindings/query/toolOutput.js'
