import type { ReportError } from './reportError.js'
import type { ServerConfig } from './serverConfig.js'
import type { Slots } from './slots.js'
import type { StreamPlaces } from './streamPlaces.js'
import type { TaskRuntime } from './taskRuntime.js'

/** What lives as long as the server; an {@link Exchange} lives as long as a request. */
export interface ServerParts {
  readonly config: ServerConfig
  readonly runtime: TaskRuntime
  readonly streams: StreamPlaces
  readonly slots: Slots
  readonly report: ReportError
}
