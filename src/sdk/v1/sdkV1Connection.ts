import type { CallLimitOptions } from '../../core/wire/callLimit.js'
import type { Connection, ConnectionState } from '../../core/wire/connection.js'
import { createConnection } from '../../core/wire/createConnection.js'
import type { JobsOption } from '../../core/wire/jobs/job.js'
import type { ConnectedSdk } from '../../core/wire/sdkAdapter.js'
import { signInByTransport } from '../../core/wire/signInByTransport.js'

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
    signIn: signInByTransport(),
    // Its owner connects it.
    retry: undefined,
    // SDK v1 does not show what it has declared.
    sdk: { era: () => 'legacy', missingCapability: () => undefined, open, close: () => Promise.resolve() },
  })
}
