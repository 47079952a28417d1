const query = new URLSearchParams(location.search)

const isSite = import.meta.env.MODE === 'site'

/** The static site has no server of MCP 2025-11-25: that one needs Node. */
export const hasLegacy = !isSite

/** `?server=legacy`: a server of MCP 2025-11-25, for the same page. It has no tools that ask. */
export const isLegacy = hasLegacy && query.get('server') === 'legacy'

/** The server pushes what happens to tasks, without `?poll`. */
export const isPushed = !query.has('poll')

/** This page with polls in place of push, or the other way round. */
export const otherWay = (): string => addressWith('poll', isPushed ? '' : undefined)

/** `?lite`: the client of `taskwire/lite`, which needs nothing of the SDK. */
export const isLite = query.has('lite')

/** `?beside`: the second tab, in a frame of the first. It has the studio, and nothing around it. */
export const isBeside = query.has('beside')

/** One shot is rendered when a visitor comes for the first time, without `?still`. */
export const rendersOnArrival = !isBeside && !query.has('still')

/** This page with another switch, or without it. */
export function addressWith(name: string, value: string | undefined): string {
  const next = new URLSearchParams(location.search)
  if (value === undefined) next.delete(name)
  else next.set(name, value)
  return next.size === 0 ? location.pathname : `?${next}`
}
