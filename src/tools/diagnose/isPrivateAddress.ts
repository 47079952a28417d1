const PRIVATE_V4 = /^(127|10|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./
const PRIVATE_V6 = /^(::1$|f[cd]|fe[89ab])/i

/** True for a name or an address of this machine or of a local network. */
export function isPrivateAddress(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (/^localhost$|\.localhost$|\.local$/i.test(bare)) return true
  return bare.includes(':') ? PRIVATE_V6.test(bare) : PRIVATE_V4.test(bare)
}

/** True for what browsers trust without TLS. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[?::1\]?)$/i.test(host)
}
