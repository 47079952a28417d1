/** The SDK's own code for what HTTP refuses before there is JSON-RPC: a body too large, a server closed. */
export const REFUSED = -32000

/** There are as many tasks at work, or streams, as there may be. Of the codes that MCP leaves to implementations. */
export const LIMIT_REACHED = -32010

/** JSON-RPC 2.0, section 5.1. By itself, since stores load without the SDK. */
export const INTERNAL_ERROR = -32603
