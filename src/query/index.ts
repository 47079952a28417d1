export {
  type ToolCallQuery,
  type ToolCallQueryKey,
  type ToolCallQueryOptions,
  type ToolCallQueryParameter,
  toolCallQueryOptions,
} from './toolCallQueryOptions.js'
export type { ToolOutput, ToolOutputOf } from './toolOutput.js'
