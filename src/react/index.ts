export { TaskClientProvider, type TaskClientProviderProps, useTaskClient } from './TaskClientProvider.js'
export { type PendingInputRequest, useInputRequests } from './useInputRequests.js'
export {
  type UseSuspenseToolCallOptions,
  type UseSuspenseToolCallResult,
  useSuspenseToolCall,
} from './useSuspenseToolCall.js'
export { useTaskConnection } from './useTaskConnection.js'
export { type UseToolCallResult, useToolCall } from './useToolCall.js'
export type { ToolCallControls } from './useToolCallControls.js'
export {
  type ToolArguments,
  type UseToolCallMutationOptions,
  type UseToolCallMutationResult,
  useToolCallMutation,
} from './useToolCallMutation.js'
export { useToolCallState } from './useToolCallState.js'
export { useToolCalls } from './useToolCalls.js'
