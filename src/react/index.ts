export { TaskClientProvider, type TaskClientProviderProps } from './TaskClientProvider.js'
export {
  type ElicitationInputProps,
  type UseElicitationFormResult,
  useElicitationForm,
} from './useElicitationForm.js'
export { type PendingInputRequest, useInputRequests } from './useInputRequests.js'
export type { OnSettled } from './useOnSettled.js'
export {
  type UseSuspenseToolCallOptions,
  type UseSuspenseToolCallResult,
  useSuspenseToolCall,
} from './useSuspenseToolCall.js'
export { type UseTaskClientOptions, type UseTaskClientsOptions, useTaskClient } from './useTaskClient.js'
export { useTaskConnection } from './useTaskConnection.js'
export { type UseToolCallOptions, type UseToolCallResult, useToolCall } from './useToolCall.js'
export type { ToolCallControls } from './useToolCallControls.js'
export {
  type UseToolCallMutationOptions,
  type UseToolCallMutationResult,
  useToolCallMutation,
} from './useToolCallMutation.js'
export { type UseToolCallStateOptions, useToolCallState } from './useToolCallState.js'
export { type UseToolCallsOptions, useToolCalls } from './useToolCalls.js'
