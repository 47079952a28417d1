import type { ClientCapabilities, StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client'
import type { Environment } from '../../core/environment/environment.js'
import type { OnProtocolIssue } from '../../core/protocol/task.js'
import { VERSION } from '../../core/protocol/version.js'
import { type HeadersOption, toHeaders } from '../../core/wire/headers.js'
import { withRetryAfter } from '../../core/wire/retryAfter.js'
import { tappedFetch, type WireTap } from '../../core/wire/wireTap.js'
import { withSessionHeader } from '../legacy/session.js'
import { Client, StreamableHTTPClientTransport } from '../sdk.js'
import type { SignInByToken } from '../signIn/signIn.js'
import { TaskTransport } from '../transport/taskTransport.js'
import { answeredFetch } from './fetch.js'
import { withHeaders } from './headers.js'

/** How the SDK client finds out what a server speaks: by both ways, or by one of them only. */
const NEGOTIATION = { auto: 'auto', modern: { pin: '2026-07-28' }, legacy: 'legacy' } as const

/** The revisions that a client speaks: whichever the server does, or those of one era. */
export type EraOption = keyof typeof NEGOTIATION

/** An SDK client of our own. */
export function createClient(
  clientInfo: { name: string; version: string } | undefined,
  capabilities: ClientCapabilities,
  era: EraOption,
): Client {
  return new Client(clientInfo ?? { name: 'taskwire', version: VERSION }, {
    capabilities,
    versionNegotiation: { mode: NEGOTIATION[era] },
  })
}

export interface HttpTransportOptions {
  readonly transportOptions: StreamableHTTPClientTransportOptions | undefined
  readonly authProvider: StreamableHTTPClientTransportOptions['authProvider']
  readonly headers: HeadersOption | undefined
  readonly environment: Pick<Environment, 'fetch' | 'now' | 'randomId' | 'setTimeout' | 'clearTimeout'>
  readonly onIssue: OnProtocolIssue
  readonly signIn: SignInByToken | undefined
  /** Called with the ms for which a server that refused the connection wants to be left alone. */
  readonly onConnectAfter: (ms: number) => void
  readonly tap: WireTap
}

/** The transport of such a client. */
export function createHttpTransport(url: URL, options: HttpTransportOptions): TaskTransport {
  const { transportOptions = {}, authProvider, headers, environment, onIssue, signIn, tap, onConnectAfter } = options
  const { fetch = environment.fetch, requestInit } = transportOptions
  toHeaders(requestInit?.headers)
  const sent = withHeaders(withSessionHeader(tappedFetch(fetch, tap, environment.now)), headers, environment)
  const answered = answeredFetch(withRetryAfter(sent, environment.now, onConnectAfter))
  const http = new StreamableHTTPClientTransport(url, {
    ...transportOptions,
    ...(authProvider && { authProvider }),
    fetch: signIn?.wrap(answered) ?? answered,
  })
  return new TaskTransport(http, { onIssue, randomId: environment.randomId, signIn })
}
