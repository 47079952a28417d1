/**
 * Tools of an MCP server for the Vercel AI SDK, and the parts of a chat that show their calls.
 *
 * @packageDocumentation
 */
export type {
  JsonValue,
  McpInputSchema,
  McpModelContent,
  McpModelOutput,
  McpTool,
  McpToolExecution,
  McpToolOutput,
  McpToolStatus,
} from './mcpTool.js'
export { type McpToolSet, type McpToolsOptions, mcpTools } from './mcpTools.js'
export { type ResumableChat, resumeToolParts } from './resumeToolParts.js'
export { respondToToolApproval, type ToolApproval, toolApprovalOf } from './toolApproval.js'
export type { ChatMessage } from './toolPart.js'
export { isToolStatus } from './toolStatus.js'
