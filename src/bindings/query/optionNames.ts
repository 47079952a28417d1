import type { MutationObserverOptions, QueryObserverOptions } from '@tanstack/query-core'
import type { NamesOf, OptionAdvice } from '../../core/client/checkNames.js'
import type { AnyToolCallMutationOptions } from './toolCallMutationOptions.js'
import type { AnyToolCallQueryOptions } from './toolCallQueryOptions.js'

/** The options of TanStack Query that stand in `query`. It may have others: these are suggested. */
const queryNames: readonly (keyof QueryObserverOptions)[] = [
  'enabled',
  'gcTime',
  'initialData',
  'initialDataUpdatedAt',
  'meta',
  'notifyOnChangeProps',
  'placeholderData',
  'refetchInterval',
  'refetchOnMount',
  'refetchOnReconnect',
  'refetchOnWindowFocus',
  'retry',
  'retryDelay',
  'select',
  'staleTime',
  'structuralSharing',
  'throwOnError',
]

const mutationNames: readonly (keyof MutationObserverOptions)[] = [
  'gcTime',
  'meta',
  'networkMode',
  'onError',
  'onMutate',
  'onSuccess',
  'retry',
  'retryDelay',
  'scope',
  'throwOnError',
]

/** TanStack's options of a query are suggested where they stand beside `query`. */
export const QUERY_ADVICE: OptionAdvice = { suggested: { query: queryNames } }

export const MUTATION_ADVICE: OptionAdvice = {
  suggested: { mutation: mutationNames },
  instead: { arguments: 'The arguments are passed to mutate: mutate({ … }).' },
}

/** The options of {@link toolCallQueryOptions}. */
export const TOOL_CALL_QUERY: NamesOf<AnyToolCallQueryOptions> = {
  name: true,
  arguments: true,
  key: true,
  outputSchema: true,
  meta: true,
  keepResult: true,
  query: true,
}

/** The options of {@link toolCallMutationOptions}. */
export const TOOL_CALL_MUTATION: NamesOf<AnyToolCallMutationOptions> = {
  name: true,
  key: true,
  outputSchema: true,
  meta: true,
  keepResult: true,
  mutation: true,
}
