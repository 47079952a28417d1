import type { Transport } from '@modelcontextprotocol/client'
import type { AuthInfo } from '@modelcontextprotocol/server'
import type { Job } from '../../core/wire/jobs/job.js'
import type { TaskServerOptions } from '../../server/taskServerOptions.js'

/** Whose calls use a connection to the server behind. */
export interface GatewayCaller {
  /** The name under which the tasks of the caller are kept: see `owner`. */
  readonly owner: string
  /** Who sent the first request, as `authenticate` returned it; undefined where there is no such option. */
  readonly authInfo: AuthInfo | undefined
}

/** Options of {@link createTaskGateway}. Those of the task server hold for the page's side: `cors`, `store`, limits, the log. */
export interface TaskGatewayOptions
  extends Omit<TaskServerOptions, 'serverInfo' | 'tools' | 'augment' | 'executor'>,
    GatewayRules {
  /**
   * The MCP endpoint of the server behind, which is spoken to by Streamable HTTP. Nothing that a page sends in its headers is
   * passed on.
   */
  url?: string | URL
  /** Sent to the `url` with every request, such as an `Authorization` of the gateway's own. */
  headers?: HeadersInit
  /**
   * In place of `url`: the transport to the server behind, such as a `StdioClientTransport` of the SDK. It is called for each
   * owner, and again where a connection was lost, so return a new one each time.
   */
  transport?(caller: GatewayCaller): Transport | Promise<Transport>
  /** Name and version of the gateway, as clients see them. @default `taskwire-gateway` and the version of this package */
  serverInfo?: TaskServerOptions['serverInfo']
  /** How many owners may have a server behind at a time. Requests of others are refused with HTTP 503. @default 100 */
  maxServers?: number
  /**
   * How long the server behind an owner is kept without a call, in ms; null: until `close()`. A stdio server that is stopped
   * loses the state that it keeps in memory. @default 900_000, 15 minutes
   */
  idleMs?: number | null
}

/** Which calls become tasks, and which may be made twice. */
export interface GatewayRules {
  /**
   * A call that has not ended after this time becomes a task; a call that ends sooner is answered with its result. In ms.
   * @default 2000
   */
  afterMs?: number
  /** The names of tools whose calls become tasks at once. @default none */
  tasks?: readonly string[]
  /**
   * The names of tools that may run again where the server behind has stopped during a call, beside those whose annotations
   * say `readOnlyHint` or `idempotentHint`. Calls of other tools fail then. @default none
   */
  repeat?: readonly string[]
  /**
   * Pairs of tools of the server behind, one that starts work and one that says how it stands, made by `defineJob` of
   * `taskwire/jobs`. A call of the start tool is a task until the work is done; the other tools of the job are not listed.
   * @default none
   */
  jobs?: readonly Job[]
}
