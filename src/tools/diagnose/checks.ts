import type { Check } from './check.js'
import { corsChecks } from './corsChecks.js'
import { isMixedContent } from './observe.js'
import { taskChecks } from './taskChecks.js'

/** Every check, in the order of a first request. */
export const checks: readonly Check[] = [
  {
    id: 'online',
    title: 'The browser is online',
    run: ({ isOffline, seesHeaders }) => {
      if (seesHeaders) return undefined
      const remedy = 'Wait for the network. Calls then continue automatically.'
      return isOffline ? [{ problem: 'The browser is offline.', remedy }] : []
    },
  },
  {
    id: 'mixed-content',
    title: 'A page on https: may call this URL',
    run: ({ page, url }) => {
      if (page === undefined || page.isAssumed) return undefined
      if (!isMixedContent(page, url)) return []
      return [
        {
          problem: `The page is at ${page.origin} and the server at ${url.origin}: browsers block requests from https: to http:.`,
          remedy: 'Serve MCP with TLS and use its https: URL.',
          lines: { nginx: 'listen 443 ssl; ssl_certificate …; ssl_certificate_key …;' },
        },
      ]
    },
  },
  {
    id: 'reachable',
    title: 'The server answers',
    run: ({ first, isReadable }) => {
      if (first === undefined) return undefined
      if (!('failure' in first)) return []
      // Something answers; browsers keep it from the page.
      if (isReadable !== undefined) return undefined
      const { kind, message } = first.failure
      return [{ problem: `The server could not be reached: ${message}.`, remedy: ADVICE[kind] }]
    },
  },
  {
    id: 'redirect',
    title: 'The URL is the last one',
    run: ({ first }) => {
      if (first === undefined || 'failure' in first) return undefined
      const { status, headers } = first
      if (status !== 0 && (status < 300 || status >= 400)) return []
      const to = headers.get('location')
      return [
        {
          problem: `The URL redirects${to === null ? '' : ` to ${to.slice(0, 200)}`}. Browsers follow no redirect of a preflight, and a POST may arrive as a GET.`,
          remedy: 'Use the URL that it redirects to. Often the two differ only in a slash at the end, or in https:.',
          lines: { fastmcp: "mcp.http_app(path='/mcp')  # and the URL without a slash at its end" },
        },
      ]
    },
  },
  {
    id: 'mcp',
    title: 'It speaks MCP',
    run: ({ first, server }) => {
      if (server !== undefined) return []
      if (first === undefined || 'failure' in first) return undefined
      const { status, headers, message, text } = first
      if (status < 200 || (status >= 300 && status < 400) || status === 401 || status === 403) return undefined
      const isHtml = headers.get('content-type')?.includes('html') === true
      const what = isHtml ? 'a page of HTML' : message === undefined ? 'no MCP message' : 'an MCP error'
      return [
        {
          problem: `The URL does not lead to an MCP server: HTTP ${status} with ${what}, to server/discover and to initialize.`,
          remedy:
            // What serves files answers 501 to a POST, and says so in HTML or words.
            status >= 500 && (status !== 501 || /^\s*\{/.test(text))
              ? 'The fault is in the server: read its log.'
              : 'Check that the URL is that of the MCP endpoint, usually /mcp, and that no sign-in page or app answers in its place.',
        },
      ]
    },
  },
  ...corsChecks,
  ...taskChecks,
]

const ADVICE = {
  timeout: 'Check that the server runs and that nothing in front of it holds the request back.',
  name: 'Check the name of the server in the URL.',
  refused: 'Start the server, or check the port in the URL.',
  certificate:
    'Browsers refuse the certificate, too. Renew it or have it signed; for one of your own: NODE_EXTRA_CA_CERTS=ca.pem npx taskwire doctor …',
  tls: 'The server does not speak TLS. Check whether the URL must begin with http: or https:.',
  network: 'Check that the server runs and that the URL is right.',
}
