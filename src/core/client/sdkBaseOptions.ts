import type { LegacyTasksMode } from '../wire/legacyOptions.js'
import type { TaskClientBaseOptions } from './taskClient.js'

/** Options of every client that connects by the official SDK. */
export interface TaskClientSdkBaseOptions extends TaskClientBaseOptions {
  /** How tasks of a server that speaks MCP 2025-11-25 are used. */
  legacy?: {
    /**
     * Which tools are called as tasks, where server and tool allow it: all (`'auto'`), only those that cannot be called
     * otherwise, or none. From 2026-07-28 on the server decides.
     * @default 'auto'
     */
    tasks?: LegacyTasksMode
    /** The time for which the client asks the server to keep a task, in ms. @default as long as the server likes */
    ttlMs?: number
  }
}
