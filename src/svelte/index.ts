export type { UseTaskClientOptions, UseTaskClientsOptions } from '../bindings/clients.js'
export type { OnSettled } from '../bindings/onSettled.js'
export type { PendingInputRequest } from '../bindings/pendingInputRequests.js'
export type { ToolCallControls } from '../bindings/toolCallControls.js'
export type { ReactiveValue } from './reactive.js'
export { setTaskClient } from './setTaskClient.js'
export {
  type ElicitationInputProps,
  type UseElicitationFormResult,
  useElicitationForm,
} from './useElicitationForm.js'
export { useInputRequests } from './useInputRequests.js'
export { useTaskClient } from './useTaskClient.js'
export { useTaskConnection } from './useTaskConnection.js'
export { type UseToolCallOptions, type UseToolCallResult, useToolCall } from './useToolCall.js'
export {
  type UseToolCallMutationOptions,
  type UseToolCallMutationResult,
  useToolCallMutation,
} from './useToolCallMutation.js'
export { type UseToolCallStateOptions, useToolCallState } from './useToolCallState.js'
export { type UseToolCallsOptions, useToolCalls } from './useToolCalls.js'
