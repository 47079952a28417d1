import type { MutationObserverOptions } from '@tanstack/query-core'
import { checkMembers } from '../../core/client/checkNames.js'
import type { StandardSchemaV1 } from '../../core/client/standardSchema.js'
import type { TaskClient, ToolCallOptions } from '../../core/client/taskClient.js'
import type { ToolArguments, ToolName } from '../../core/client/tools.js'
import { inDevelopment } from '../../core/environment/inDevelopment.js'
import { ToolCallKeyConflictError } from '../../core/protocol/errors.js'
import type { ToolCallMeta } from '../../core/protocol/register.js'
import { type ClearedQueryClient, clearWhenForgotten } from './clearWhenForgotten.js'
import { keyedCallId } from './keyedCallId.js'
import { MUTATION_ADVICE, TOOL_CALL_MUTATION } from './optionNames.js'
import { type ToolCallQueryKey, toolCallQueryKey } from './toolCallQueryOptions.js'
import { type ToolOutputOf, toolOutput } from './toolOutput.js'

/** The parameter of `mutate`: the arguments of the tool, or nothing if none are required. */
export type ToolCallVariables<T, Name extends ToolName<T>> =
  // biome-ignore lint/suspicious/noConfusingVoidType: what lets `mutate()` be called without arguments
  Record<never, never> extends ToolArguments<T, Name> ? ToolArguments<T, Name> | void : ToolArguments<T, Name>

/** The tool behind a button. */
export interface ToolCallMutationOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
> {
  /** The tool's name. */
  name: Name
  /** Names the button's call: while it is running, a second `mutate` joins it. Without a key, every `mutate` is a new call. */
  key?: string | undefined
  /** Any Standard Schema (zod, valibot, arktype): checks and types `data.structuredContent`. */
  outputSchema?: S
  /** As in `ToolCallOptions`: the app's own note on the call, or a function of the arguments that returns it. */
  meta?: ToolCallMeta | ((variables: ToolCallVariables<T, Name>) => ToolCallMeta | undefined) | undefined
  /** As in `ToolCallOptions`: keeps the result for longer than the server does. */
  keepResult?: ToolCallOptions['keepResult']
  /** Options of TanStack Query. */
  mutation?:
    | Omit<
        MutationObserverOptions<ToolOutputOf<S, T, Name>, Error, ToolCallVariables<T, Name>>,
        'mutationFn' | 'mutationKey'
      >
    | undefined
}

/** The members of {@link ToolCallMutationOptions} that Taskwire reads, for any tool. */
export interface AnyToolCallMutationOptions {
  readonly name: string
  readonly key?: string | undefined
  readonly outputSchema?: StandardSchemaV1 | undefined
  readonly meta?: ToolCallMeta | ((variables: never) => ToolCallMeta | undefined) | undefined
  readonly keepResult?: ToolCallOptions['keepResult']
  readonly mutation?: object | undefined
}

/**
 * The part of a `MutationFunctionContext` that the mutation function reads. Earlier versions of TanStack Query pass no
 * context.
 */
export interface ToolCallMutationContext {
  readonly client?: ClearedQueryClient
}

/** The return value of {@link toolCallMutationOptions}: options for `useMutation` and similar functions. */
export interface ToolCallMutation<TOutput, TVariables> {
  mutationKey: ToolCallQueryKey
  mutationFn: (variables: TVariables, context?: ToolCallMutationContext) => Promise<TOutput>
}

/**
 * A tool behind a button, for any binding of TanStack Query: `mutate(arguments)` calls the tool. With a key, it joins a
 * running call with that key. Taskwire never repeats the call automatically. While the page is offline, the call waits.
 *
 * @example
 * ```ts
 * const report = useMutation(() => toolCallMutationOptions(client, { name: 'generate_report', key: 'weekly' }))
 * report.mutate({ seconds: 30 })
 * ```
 */
export function toolCallMutationOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined = undefined,
>(
  client: TaskClient<T>,
  options: ToolCallMutationOptions<T, Name, S>,
): ToolCallMutation<ToolOutputOf<S, T, Name>, ToolCallVariables<T, Name>>
export function toolCallMutationOptions(client: TaskClient, options: AnyToolCallMutationOptions): unknown {
  inDevelopment?.(() => checkMembers(options, TOOL_CALL_MUTATION, MUTATION_ADVICE))
  return toolCallMutation(client, options)
}

/** A tool call has side effects; offline, the call itself waits, and says so. */
const UNREPEATED = { retry: false, networkMode: 'always' }

/** What is called with the calls of a mutation. */
export interface ToolCallMutationListener {
  /** A call is wanted. None is made where `onMutate` rejects, or where there cannot be one. */
  onWanted(callId: string | undefined): void
  /** A call is made. */
  onStart(callId: string): void
  /** The call is refused: one of the same key has other arguments. */
  onConflict(): void
}

/** {@link toolCallMutationOptions}, for a component. */
export function toolCallMutation(
  client: TaskClient,
  { name, key, outputSchema, meta, keepResult, mutation }: AnyToolCallMutationOptions,
  listener?: ToolCallMutationListener,
): ToolCallMutation<unknown, object | undefined> {
  const onWanted = () => listener?.onWanted(keyedCallId(client, { name, key }))
  const { onMutate } = (mutation ?? {}) as { onMutate?: (...args: never[]) => unknown }
  return {
    ...UNREPEATED,
    ...mutation,
    // Without one, that of the defaults of the query client is called.
    ...(onMutate && {
      onMutate: (...args: never[]) => {
        onWanted()
        return onMutate(...args)
      },
    }),
    mutationKey: toolCallQueryKey(client, name, key),
    mutationFn: async (args, context) => {
      onWanted()
      if (context?.client !== undefined) clearWhenForgotten(client, context.client)
      const noted = typeof meta === 'function' ? meta(args as never) : meta
      const call = client.startToolCall(
        { name, ...(args !== undefined && { arguments: args }) },
        {
          repeat: 'settled',
          ...(key !== undefined && { key }),
          ...(noted && { meta: noted }),
          ...(keepResult && { keepResult }),
        },
      )
      listener?.onStart(call.callId)
      try {
        return toolOutput(await call.result, name, outputSchema)
      } catch (error) {
        if (error instanceof ToolCallKeyConflictError) listener?.onConflict()
        throw error
      }
    },
  }
}
