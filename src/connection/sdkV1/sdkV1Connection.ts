import type { CallLimitOptions } from '../callLimit.js'
import type { Connection, ConnectionState } from '../connection.js'
import { createConnection } from '../createConnection.js'
import type { OpenSdkV1Options } from './openSdkV1.js'

export interface SdkV1ConnectionOptions extends CallLimitOptions, OpenSdkV1Options {
  readonly onState: (state: ConnectionState) => void
}

/** A connection over an SDK v1 client, which its owner has connected and closes. What it takes is loaded with the first use. */
export function createSdkV1Connection(options: SdkV1ConnectionOptions): Connection {
  const open = async () => {
    const { openSdkV1 } = await import('./openSdkV1.js')
    return openSdkV1(options)
  }
  return createConnection({
    ...options,
    url: undefined,
    // Its owner connects it.
    retry: undefined,
    // SDK v1 shows nobody what it has declared.
    sdk: { era: 'legacy', missingCapability: () => undefined, open, close: () => Promise.resolve() },
  })
}
