import type { Check, Found } from './check.js'
import { exposeLines, headerLines, maxAgeLines, originLines, privateNetworkLines } from './lines.js'
import type { Answer, HttpAnswer, Observed, PreflightSeen } from './observed.js'
import { allowsOrigin, isListed, listed } from './preflight.js'

/** What a page of another origin needs of a server. In the order in which a browser meets it: later ones wait for earlier ones. */
export const corsChecks: readonly Check[] = [
  {
    id: 'preflight',
    title: 'The preflight allows pages of the origin',
    run: (seen) => {
      if (seen.page === undefined || seen.preflights.length === 0 || !speaks(seen)) return undefined
      if (letsIn(seen)) return []
      // A server that no page of another origin is meant to use is no faulty one.
      if (seen.page.isAssumed && !seen.preflights.some(isAboutCors)) return undefined
      return [notLetIn(seen, seen.page.origin)]
    },
  },
  {
    id: 'preflight-headers',
    title: 'Pages may send the headers of MCP',
    run: (seen) => {
      if (!letsIn(seen)) return undefined
      const refused = [...new Set(seen.preflights.flatMap((preflight) => preflight.refused))]
      if (refused.length === 0) return []
      const asked = [...new Set(seen.preflights.flatMap(({ headers }) => headers))]
      const wildcard = refused.join() === 'authorization' ? ' "*" does not cover authorization: name it.' : ''
      return [
        {
          problem: `The server does not let pages send ${words(refused)}, so browsers do not send the requests.${wildcard}`,
          remedy: 'Name every header in Access-Control-Allow-Headers.',
          lines: headerLines(asked),
        },
      ]
    },
  },
  {
    id: 'max-age',
    title: 'Browsers may keep the permission',
    run: (seen) => {
      if (seen.page?.isAssumed || !letsIn(seen)) return undefined
      if (seen.preflights.some(({ maxAge }) => maxAge === undefined)) return undefined
      const ages = seen.preflights.map(({ maxAge }) => maxAge ?? DEFAULT_MAX_AGE)
      const age = Math.min(...ages)
      if (age >= MIN_MAX_AGE) return []
      return [
        {
          problem: `Browsers keep the permission for ${age} s only, so each poll that comes later costs two requests.`,
          remedy: 'Send Access-Control-Max-Age with the response to the preflight.',
          lines: maxAgeLines,
        },
      ]
    },
  },
  {
    id: 'private-network',
    title: 'Public pages may call a private address',
    run: (seen) => {
      const { page } = seen
      const asked = seen.preflights.filter(({ allowsPrivateNetwork }) => allowsPrivateNetwork !== undefined)
      if (asked.length === 0 || page === undefined || !letsIn(seen)) return undefined
      if (asked.every(({ allowsPrivateNetwork }) => allowsPrivateNetwork)) return []
      return [
        {
          problem: `The server has a private address and ${page.origin} a public one. Browsers that check this need Access-Control-Allow-Private-Network; Chrome 142 and later ask the user for permission, too.`,
          remedy: 'Send the header with the response to the preflight.',
          lines: privateNetworkLines,
        },
      ]
    },
  },
  {
    id: 'response-origin',
    title: 'Pages may read responses',
    run: (seen) => judgeResponse(seen, seen.first, 'The preflight is fine, but the responses'),
  },
  {
    id: 'error-origin',
    title: 'Pages may read errors',
    run: (seen) => {
      const { refusal, first, seesHeaders, page } = seen
      if (refusal === undefined || refusal === first) return undefined
      // In a page, what may not be read looks like no response at all.
      if (!seesHeaders && page !== undefined) return 'failure' in refusal ? [unreadable(ERRORS, page.origin)] : []
      if (judgeResponse(seen, first, '')?.length !== 0) return undefined
      return judgeResponse(seen, refusal, ERRORS)
    },
  },
  {
    id: 'exposed-headers',
    title: 'Pages may read the headers that they need',
    run: (seen) => {
      const { page, first, server, needsCredentials } = seen
      // What costs pages of another origin something is no fault where none is known to call.
      if (page === undefined || page.isAssumed || judgeResponse(seen, first, '')?.length !== 0) return undefined
      const exposed = listed((first as HttpAnswer).headers.get('access-control-expose-headers'))
      const needed = [
        'Retry-After',
        ...(needsCredentials ? ['WWW-Authenticate'] : []),
        ...(server?.hasSession ? ['Mcp-Session-Id'] : []),
      ]
      const missing = needed.filter((name) => !isListed(exposed, name))
      if (missing.length === 0) return []
      return [
        {
          problem: `Pages cannot read ${words(missing)}. ${missing.map((name) => USE[name]).join(' ')}`,
          remedy: 'Name every header in Access-Control-Expose-Headers, with each response.',
          lines: exposeLines(needed),
        },
      ]
    },
  },
]

