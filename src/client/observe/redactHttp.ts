import type { WireHeaders } from './events.js'

const REDACTED = '[redacted]'

/** The headers of a request or a response without credentials and without the id of the task. */
export function redactHeaders(headers: RequestInit['headers'], task: string | undefined): WireHeaders {
  const method = new Headers(headers).get('mcp-method') ?? ''
  return Object.fromEntries(
    [...new Headers(headers)].map(([name, value]) => {
      if (isCredential(name)) return [name, redactValue(name, value)]
      const isTask = name === 'mcp-name' && method.startsWith('tasks/')
      return [name, isTask ? (task ?? REDACTED) : value]
    }),
  )
}

/** True for the name of a header that is a credential, or sounds as if it were. */
function isCredential(name: string): boolean {
  return /(^|[-_])(auth|authorization|cookie2?|token|secret|key|apikey|session|password|credentials?|jwt|signature)([-_]|$)/.test(
    name,
  )
}

/** `Bearer` and the like say nothing that is secret, and a request is made again with them. */
function redactValue(name: string, value: string): string {
  const [scheme] = name === 'authorization' ? (/^[a-z]+(?= )/i.exec(value) ?? []) : []
  return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`
}

/** The URL without its query, which may hold a token, and without a user. */
export function redactUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
