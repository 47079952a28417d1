/** `?lite`: the client of `taskwire/lite`, which needs nothing of the SDK. */
export const isLite = new URLSearchParams(location.search).has('lite')