const USE: Readonly<Record<string, string>> = {
  'Retry-After': 'Without it they poll a busy server too early.',
  'WWW-Authenticate': 'Without it they do not learn where to sign in.',
  'Mcp-Session-Id': 'Without it they lose their session with each request.',
}

/** What browsers assume without a word, in seconds (Fetch Standard, "CORS-preflight cache"). */
const DEFAULT_MAX_AGE = 5
/** What is shorter does not outlive the pause between two polls. */
const MIN_MAX_AGE = 60

/** True if a browser would send the requests of a page, as far as its origin goes. */
function letsIn({ preflights, page }: Observed): boolean {
  return page !== undefined && preflights.length > 0 && preflights.every((preflight) => preflight.allowsOrigin)
}

/** False for what is no endpoint at all: other checks say that. */
function speaks({ server, first, isReadable }: Observed): boolean {
  if (server !== undefined || isReadable !== undefined) return true
  return first !== undefined && 'status' in first && (first.status === 401 || first.status === 403)
}

/** True if whatever answered meant to let some page in. */
function isAboutCors({ maxAge, refused, headers }: PreflightSeen): boolean {
  return (maxAge ?? null) !== null || refused.length < headers.length
}

function notLetIn({ preflights, isReadable }: Observed, origin: string): Found {
  const status = preflights.find(({ allowsOrigin: isAllowed }) => !isAllowed)?.status
  const lines = originLines(origin)
  if (status === 401 || status === 407) {
    return {
      problem: `Preflights are answered with HTTP ${status}: something asks for credentials, which browsers do not send with them. No page gets through.`,
      remedy: 'Answer OPTIONS before credentials are checked.',
      lines,
    }
  }
  const how = status === undefined ? '' : ` A preflight was answered with HTTP ${status}.`
  const reason =
    isReadable === undefined ? how : ' The server answers, but the browser keeps its response from the page.'
  return {
    problem: `Pages of ${origin} may not call the server.${reason}`,
    remedy: `Answer OPTIONS with 204 and Access-Control-Allow-Origin: ${origin}.`,
    lines,
  }
}

/** Undefined where the response cannot be judged, or was not asked for on behalf of a page. */
function judgeResponse(seen: Observed, answer: Answer | undefined, what: string): readonly Found[] | undefined {
  const { page, seesHeaders, isOriginRefused } = seen
  if (page === undefined || !seesHeaders || !letsIn(seen) || !speaks(seen)) return undefined
  if (answer === undefined || 'failure' in answer) return undefined
  if (isOriginRefused) return [refused(page.origin)]
  return allowsOrigin(answer.headers, page.origin) ? [] : [unreadable(what, page.origin)]
}

function refused(origin: string): Found {
  return {
    problem: `The preflight is fine, but the server refuses requests of ${origin} with HTTP 403. It answers the same requests without an Origin.`,
    remedy: 'Allow the origin in the server, too: something in front of it has answered the preflight.',
    lines: originLines(origin),
  }
}

const ERRORS = 'Responses with an error status'

function unreadable(what: string, origin: string): Found {
  return {
    problem: `${what} come without Access-Control-Allow-Origin, so pages of ${origin} cannot read them.`,
    remedy: 'Add the header to every response, not to that of the preflight alone.',
    lines: originLines(origin),
  }
}

/** A list for people. */
function words(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
