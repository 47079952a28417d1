import type { ToolArguments, ToolName, WithArguments } from '../client/tools.js'
import type { StandardSchemaV1 } from '../connection/standardSchema.js'
import type { ToolCallQueryBase } from '../query/toolCallQueryOptions.js'
import type { UseTaskClientOptions } from './clients.js'
import type { OnSettled } from './onSettled.js'

/** What `useToolCall` takes in every framework. `TSkip` is the type of `skipToken` of that framework's TanStack Query. */
export type ToolCallOptions<
  T,
  Name extends ToolName<T>,
  S extends StandardSchemaV1 | undefined,
  TData,
  TSkip,
> = ToolCallQueryBase<T, Name, S, TData> &
  WithArguments<ToolArguments<T, Name>, TSkip | undefined> &
  UseTaskClientOptions<T> &
  OnSettled
