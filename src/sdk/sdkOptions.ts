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

/** Options with a `url`: Taskwire creates the official SDK client and its Streamable HTTP transport. */
export interface TaskClientUrlOptions extends TaskClientSdkBaseOptions {
  /**
   * The MCP endpoint. A relative URL is resolved against the page or the script of the worker; elsewhere, as during server
   * rendering, it is resolved when the client connects.
   */
  url: string | URL
  /**
   * The protocol revision to use. `'auto'` tries `server/discover` (2026-07-28) and falls back to `initialize`
   * (2025-11-25). `'modern'` never falls back. `'legacy'` connects with `initialize` at once; use it also for servers that
   * support both revisions but serve tasks only in the earlier one. `connection.eraReason` says which revision was chosen
   * and why.
   * @default 'auto'
   */
  era?: 'auto' | 'modern' | 'legacy'
  /**
   * Headers for every request to the MCP server; no other server gets them. A function is called for each request, so a
   * token may change. If the function fails or takes longer than 20 s, nothing is sent: the request fails with a
   * `TaskRequestError` of kind `auth`, and the client repeats polls.
   *
   * @example
   * ```ts
   * createTaskClient({ url, headers: async () => ({ Authorization: `Bearer ${await session.token()}` }) })
   * ```
   */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>)
  /**
   * Signs the user in with OAuth. Pass `browserAuthProvider()` of `taskwire/auth`, which signs the user in when the app
   * calls `authorize()`, or a provider of the SDK. The client asks an `OAuthClientProvider` of your own to sign the user in
   * once for each token that the server refuses. Polling continues as soon as there is a new token.
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
   * Other options of `StreamableHTTPClientTransport`, such as `fetch`, `requestInit` or the handling of redirects. Headers
   * and the auth provider have their own options.
   */
  transportOptions?: StreamableHTTPClientTransportOptions
}

/**
 * Options with your own SDK client: a `Client` of `@modelcontextprotocol/client` that is connected over
 * `withTasks(transport)` or has a `transport` here, or a connected `Client` of `@modelcontextprotocol/sdk` 1.x.
 */
export interface TaskClientSdkOptions extends TaskClientSdkBaseOptions {
  client: Client | SdkV1Client
  /**
   * The transport for a client of `@modelcontextprotocol/client` that is not connected yet. A function is called for a new
   * transport each time: only with a function can the client connect again after a connection failed or was lost. After a
   * failed sign-in, tasks wait until the app calls `connect()` or a call of the app succeeds.
   */
  transport?: Transport | (() => Transport)
  url?: never
  /** Set `versionNegotiation` on the client instead. */
  era?: never
  /** Set them on the transport of the client instead. */
  headers?: never
  /** Pass it to the transport of the client instead. */
  authProvider?: never
}

export type TaskClientOptions = TaskClientUrlOptions | TaskClientSdkOptions
