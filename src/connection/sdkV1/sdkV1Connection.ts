import type { CallLimitOptions } from '../callLimit.js'
import type { Connection, ConnectionState } from '../connection.js'
import { createConnection } from '../createConnection.js'
import type { JobsOption } from '../jobTools/job.js'
import type { ConnectedSdk } from '../sdkAdapter.js'

export interface SdkV1ConnectionOptions extends CallLimitOptions, JobsOption {
  readonly onState: (state: ConnectionState) => void
  /** Opens the client, with the first use. */
  readonly open: () => Promise<ConnectedSdk>
}

/** A connection over an SDK v1 client, which its owner has connected and closes. */
export function createSdkV1Connection({ open, ...options }: SdkV1ConnectionOptions): Connection {
  return createConnection({
    ...options,
    url: undefined,
    // Its owner connects it.
    retry: undefined,
    // SDK v1 shows nobody what it has declared.
    sdk: { era: 'legacy', missingCapability: () => undefined, open, close: () => Promise.resolve() },
  })
}
