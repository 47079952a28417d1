/** Why the era is that of 2026-07-28, in a sentence without its end. */
export const DISCOVERED = 'The server answered server/discover, which came with MCP 2026-07-28'
