/**
 * Composables for Vue 3: a call as a query, a call behind a button, lists of calls, and forms for input requests.
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
export type { ToolCallActions, ToolCallMembers } from './bindings/shared/toolCallControls.js'
export type {
  ToolCallMutationRetry,
  ToolCallRetry,
  UseToolCallMutationOptions,
  UseToolCallStateOptions,
  UseToolCallsOptions,
} from './bindings/shared/toolCallOptions.js'
export { provideTaskClient, taskClientPlugin } from './bindings/vue/provideTaskClient.js'
export type { RefsOf } from './bindings/vue/refsOf.js'
export {
  type ElicitationInputProps,
  type UseElicitationFormResult,
  useElicitationForm,
} from './bindings/vue/useElicitationForm.js'
export { useInputRequests } from './bindings/vue/useInputRequests.js'
export { useTaskClient } from './bindings/vue/useTaskClient.js'
export { useTaskConnection } from './bindings/vue/useTaskConnection.js'
export { type UseToolCallOptions, type UseToolCallResult, useToolCall } from './bindings/vue/useToolCall.js'
export type { ToolCallControls } from './bindings/vue/useToolCallControls.js'
export { useToolCallGroup } from './bindings/vue/useToolCallGroup.js'
export { type UseToolCallMutationResult, useToolCallMutation } from './bindings/vue/useToolCallMutation.js'
export { useToolCallState } from './bindings/vue/useToolCallState.js'
export { useToolCalls } from './bindings/vue/useToolCalls.js'
