import type { Environment } from '../environment/environment.js'

/** Which tools of a 2025-11-25 server the client calls as tasks. */
export type LegacyTasksMode = 'auto' | 'required-only' | 'never'

/** How tasks of 2025-11-25 are used. */
export interface LegacyOptions {
  readonly mode: LegacyTasksMode
  /** How long the server is asked to keep a task, in ms; undefined: as long as it likes. */
  readonly ttlMs: number | undefined
  readonly environment: Pick<Environment, 'onPageHide' | 'randomId'>
  /** Whether a request may go out in a session of its own: the transport's `fetch` goes through `withSessionHeader`. */
  readonly addressesSessions: boolean
}
