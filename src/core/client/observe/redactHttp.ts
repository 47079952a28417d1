import type { WireHeaders } from './events.js'
import type { OfFirstLoad } from './ofFirstLoad.js'

const REDACTED = '[redacted]'

/** The headers of a request or a response without credentials and without the id of the task. */
export function redactHeaders(headers: RequestInit['headers'], task: string | undefined): WireHeaders {
  const method = new Headers(headers).get('mcp-method') ?? ''
  return Object.fromEntries(
    [...new Headers(headers)].map(([name, value]) => {
      if (!isShown(name)) return [name, redactValue(name, value)]
      const isTask = name === 'mcp-name' && method.startsWith('tasks/')
      return [name, isTask ? (task ?? REDACTED) : value]
    }),
  )
}

/** The headers whose values are shown: what MCP, caches and proxies say. Whatever else an app adds may be a credential. */
const SHOWN = new Set([
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'age',
    'allow',
    'cache-control',
    'connection',
    'content-encoding',
  ],
  ...['content-language', 'content-length', 'content-type', 'date', 'expires', 'keep-alive', 'last-modified', 'origin'],
  ...[
    'mcp-method',
    'mcp-name',
    'mcp-protocol-version',
    'pragma',
    'retry-after',
    'server',
    'transfer-encoding',
    'user-agent',
  ],
  ...['vary', 'via', 'www-authenticate', 'x-accel-buffering', 'x-content-type-options', 'x-powered-by'],
])

/** `Mcp-Param-*` repeats arguments, which the body shows. */
function isShown(name: string): boolean {
  return SHOWN.has(name) || /^(access-control|mcp-param)-/.test(name)
}

/** `Bearer` and the like say nothing that is secret, and a request is made again with them. */
function redactValue(name: string, value: string): string {
  const [scheme] = name === 'authorization' ? (/^[a-z]+(?= )/i.exec(value) ?? []) : []
  return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`
}

/** The URL without its query, which may hold a token, without a user, and without what may be a secret in its path. */
export function redactUrl(url: string | URL, withoutSecrets: OfFirstLoad['withoutSecrets']): string {
  const { origin, pathname } = new URL(url)
  return origin + withoutSecrets(pathname, () => '…')
}
