import type { ReportError } from './base/reportError.js'
import type { StreamPlaces } from './push/streamPlaces.js'
import type { ServerConfig } from './serverConfig.js'
import type { TaskRuntime } from './tasks/taskRuntime.js'
import type { Slots } from './tools/slots.js'

/** What lives as long as the server; an {@link Exchange} lives as long as a request. */
export interface ServerParts {
  readonly config: ServerConfig
  readonly runtime: TaskRuntime
  readonly streams: StreamPlaces
  readonly slots: Slots
  readonly report: ReportError
}
