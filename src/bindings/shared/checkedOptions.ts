import { checkMembers, type NamesOf } from '../../core/client/checkNames.js'
import { inDevelopment } from '../../core/environment/inDevelopment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { MUTATION_ADVICE, QUERY_ADVICE } from '../query/optionNames.js'
import type { AnyToolCallMutationOptions } from '../query/toolCallMutationOptions.js'
import type { AnyToolCallQueryOptions } from '../query/toolCallQueryOptions.js'
import type { UseTaskClientOptions, UseTaskClientsOptions } from './clients.js'
import type { OnSettled } from './onSettled.js'
import type { UseToolCallStateOptions, UseToolCallsOptions } from './toolCallOptions.js'

type OfCall = UseTaskClientOptions & OnSettled

const TASK_CLIENT: NamesOf<UseTaskClientOptions> = { client: true }

const TOOL_CALL: NamesOf<AnyToolCallQueryOptions & OfCall> = {
  name: true,
  arguments: true,
  key: true,
  outputSchema: true,
  meta: true,
  keepResult: true,
  query: true,
  client: true,
  onSettled: true,
}

const TOOL_CALL_MUTATION: NamesOf<AnyToolCallMutationOptions & OfCall> = {
  name: true,
  key: true,
  outputSchema: true,
  meta: true,
  keepResult: true,
  mutation: true,
  client: true,
  onSettled: true,
}

const TOOL_CALL_STATE: NamesOf<UseToolCallStateOptions> = { callId: true, client: true }
const TOOL_CALLS: NamesOf<UseToolCallsOptions> = { filter: true, client: true, clients: true }
const INPUT_REQUESTS: NamesOf<UseTaskClientsOptions> = { client: true, clients: true }

const NOT_HELD_BACK = 'A call that suspends cannot be held back: render the component once the call is to be made.'

/** A hook that takes options, by its name in every binding. */
export type HookWithOptions =
  | 'useTaskClient'
  | 'useTaskConnection'
  | 'useToolCall'
  | 'useSuspenseToolCall'
  | 'useToolCallMutation'
  | 'useToolCallState'
  | 'useToolCalls'
  | 'useToolCallGroup'
  | 'useInputRequests'

/** Refuses options that a hook does not have. */
const CHECKS: Readonly<Record<HookWithOptions, (options: { readonly query?: object | undefined }) => void>> = {
  useTaskClient: (options) => checkMembers(options, TASK_CLIENT),
  useTaskConnection: (options) => checkMembers(options, TASK_CLIENT),
  useToolCall: (options) => checkMembers(options, TOOL_CALL, QUERY_ADVICE),
  useSuspenseToolCall: (options) => {
    checkMembers(options, TOOL_CALL, { ...QUERY_ADVICE, instead: { enabled: NOT_HELD_BACK } })
    if ('enabled' in Object(options.query)) throw new TaskConfigurationError(NOT_HELD_BACK)
  },
  useToolCallMutation: (options) => checkMembers(options, TOOL_CALL_MUTATION, MUTATION_ADVICE),
  useToolCallState: (options) => checkMembers(options, TOOL_CALL_STATE),
  useToolCalls: (options) => checkMembers(options, TOOL_CALLS),
  useToolCallGroup: (options) => checkMembers(options, TOOL_CALLS),
  useInputRequests: (options) => checkMembers(options, INPUT_REQUESTS),
}

/**
 * The options of a hook, as they are.
 *
 * @throws {TaskConfigurationError} in development, where the hook does not have one of them: it names the nearest one.
 */
export function checkedOptions<T extends object>(hook: HookWithOptions, options: T): T {
  inDevelopment?.(() => CHECKS[hook](options))
  return options
}
