import type { FaultInjection } from '../../../src/devtools.js'
import type { TaskClient } from '../../../src/index.js'

/** The event that a client of a frame is announced by, at the element of the frame. */
export const CLIENT_EVENT = 'taskwire-client'

/** A client that an example has made, and what breaks its network. */
export interface LiveClient {
  readonly client: TaskClient
  readonly faults: FaultInjection
}
