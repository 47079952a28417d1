/**
 * Primitives for Solid: a call as a query, a call behind a button, lists of calls, and forms for input requests.
 *
 * @packageDocumentation
 */
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
export { TaskClientProvider, type TaskClientProviderProps } from './bindings/solid/TaskClientProvider.js'
export {
  type ElicitationInputProps,
  type UseElicitationFormResult,
  useElicitationForm,
} from './bindings/solid/useElicitationForm.js'
export { useInputRequests } from './bindings/solid/useInputRequests.js'
export { useTaskClient } from './bindings/solid/useTaskClient.js'
export { useTaskConnection } from './bindings/solid/useTaskConnection.js'
export { type UseToolCallOptions, type UseToolCallResult, useToolCall } from './bindings/solid/useToolCall.js'
export { useToolCallGroup } from './bindings/solid/useToolCallGroup.js'
export { type UseToolCallMutationResult, useToolCallMutation } from './bindings/solid/useToolCallMutation.js'
export { useToolCallState } from './bindings/solid/useToolCallState.js'
export { useToolCalls } from './bindings/solid/useToolCalls.js'
