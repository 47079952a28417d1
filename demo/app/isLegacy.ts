/** The static site has no server of 2025-11-25: that one needs Node. */
export const hasLegacy = import.meta.env.MODE !== 'site'
/** `?server=legacy`: a server of MCP 2025-11-25, for the same page. It has no tools that ask. */
export const isLegacy = hasLegacy && new URLSearchParams(location.search).get('server') === 'legacy'
