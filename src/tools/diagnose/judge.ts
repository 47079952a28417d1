import type { Finding } from './check.js'
import { checks } from './checks.js'
import type { Observed, TaskRun } from './observed.js'

/** The outcome of one check. */
export interface CheckOutcome {
  readonly id: string
  readonly title: string
  readonly outcome: 'ok' | 'found' | 'not told'
}

/** The result of the checks of a server. */
export interface Diagnosis {
  readonly url: string
  /** The origin of the page that will use the server; undefined if it is the server's own, or is not known. */
  readonly origin: string | undefined
  /**
   * Whether CORS was checked for `origin`. `not needed`: the page has the server's own origin. `not checked`: the origin is
   * not known, and a finding about CORS concerns pages of any origin.
   */
  readonly cors: 'checked' | 'not needed' | 'not checked'
  readonly server:
    | {
        readonly revision: string
        readonly name: string | undefined
        readonly servesTasks: boolean
      }
    | undefined
  readonly findings: readonly Finding[]
  readonly checks: readonly CheckOutcome[]
  /** The tool call, if the options named a tool. */
  readonly run: TaskRun | undefined
  /**
   * The reason for skipped checks: no response could be read, the server requires a sign-in (401), or it refuses access (403).
   * Undefined if all checks were made.
   */
  readonly unasked: 'unreachable' | 'credentials' | 'forbidden' | undefined
}

/** Runs every check on what was seen. */
export function judge(seen: Observed): Diagnosis {
  const { url, page, server, first, run } = seen
  const judged = checks.map(({ id, title, run: check }) => ({ id, title, found: check(seen) }))
  return {
    // A query may hold a token.
    url: url.origin + url.pathname,
    origin: page?.isAssumed ? undefined : page?.origin,
    cors: page === undefined ? 'not needed' : page.isAssumed ? 'not checked' : 'checked',
    server: server && { revision: server.revision, name: server.name, servesTasks: server.servesTasks },
    findings: judged.flatMap(({ id, found = [] }) => found.map((one) => ({ check: id, ...one }))),
    checks: judged.map(({ id, title, found }) => ({
      id,
      title,
      outcome: found === undefined ? 'not told' : found.length > 0 ? 'found' : 'ok',
    })),
    run,
    unasked: unaskedOf(first),
  }
}

function unaskedOf(first: Observed['first']): Diagnosis['unasked'] {
  if (first === undefined || 'failure' in first) return 'unreachable'
  if (first.status === 401) return 'credentials'
  return first.status === 403 ? 'forbidden' : undefined
}
