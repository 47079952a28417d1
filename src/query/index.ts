export {
  type ToolCallQuery,
  type ToolCallQueryKey,
  type ToolCallQueryOptions,
  type ToolCallQueryParams,
  toolCallOptions,
} from './toolCallOptions.js'
export type { ToolOutput, ToolOutputOf } from './toolOutput.js'
