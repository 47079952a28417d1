const query = new URLSearchParams(location.search)

/** The static site has no server of MCP 2025-11-25: that one needs Node. */
export const hasLegacy = import.meta.env.MODE !== 'site'

/** `?server=legacy`: a server of MCP 2025-11-25, for the same page. It has no tools that ask. */
export const isLegacy = hasLegacy && query.get('server') === 'legacy'

/** `?push`: the server pushes what happens to tasks. Without it the page polls, for the devtools to show. */
export const isPushed = query.has('push')

/** `?lite`: the client of `taskwire/lite`, which needs nothing of the SDK. */
export const isLite = query.has('lite')

/** `?beside`: the second tab, in a frame of the first. It has the studio, and nothing around it. */
export const isBeside = query.has('beside')

/** This page with another switch, or without it. */
export function addressWith(name: string, value: string | undefined): string {
  const next = new URLSearchParams(location.search)
  if (value === undefined) next.delete(name)
  else next.set(name, value)
  return next.size === 0 ? location.pathname : `?${next}`
}
