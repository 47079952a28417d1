import { inDevelopment } from '../environment/inDevelopment.js'
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  isIdempotencyConflict,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
} from '../protocol/extension.js'
import { READ_MORE } from '../protocol/readMore.js'
import { isPassingStatus } from '../time/retry.js'

// What to do about an error. A production build has none of it, but the link to docs/errors.md.

export const SIGN_IN_HINT: string = inDevelopment
  ? 'With an authProvider, client.authorize() starts a sign-in; connect() repeats one that has failed.'
  : READ_MORE

/** What to do about a JSON-RPC error. */
export const HINTS: Readonly<Record<number, string>> = {
  [HEADER_MISMATCH]: inDevelopment
    ? 'A header did not arrive as it was sent: a proxy must pass on Mcp-Method, Mcp-Name and MCP-Protocol-Version. ' +
      'A transport of @modelcontextprotocol/client before 2.1 sends no Mcp-Name for tasks: update it.'
    : READ_MORE,
  [MISSING_CLIENT_CAPABILITY]: inDevelopment
    ? 'It needs a capability that the client has not declared: name it in the option capabilities.'
    : READ_MORE,
}

/** True where a page of https: asks a server of http: that is not on this computer. */
export function isBlocked(url: string | undefined, page: string | undefined): boolean {
  return url !== undefined && page?.startsWith('https:') === true && /^http:\/\/(?!(localhost|127\.|\[::1\]))/.test(url)
}

/** What to do where nothing answers. `page` is the URL of the page that connects. */
export function corsAdvice(url: string | undefined, page: string | undefined): string {
  return (
    'If the server is on another origin, it must allow it: Access-Control-Allow-Origin, and Access-Control-Allow-Headers ' +
    'with content-type, mcp-protocol-version, mcp-method and mcp-name. ' +
    `To find out what is wrong, run: npx taskwire doctor ${url ?? '<url>'}${originOf(page, url)}`
  )
}

/** The option of the command that has it ask on behalf of the page: not where the server has the same origin. */
function originOf(page: string | undefined, url: string | undefined): string {
  const origin = page !== undefined && /^https?:/.test(page) ? new URL(page).origin : undefined
  return origin === undefined || url?.startsWith(`${origin}/`) ? '' : ` --origin ${origin}`
}

/** What to do about an HTTP status. */
export function adviceFor(status: number, text = ''): string {
  if (status === 400) return 'If it wants a header, pass it in the option headers.'
  if (status === 401)
    return 'It asks for credentials: pass authProvider, or an Authorization header in the option headers.'
  if (status === 403) return 'It refuses access: check the credentials, and that it allows the origin of this page.'
  // What serves files knows no POST, and says so in HTML or words; an API says in JSON what it has not.
  if (status === 501 && !/^\s*\{/.test(text)) return `Nothing there takes POST. ${CHECK_URL}`
  if (status >= 500) return 'The fault is in the server: its log says more. Trying again is safe.'
  if (isPassingStatus(status)) return 'Try again later.'
  return `${status === 415 ? 'It takes no JSON there. ' : ''}${CHECK_URL}`
}

export const CHECK_URL = 'Check that the URL is that of the MCP endpoint.'

/** What to do about a call that the server refuses. */
export function hintFor({ code, data }: { readonly code: number; readonly data?: unknown }): string {
  if (isIdempotencyConflict(data))
    return ' Call it with the arguments that it was first called with, or under another key.'
  if (code === METHOD_NOT_FOUND)
    return ' The server offers no tools. Check that the URL is that of the server you mean.'
  return code === INVALID_PARAMS ? ' Check the name and the arguments against listTools().' : ''
}
