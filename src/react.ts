/**
 * Hooks for React 18 and 19: a call as a query, a call behind a button, lists of calls, and forms for input requests.
 *
 * @packageDocumentation
 */

export { TaskClientProvider, type TaskClientProviderProps } from './bindings/react/TaskClientProvider.js'
export {
  type ElicitationInputProps,
  type UseElicitationFormResult,
  useElicitationForm,
} from './bindings/react/useElicitationForm.js'
export { useInputRequests } from './bindings/react/useInputRequests.js'
export {
  type UseSuspenseToolCallOptions,
  type UseSuspenseToolCallResult,
  useSuspenseToolCall,
} from './bindings/react/useSuspenseToolCall.js'
export { useTaskClient } from './bindings/react/useTaskClient.js'
export { useTaskConnection } from './bindings/react/useTaskConnection.js'
export { type UseToolCallOptions, type UseToolCallResult, useToolCall } from './bindings/react/useToolCall.js'
export { useToolCallGroup } from './bindings/react/useToolCallGroup.js'
export { type UseToolCallMutationResult, useToolCallMutation } from './bindings/react/useToolCallMutation.js'
export { useToolCallState } from './bindings/react/useToolCallState.js'
export { useToolCalls } from './bindings/react/useToolCalls.js'
export type { UseTaskClientOptions, UseTaskClientsOptions } from './bindings/shared/clients.js'
export type {
  ElicitationActions,
  ElicitationControlProps,
  ElicitationInputField,
  ElicitationOptionField,
  ElicitationProps,
  UseElicitationFormOptions,
} from './bindings/shared/elicitation.js'
export type { UseToolCallGroupResult } from './bindings/shared/groupedCalls.js'
export type { OnSettled } from './bindings/shared/onSettled.js'
export type { PendingInputRequest } from './bindings/shared/pendingInputRequests.js'
export type { ToolCallActions, ToolCallControls, ToolCallMembers } from './bindings/shared/toolCallControls.js'
export type {
  ToolCallMutationRetry,
  ToolCallRetry,
  UseToolCallMutationOptions,
  UseToolCallStateOptions,
  UseToolCallsOptions,
} from './bindings/shared/toolCallOptions.js'
