import type { ReportError } from './base/reportError.js'
import type { NotifyServer } from './base/taskServerEvents.js'
import type { ServerConfig } from './serverConfig.js'
import type { TaskRuntime } from './tasks/taskRuntime.js'

/** What lives as long as the server; an {@link Exchange} lives as long as a request. */
export interface ServerParts {
  readonly config: ServerConfig
  readonly runtime: TaskRuntime
  readonly report: ReportError
  readonly notify: NotifyServer
}
