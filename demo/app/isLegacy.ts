/** `?server=legacy`: a server of MCP 2025-11-25, for the same page. It has no tools that ask. */
export const isLegacy = new URLSearchParams(location.search).get('server') === 'legacy'
