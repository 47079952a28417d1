import type { Asker } from './createAsker.js'
import type { Page, PreflightSeen } from './observed.js'

/** What a page sends with the requests of 2026-07-28, set by set. */
const MODERN_SETS: readonly (readonly string[])[] = [
  ['content-type', 'mcp-protocol-version', 'mcp-method'],
  ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
]

/** The same for 2025-11-25: before there is a session, and in it. */
const LEGACY_SETS: readonly (readonly string[])[] = [
  ['content-type', 'mcp-protocol-version'],
  ['content-type', 'mcp-protocol-version', 'mcp-session-id'],
]

export interface HeaderSets {
  readonly era: 'modern' | 'legacy' | undefined
  readonly hasSession: boolean
  readonly needsCredentials: boolean
}

/** The sets of headers that a page has to be allowed. If the revision is unknown, those that both revisions always send. */
export function headerSets({ era, hasSession, needsCredentials }: HeaderSets): (readonly string[])[] {
  const sets = era === 'legacy' ? LEGACY_SETS.filter((_, index) => index === 0 || hasSession) : MODERN_SETS
  const credentials = needsCredentials ? ['authorization'] : []
  return sets.map((set) => [...set, ...credentials])
}

/** Asks by a preflight, as a browser would. */
export async function askPreflight(
  asker: Asker,
  { origin }: Page,
  headers: readonly string[],
  isPrivate: boolean,
): Promise<PreflightSeen> {
  const answer = await asker.send({
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': [...headers].sort().join(','),
      ...(isPrivate && { 'access-control-request-private-network': 'true' }),
    },
  })
  if ('failure' in answer) return { ...NOTHING_ALLOWED, headers, refused: headers }
  const { status, headers: said } = answer
  const isOk = status >= 200 && status < 300
  const allowed = listed(said.get('access-control-allow-headers'))
  const maxAge = said.get('access-control-max-age') ?? ''
  return {
    headers,
    status,
    allowsOrigin: isOk && allowsOrigin(said, origin),
    refused: headers.filter((name) => !isListed(allowed, name)),
    // Browsers ignore what is no number of seconds.
    maxAge: /^\d+$/.test(maxAge) ? Number(maxAge) : null,
    allowsPrivateNetwork: isPrivate ? said.get('access-control-allow-private-network') === 'true' : undefined,
  }
}

const NOTHING_ALLOWED = {
  status: undefined,
  allowsOrigin: false,
  maxAge: undefined,
  allowsPrivateNetwork: undefined,
} satisfies Partial<PreflightSeen>

/** True if a response with these headers may be read by a page of the origin, which sends no cookies. */
export function allowsOrigin(headers: Headers, origin: string): boolean {
  const said = headers.get('access-control-allow-origin')
  return said === '*' || said === origin
}

/** The names in a list of headers. */
export function listed(list: string | null): ReadonlySet<string> {
  return new Set((list ?? '').split(',').map((name) => name.trim().toLowerCase()))
}

/** `*` stands for every header but `Authorization` (Fetch Standard, "CORS non-wildcard request-header name"). */
export function isListed(names: ReadonlySet<string>, name: string): boolean {
  return names.has(name.toLowerCase()) || (names.has('*') && name.toLowerCase() !== 'authorization')
}
