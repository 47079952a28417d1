/** The SDK's own code for what HTTP refuses before there is JSON-RPC: a body too large, a server closed. */
export const REFUSED = -32000

/** An owner has as many tasks at work as it may have. Of the codes that MCP leaves to implementations. */
export const TASK_LIMIT_REACHED = -32010
