import type { Environment } from '../environment/environment.js'
import type { OnProtocolIssue } from '../protocol/task.js'
import type { CallLimitOptions } from '../wire/callLimit.js'
import type { Connection, ConnectionState } from '../wire/connection.js'
import type { JobsOption } from '../wire/jobs/job.js'
import type { ConnectRetry } from '../wire/opening.js'
import type { WireTap } from '../wire/wireTap.js'
import type { TaskClient } from './taskClient.js'

/** Reads what the options say about the server. */
export type SetUp = (environment: Environment, onIssue: OnProtocolIssue) => ConnectionSetUp

/** The server of a client, and how it is connected. */
export interface ConnectionSetUp {
  /** Where records belong; undefined if it is not known. */
  readonly endpoint: string | undefined
  /** For a server that our own connection reaches over HTTP. */
  readonly url?: TaskClient['url']
  createConnection(options: ConnectionOptions): Connection
  /** What the client has to do with signing in. `onEnd` is called when a sign-in has succeeded, or come to nothing. */
  createSigningIn(onEnd: (error?: Error) => void): SigningIn
}

/** What a client gives its connection. */
export interface ConnectionOptions extends CallLimitOptions, JobsOption {
  readonly environment: Environment
  readonly randomId: () => string
  readonly onState: (state: ConnectionState) => void
  readonly onIssue: OnProtocolIssue
  /** Called with what is in the way of requests and changes nothing of the connection. */
  readonly onError: (error: Error) => void
  /** Where the wire is observed. */
  readonly tap: WireTap
  readonly retry: Omit<ConnectRetry, 'leftMs'>
}

/** The methods of a client by which the user signs in. */
export type SigningIn = Pick<TaskClient, 'authorize' | 'finishAuthorization' | 'signOut'>
