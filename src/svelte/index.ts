/**
 * Functions for Svelte 5 with runes: a call as a query, a call behind a button, lists of calls, and forms for input
 * requests.
 *
 * @packageDocumentation
 */
export type { UseTaskClientOptions, UseTaskClientsOptions } from '../bindings/clients.js'
export type {
  ElicitationActions,
  ElicitationControlProps,
  ElicitationInputField,
  ElicitationOptionField,
  ElicitationProps,
  UseElicitationFormOptions,
} from '../bindings/elicitation.js'
export type { UseToolCallGroupResult } from '../bindings/groupedCalls.js'
export type { OnSettled } from '../bindings/onSettled.js'
export type { PendingInputRequest } from '../bindings/pendingInputRequests.js'
export type { ToolCallActions, ToolCallControls, ToolCallMembers } from '../bindings/toolCallControls.js'
export type {
  ToolCallMutationRetry,
  ToolCallRetry,
  UseToolCallMutationOptions,
  UseToolCallStateOptions,
  UseToolCallsOptions,
} from '../bindings/toolCallOptions.js'
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
export { useToolCallGroup } from './useToolCallGroup.js'
export { type UseToolCallMutationResult, useToolCallMutation } from './useToolCallMutation.js'
export { useToolCallState } from './useToolCallState.js'
export { useToolCalls } from './useToolCalls.js'
