/**
 * Tools of an MCP server for the Vercel AI SDK, and helpers for the chat parts that show their calls.
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
} from './tools/ai/mcpTool.js'
export { type McpToolSet, type McpToolsOptions, mcpTools } from './tools/ai/mcpTools.js'
export { type ResumableChat, resumeToolParts } from './tools/ai/resumeToolParts.js'
export { respondToToolApproval, type ToolApproval, toolApprovalOf } from './tools/ai/toolApproval.js'
export type { ChatMessage } from './tools/ai/toolPart.js'
export { isToolStatus } from './tools/ai/toolStatus.js'
