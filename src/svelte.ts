/**
 * Functions for Svelte 5 with runes: a call as a query, a call behind a button, lists of calls, and forms for input
 * requests.
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
export type { ReactiveValue } from './bindings/svelte/reactive.js'
export { setTaskClient } from './bindings/svelte/setTaskClient.js'
export {
  type ElicitationInputProps,
  type UseElicitationFormResult,
  useElicitationForm,
} from './bindings/svelte/useElicitationForm.js'
export { useInputRequests } from './bindings/svelte/useInputRequests.js'
export { useTaskClient } from './bindings/svelte/useTaskClient.js'
export { useTaskConnection } from './bindings/svelte/useTaskConnection.js'
export { type UseToolCallOptions, type UseToolCallResult, useToolCall } from './bindings/svelte/useToolCall.js'
export { useToolCallGroup } from './bindings/svelte/useToolCallGroup.js'
export { type UseToolCallMutationResult, useToolCallMutation } from './bindings/svelte/useToolCallMutation.js'
export { useToolCallState } from './bindings/svelte/useToolCallState.js'
export { useToolCalls } from './bindings/svelte/useToolCalls.js'
