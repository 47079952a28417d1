import type { Transport } from '@modelcontextprotocol/client'
import type { AuthInfo } from '@modelcontextprotocol/server'
import type { Job } from '../../core/wire/jobs/job.js'
import type { TaskServerOptions } from '../../server/taskServerOptions.js'

/** The caller whose calls use a connection to the server behind the gateway. */
export interface GatewayCaller {
  /** The name of the owner of the caller's tasks: see `owner`. */
  readonly owner: string
  /**
   * The identity from the newest request of the owner, as `authenticate` returned it; undefined without that option. It
   * changes while a connection is open, so a transport that reads it for each request always sends the newest token. If the
   * server behind the gateway refuses a call with 401 or 403 and the token has changed since the connection was opened, the
   * gateway opens another connection and makes the call again.
   */
  readonly authInfo: AuthInfo | undefined
}

/**
 * Options of {@link createTaskGateway}. The options of the task server, such as `cors`, `store`, limits and the log, apply
 * to the side of the pages.
 */
export interface TaskGatewayOptions
  extends Omit<TaskServerOptions, 'serverInfo' | 'tools' | 'augment' | 'executor'>,
    GatewayRules {
  /**
   * The MCP endpoint of the server behind the gateway, over Streamable HTTP. The gateway passes on none of the headers that
   * a page sends.
   */
  url?: string | URL
  /** Headers for every request to the `url`, such as the gateway's own `Authorization`. */
  headers?: HeadersInit
  /**
   * Instead of `url`: returns the transport to the server behind the gateway, such as a `StdioClientTransport` of the SDK.
   * It is called for each owner, and again if a connection was lost, so return a new transport each time.
   */
  transport?(caller: GatewayCaller): Transport | Promise<Transport>
  /** The name and version of the gateway that clients see. @default `taskwire-gateway` and the version of this package */
  serverInfo?: TaskServerOptions['serverInfo']
  /**
   * How many owners may have a connection to a server behind the gateway at a time. Requests of further owners are refused
   * with HTTP 503. @default 100
   */
  maxServers?: number
  /**
   * How long the gateway keeps the connection of an owner without a call, in ms; null to keep it until `close()`. A stdio
   * server stops then, and loses its state in memory. @default 900_000, 15 minutes
   */
  idleMs?: number | null
}

/** The rules for which calls become tasks, and which may be made twice. */
export interface GatewayRules {
  /**
   * The time after which a call that has not ended becomes a task, in ms. A call that ends sooner is answered with its
   * result.
   * @default 2000
   */
  afterMs?: number
  /** The names of tools whose calls become tasks at once. @default no tools */
  tasks?: readonly string[]
  /**
   * The names of tools that may run again if the server behind the gateway has stopped during a call, in addition to tools
   * with the annotation `readOnlyHint` or `idempotentHint`. Calls of other tools then fail. @default no further tools
   */
  repeat?: readonly string[]
  /**
   * Jobs of the server behind the gateway, made by `defineJob` of `taskwire/jobs`. A job combines a tool that starts work
   * with a tool that reports its status. A call of the start tool is a task until the work is done; the other tools of the
   * job are not listed.
   * @default no jobs
   */
  jobs?: readonly Job[]
}
