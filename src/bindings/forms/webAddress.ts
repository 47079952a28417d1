/** The address that a server wants the user to visit, split into parts so that you can highlight whose it is. */
export interface WebAddress {
  /** The whole address, in ASCII: `before`, `host` and `after`. For the `href` of a link. */
  readonly href: string
  /** The scheme, and a user name that may be made to look like a host. */
  readonly before: string
  /** The host and the port, which you should highlight. Letters of other alphabets are written as `xn--…`. */
  readonly host: string
  readonly after: string
  /** True if a user name or a password comes before the host: it may be made to look like another host. */
  readonly hasUserPart: boolean
  /** True if the host has letters of other alphabets: they may imitate another host. */
  readonly isPunycode: boolean
  /** True if others on the network can read and change the page: it uses http, and is not on this machine. */
  readonly isUnencrypted: boolean
}

/** The parts of an address; undefined unless it is http or https: `javascript:` and its kin never reach a link. */
export function parseWebAddress(url: unknown): WebAddress | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { href, host, hostname, protocol } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  const schemeEnd = protocol.length + 2
  const start = href.indexOf('/', schemeEnd) - host.length
  return {
    href,
    before: href.slice(0, start),
    host,
    after: href.slice(start + host.length),
    hasUserPart: start > schemeEnd,
    isPunycode: /(^|\.)xn--/.test(host),
    isUnencrypted: protocol === 'http:' && !/^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname),
  }
}
