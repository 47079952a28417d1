import type {
  Client,
  ClientOptions,
  Implementation,
  StreamableHTTPClientTransportOptions,
  Transport,
} from '@modelcontextprotocol/client'
import type { TaskClientSdkBaseOptions } from './sdkBaseOptions.js'
import type { AnyAuthProvider } from './signIn/authProvider.js'
import type { SdkV1Client } from './v1/client.js'

/** Taskwire builds the official SDK client and its Streamable HTTP transport. */
export interface TaskClientUrlOptions extends TaskClientSdkBaseOptions {
  /**
   * The MCP endpoint. A relative URL is resolved against the page or the script of the worker; elsewhere, as during server
   * rendering, it is resolved when the client connects.
   */
  url: string | URL
  /**
   * The protocol revision to use. `'auto'` asks by `server/discover` (2026-07-28) and falls back to `initialize` (2025-11-25);
   * `'modern'` never falls back; `'legacy'` connects by `initialize` at once, which also reaches the tasks of servers that
   * speak both and serve them in the earlier revision only. `connection.eraReason` says which was chosen and why.
   * @default 'auto'
   */
  era?: 'auto' | 'modern' | 'legacy'
  /**
   * Sent to the MCP server with every request, and to no other server. A function is called for each request, so a token may
   * change; where it fails, the request fails with a `TaskRequestError` of kind `auth`, and polls are repeated.
   *
   * @example
   * ```ts
   * createTaskClient({ url, headers: async () => ({ Authorization: `Bearer ${await session.token()}` }) })
   * ```
   */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>)
  /**
   * Signs the user in by OAuth: `browserAuthProvider()` of `taskwire/auth`, which does so when the app calls `authorize()`, or
   * a provider of the SDK. The client asks an `OAuthClientProvider` of your own to sign the user in once for each token that
   * the server refuses. Polling continues as soon as there is a new token.
   */
  authProvider?: AnyAuthProvider
  /** @default \{ name: 'taskwire', version \} */
  clientInfo?: Implementation
  /**
   * Capabilities to declare to the server, in addition to elicitation in both modes and to the kinds of input that
   * `input.handlers` responds to. A kind that you set here is declared exactly as you set it. Input requests of a declared
   * kind without a handler wait for `respond()`. An input request of an undeclared kind fails its call with
   * `TaskInputRequiredError`.
   */
  capabilities?: ClientOptions['capabilities']
  /**
   * `fetch`, `requestInit`, redirects: what else `StreamableHTTPClientTransport` takes. Headers and auth provider have
   * options of their own.
   */
  transportOptions?: StreamableHTTPClientTransportOptions
}

/**
 * Bring your own SDK client: one of `@modelcontextprotocol/client` connected over `withTasks(transport)`, or a
 * connected `Client` of `@modelcontextprotocol/sdk` 1.x.
 */
export interface TaskClientSdkOptions extends TaskClientSdkBaseOptions {
  client: Client | SdkV1Client
  /**
   * Where a client of `@modelcontextprotocol/client` is not connected yet: the transport to connect it over. A function is
   * called for a new one each time, which a connection that failed or was lost needs. After a failed sign-in, tasks wait until
   * `connect()` is called or a call of the app passes.
   */
  transport?: Transport | (() => Transport)
  url?: never
  /** Set `versionNegotiation` on the client instead. */
  era?: never
  /** Set them on the transport of the client instead. */
  headers?: never
  /** Give it to the transport of the client instead. */
  authProvider?: never
}

export type TaskClientOptions = TaskClientUrlOptions | TaskClientSdkOptions
