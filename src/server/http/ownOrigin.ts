/**
 * True if the page is the server's own. That its host is that of the request says so only where the host cannot have been
 * made to point here by somebody else (DNS rebinding): over TLS, and where it is no name.
 */
export function isOwnOrigin(origin: string, { url, headers }: Request): boolean {
  // Scripts cannot set it, proxies do not change it, and browsers send it only over TLS and to their own machine.
  if (headers.get('sec-fetch-site') === 'same-origin') return true
  if (!URL.canParse(origin)) return false
  const { protocol, host, hostname } = new URL(origin)
  // A page of another site chooses the path that it asks for, which may look like a host to who makes a URL of it (`//evil.example`).
  const own = headers.get('host') ?? new URL(url).host
  return host === own && (protocol === 'https:' || isAddress(hostname))
}

/** True for an IP address, and for the name that every machine has for itself. */
function isAddress(hostname: string): boolean {
  return /^(\d+\.){3}\d+$|^\[|(^|\.)localhost$/.test(hostname)
}
