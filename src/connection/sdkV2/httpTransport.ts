import {
  Client,
  type ClientCapabilities,
  type FetchLike,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'
import type { OnProtocolIssue } from '../../protocol/task.js'
import { VERSION } from '../../version.js'
import { withSessionHeader } from '../legacy/session.js'
import type { SignInByToken } from '../signIn.js'
import { TaskTransport } from '../transport/taskTransport.js'
import { tappedFetch, type WireTap } from '../wireTap.js'
import { answeredFetch, withRetryAfter } from './fetch.js'
import { routeInputRequests } from './multiRoundTrip.js'

/** An SDK client of our own, whose input requests reach the calls that they belong to. */
export function createClient(
  clientInfo: { name: string; version: string } | undefined,
  capabilities: ClientCapabilities,
): Client {
  const client = new Client(clientInfo ?? { name: 'taskwire', version: VERSION }, {
    capabilities,
    versionNegotiation: { mode: 'auto' },
  })
  routeInputRequests(client, capabilities)
  return client
}

export interface HttpTransportOptions {
  readonly transportOptions: StreamableHTTPClientTransportOptions | undefined
  readonly environment: { readonly fetch: FetchLike; readonly now: () => number; readonly randomId: () => string }
  readonly onIssue: OnProtocolIssue
  readonly signIn: SignInByToken | undefined
  readonly tap: WireTap
}

/** The transport of such a client. */
export function createHttpTransport(url: URL, options: HttpTransportOptions): TaskTransport {
  const { transportOptions = {}, environment, onIssue, signIn, tap } = options
  const { fetch = environment.fetch } = transportOptions
  const tapped = tappedFetch(fetch, tap, environment.now)
  const answered = answeredFetch(withRetryAfter(withSessionHeader(tapped), environment.now))
  const http = new StreamableHTTPClientTransport(url, {
    ...transportOptions,
    fetch: signIn?.wrap(answered) ?? answered,
  })
  return new TaskTransport(http, { onIssue, randomId: environment.randomId, signIn })
}
